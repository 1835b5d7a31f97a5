"""A case as DuckDB views over its Parquet files; the only module that imports duckdb."""

import json
import os
import re
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb

from ncclscope import emptiness, schema
from ncclscope.packs import Event, Pack

MEMORY_LIMIT = "2GB"
# What a query may put on disk before it fails.
SPILL_LIMIT = "32GB"
HELD_ROWS = 600_000
# What a query can raise, for modules that do not import duckdb.
QueryError = duckdb.Error


class CaseError(Exception):
    """Not a case, from another version, or a query that cannot run; one sentence."""


# Columns of rows from sources that aliases, pids and pointers complete; see `_rows_view`.
_TS = """(CASE {a}.ts_clock
    WHEN 0 THEN {a}.{c}
    WHEN 1 THEN {a}.{c} - to_microseconds(p_.zone_us)
    WHEN 2 THEN {a}.{c} + to_years(CAST(p_.year - 1972 + CASE WHEN p_.wraps AND month({a}.{c}) < 7 THEN 1 ELSE 0 END AS INTEGER))
                - to_microseconds(p_.zone_us)
    WHEN 3 THEN p_.boot + ({a}.{c} - TIMESTAMP '1970-01-01')
END - to_microseconds(p_.skew_us))"""


# Columns of the view of every kind of event, those of them that are always there, and names of groups that are none.
_EVENT = {c.name: c.type for c in schema.EVENTS.columns if c.name != "fields"} | {"attempt": "INTEGER"}
_PLACE = frozenset({"attempt", "file_id", "line", "part"})
_HIDDEN = frozenset({*schema.EVENTS.names, "time", "time_outer", "sev", "attempt", "duplicate"})


# Tables that parcels write.
_FROM_SOURCES = frozenset(table.name for table in (schema.EVENTS, *schema.DENSE))
# Of queries that were seen, for a process that judges many cases.
_CONDITIONS: dict[str, emptiness.Condition] = {}

# How likely any of `compared` siblings would be the odd one in so large a share (`often`) of so many `times`, if each time as
# many (`expected`, a share) were picked at random: Chernoff's bound for a sign test, times their number, as Bonferroni corrects.
_BY_CHANCE = """CREATE OR REPLACE MACRO by_chance(compared, times, often, expected) AS
  CASE WHEN often <= expected THEN 1.0
       ELSE least(1.0, compared * exp(-times * (often * ln(often / expected)
                       + CASE WHEN often < 1 THEN (1 - often) * ln((1 - often) / (1 - expected)) ELSE 0 END))) END"""

# A shared view that passes all columns on does not name those that its readers want.
_STAR = re.compile(r"\*\s*(?:,|FROM\b|EXCLUDE\b|REPLACE\b)|\.\*", re.I)


def view_name(kind: str) -> str:
    """The view of a kind of event: dots become underscores."""
    return kind.replace(".", "_")


@lru_cache(maxsize=4)
def kinds_of(pack: Pack) -> dict[str, dict[str, str]]:
    """Every declared kind of event with its fields and their SQL types."""
    shared = {name: "VARCHAR" for line in pack.lines for name in line.groups}
    for line in pack.lines:
        shared |= {name: _sql_type(written) for name, written in line.types.items()}
    kinds: dict[str, dict[str, str]] = {line.other: dict(shared) for line in pack.lines if line.other}
    for event in pack.events:
        if event.table == "events":
            kinds.setdefault(event.kind, dict(shared)).update(_fields(event))
    for parser in pack.parsers.values():
        if parser.reader:
            for kind, fields in parser.reader.kinds.items():
                kinds.setdefault(kind, {}).update({name: _sql_type(written) for name, written in fields.items()})
    return kinds


def _fields(event: Event) -> dict[str, str]:
    merged = {source for sources in event.coalesce.values() for source in sources}
    names = [*event.groups, *event.constants, *event.coalesce]
    return {name: _sql_type(event.types.get(name, "")) for name in names if name not in merged and name != "_"}


def _sql_type(written: str) -> str:
    return {"int": "BIGINT", "float": "DOUBLE"}.get(written, "VARCHAR")


@dataclass(slots=True)
class Case:
    """An open case. `kinds` come from the pack; derived tables are read if they exist, and are empty if not."""

    path: Path
    manifest: Mapping[str, Any]
    kinds: Mapping[str, Mapping[str, str]]
    con: duckdb.DuckDBPyConnection
    shared: Mapping[str, str] = field(default_factory=dict)
    # Conditions that leave rows out of tables, for whoever asks about a part of the case.
    narrowing: Mapping[str, str] = field(default_factory=dict)
    # Name of each kind's view, and the kind.
    kind_views: dict[str, str] = field(init=False)
    _made: set[str] = field(default_factory=set)
    # The columns that views of kinds have so far.
    _columns: dict[str, set[str]] = field(default_factory=dict)
    _holding: bool = False
    # What has rows of sources behind it, and what has rows of its own.
    _written: dict[str, bool] = field(default_factory=dict)
    _filled: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kind_views = {view_name(kind): kind for kind in self.kinds}

    def sql(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows of our own query, after making the views it names."""
        return self.run(query, *parameters).fetchall()

    def found(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The same for a query that returns a row only for rows of sources: where it would read none, it is not even planned."""
        return self.sql(query, *parameters) if self.may_return(query) else []

    def rows(self, query: str, *parameters: Any) -> list[dict[str, Any]]:
        """The same as dicts."""
        result = self.run(query, *parameters)
        names = [column[0] for column in result.description or ()]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def run(self, query: str, *parameters: Any) -> duckdb.DuckDBPyConnection:
        """A cursor with the result: a connection holds one unfinished result at a time."""
        self.make(query)
        return self.con.cursor().execute(query, list(parameters) or None)

    def make(self, query: str, whole: bool = False) -> None:
        """Creates the views that a query names, and those they name.

        A kind of event gets the columns that a query names, or all of them where it is `whole`: a query is planned for every
        column of every view it names, which takes longer than to run it.
        """
        words = _words(query)
        for name in words:
            if name in self.kind_views:
                self._make_kind(name, self._columns_of(name).keys() if whole else self._columns_of(name).keys() & words)
            if name in self._made or name in self.kind_views:
                continue
            definition = self._definition(name)
            if definition is not None:
                self._made.add(name)
                try:
                    self.make(definition, bool(_STAR.search(definition)))
                    form = "TABLE" if self._holding and name in self.shared else "VIEW"
                    self.con.execute(f'CREATE OR REPLACE {form} "{name}" AS {definition}')
                except duckdb.Error:
                    self._made.discard(name)
                    raise

    def _make_kind(self, name: str, wanted: Iterable[str]) -> None:
        there = self._columns.get(name, set())
        columns = there | _PLACE | set(wanted)
        if columns != there:
            definition = self._kind(self.kind_views[name], columns)
            self.make(definition)
            self.con.execute(f'CREATE OR REPLACE VIEW "{name}" AS {definition}')
            self._columns[name] = columns

    def _columns_of(self, name: str) -> Mapping[str, str]:
        """Name and SQL type of every column of a kind's view."""
        fields = self.kinds[self.kind_views[name]]
        return _EVENT | {field: sql_type for field, sql_type in fields.items() if field not in _HIDDEN}

    def hold(self) -> None:
        """Computes what rules share once, now that nothing changes it any more: shared views, and the rows of a case of some size.

        Views of views of views take longer to plan than to run, and a hundred rules would run them a hundred times.
        """
        self._holding = True
        self._written.clear()
        self._filled.clear()
        for name in sorted(self._made & set(self.shared)):
            self.con.execute(f'DROP VIEW "{name}"')
            self._made.discard(name)
        if sum(count for written in self.manifest["parcels"].values() for count in written.values()) > HELD_ROWS:
            return
        self.con.execute("SET threads = 1")  # to hand out so little takes longer than to do it
        for table in (schema.EVENTS, *schema.DENSE):
            self.make(table.name)
            self.con.execute(f"CREATE TABLE held_ AS SELECT * FROM {table.name}")
            self.con.execute(f"DROP VIEW {table.name}")
            self.con.execute(f"ALTER TABLE held_ RENAME TO {table.name}")

    def may_return(self, query: str) -> bool:
        """Can a query whose rows lead back to rows of sources have any? False spares planning it, which takes longer than to run it."""
        return self._reads_sources(query) and emptiness.holds(self._condition(query), self._has_rows)

    def _reads_sources(self, query: str) -> bool:
        """Does any kind or table with rows of sources stand behind it? The cheaper half of the question."""
        return any(self._is_written(name) for name in _words(query))

    def _is_written(self, name: str) -> bool:
        """Is this a kind or a table with rows of sources, or a shared view that reads one?"""
        if not self._written:
            kinds = {view_name(row[0]) for row in self.sql("SELECT DISTINCT kind FROM events_raw")}
            tables = {table for names in self.manifest["parcels"].values() for table in names}
            self._written.update(dict.fromkeys(kinds | tables | {"files"}, True))
        if name not in self._written:
            self._written[name] = False  # a named query inside a view may have the name of the view
            self._written[name] = name in self.shared and self._reads_sources(self.shared[name])
        return self._written[name]

    def _has_rows(self, name: str) -> bool:
        """Has this relation rows? True for what is none of the case's."""
        if name in self.kind_views or name.removesuffix("_raw") in _FROM_SOURCES:
            return self._is_written(name.removesuffix("_raw"))
        if name not in self.shared and name not in schema.BY_NAME:
            return True
        if not self._holding:
            return True  # it may change, and to look is to make it
        if name not in self._filled:
            told = name not in self.shared or emptiness.holds(self._condition(self.shared[name]), self._has_rows)
            self._filled[name] = told and bool(self.sql(f'SELECT 1 FROM "{name}" LIMIT 1'))
        return self._filled[name]

    def _condition(self, query: str) -> emptiness.Condition:
        """What must have rows for a query to have any; see there."""
        if query not in _CONDITIONS:
            [(text,)] = self.con.execute(emptiness.SYNTAX, [query]).fetchall()
            statements = json.loads(text).get("statements")
            _CONDITIONS[query] = emptiness.condition(statements[0]["node"]) if statements else True
        return _CONDITIONS[query]

    def clear(self, *names: str) -> None:
        """Leaves derived tables without a row, whatever an earlier run wrote."""
        for name in names:
            (self.path / f"{name}.parquet").unlink(missing_ok=True)
        self.forget(*names)

    def forget(self, *names: str) -> None:
        """Makes views anew after their files appeared; those that read them go on with the new ones."""
        for name in self._made.intersection(names):
            self._made.discard(name)
            self.make(name)

    def _definition(self, name: str) -> str | None:
        if name in self.shared:
            return self.shared[name]
        table = schema.BY_NAME.get(name)
        if table is not None:
            where = self.narrowing.get(name)
            return f"SELECT * FROM ({self._table(table)}) WHERE {where}" if where else self._table(table)
        if name.endswith("_raw") and name.removesuffix("_raw") in schema.BY_NAME:
            return self._raw(schema.BY_NAME[name.removesuffix("_raw")])
        return self._kind(self.kind_views[name]) if name in self.kind_views else None

    def script(self, names: Iterable[str]) -> str:
        """CREATE VIEW statements for the tables and the named views, in an order that runs from the case's directory."""
        seen: set[str] = set()
        done: dict[str, str] = {}

        def visit(name: str) -> None:
            seen.add(name)
            if (definition := self._definition(name)) is None:
                return
            for inner in _words(definition):
                if inner not in seen:
                    visit(inner)
            done[name] = definition

        for name in (*schema.BY_NAME, *names):
            if name not in seen:
                visit(name)
        local = {name: text.replace(_quoted(self.path) + "/", "") for name, text in done.items()}
        return f"{_BY_CHANCE};\n\n" + "\n".join(f'CREATE OR REPLACE VIEW "{name}" AS\n{text};\n' for name, text in local.items())

    def _table(self, table: schema.Table) -> str:
        if table.rows_from == "source":
            return self._rows_view(table)
        path = self.path / f"{table.name}.parquet"
        return f"SELECT * FROM read_parquet('{_quoted(path)}')" if path.is_file() else _empty(_types(table.columns))

    def _raw(self, table: schema.Table) -> str:
        """Rows as the parcels wrote them."""
        files = [
            f"'{_quoted(self.path / 'parcels' / key / f'{table.name}.parquet')}'"
            for key, written in self.manifest["parcels"].items()
            if table.name in written
        ]
        if files:
            return f"SELECT * FROM read_parquet([{', '.join(files)}])"
        return _empty(_types(table.columns) | {"piece": "UBIGINT", "ts_clock": "TINYINT"})

    def _rows_view(self, table: schema.Table) -> str:
        """Rows with what a parcel cannot know: line base, settled time, attempt, duplicate, host and rank."""
        own = {
            "line": "e_.line + p_.base",
            "ts": _TS.format(a="e_", c="ts"),
            "ts_max": _TS.format(a="e_", c="ts_max"),
            "host": "coalesce(h_.host, e_.host, s_.host, p_.host)",
            # A process that NCCL itself numbered is surer than a label.
            "rank": "coalesce(r_.rank, e_.rank, p_.rank)",
        }
        columns = [f"{own.get(c.name, 'e_.' + _id(c.name))} AS {_id(c.name)}" for c in table.columns]
        return f"""SELECT {", ".join(columns)}, coalesce(a_.attempt, p_.attempt, w_.attempt, 0) AS attempt, p_.duplicate AS duplicate
FROM {table.name}_raw e_
JOIN pieces p_ ON p_.file_id = e_.file_id AND p_.piece = e_.piece
LEFT JOIN host_names h_ ON h_.name = e_.host
LEFT JOIN host_spans s_ ON s_.file_id = e_.file_id AND e_.line + p_.base >= s_.from_line AND e_.line + p_.base < s_.to_line
LEFT JOIN processes r_ ON r_.host = coalesce(h_.host, e_.host, s_.host, p_.host) AND r_.pid = e_.pid
LEFT JOIN spans a_ ON a_.file_id = e_.file_id AND e_.line + p_.base >= a_.from_line AND e_.line + p_.base < a_.to_line
LEFT JOIN windows w_ ON {_TS.format(a="e_", c="ts")} >= w_.from_ts AND {_TS.format(a="e_", c="ts")} < w_.to_ts"""

    def _kind(self, kind: str, wanted: Collection[str] | None = None) -> str:
        """The view of a kind with these columns, or all."""
        columns = {name: sql_type for name, sql_type in self._columns_of(view_name(kind)).items() if wanted is None or name in wanted}
        if not self._is_written(view_name(kind)):
            return _empty(columns)
        listed = [_id(name) if name in _EVENT else f"{_field(name, sql_type)} AS {_id(name)}" for name, sql_type in columns.items()]
        return f"SELECT {', '.join(listed)} FROM events WHERE kind = '{kind}' AND NOT duplicate"

    def write(self, name: str, rows: Iterable[Sequence[Any]]) -> None:
        """Writes one derived table from rows in the order of its columns, whole or not at all."""
        columns = schema.BY_NAME[name].columns
        by_column = list(zip(*rows, strict=True)) or [()] * len(columns)
        listed = ", ".join(f"CAST(unnest(${i}) AS {c.type}) AS {c.name}" for i, c in enumerate(columns, 1))
        values = [list(column) for column in by_column]
        if values[0]:
            self.con.execute(f"CREATE OR REPLACE TEMP TABLE new_ AS SELECT {listed}", values)
        else:
            self.con.execute(f"CREATE OR REPLACE TEMP TABLE new_ AS {_empty(_types(columns))}")
        self._save(name, "FROM new_")

    def copy(self, name: str, query: str) -> None:
        """Writes one derived table from a query, whole or not at all."""
        self.make(query)
        columns = ", ".join(f"CAST({c.name} AS {c.type}) AS {c.name}" for c in schema.BY_NAME[name].columns)
        self._save(name, f"SELECT {columns} FROM ({query})")

    def _save(self, name: str, query: str) -> None:
        path = self.path / f"{name}.parquet"
        half = path.with_suffix(".part")
        self.con.execute(f"COPY ({query}) TO '{_quoted(half)}' (FORMAT parquet)")
        half.replace(path)
        self.forget(name)

    def lock(self) -> None:
        """No file but the case's, no extension, no change of settings from here on."""
        for statement in (
            f"SET allowed_directories = ['{_quoted(self.path)}']",
            "SET enable_external_access = false",
            "SET autoinstall_known_extensions = false",
            "SET autoload_known_extensions = false",
            "SET lock_configuration = true",
        ):
            self.con.execute(statement)

    def select(self, query: str) -> duckdb.DuckDBPyConnection:
        """A person's query: one SELECT and nothing else. Raises CaseError."""
        try:
            statements = self.con.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise CaseError("Only a single SELECT is allowed.")
            self.make(query, whole=True)
            cursor = self.con.cursor()
            # A SELECT whose CTE is a COPY counts as a SELECT and does write, but cannot be a view.
            cursor.execute(f"CREATE OR REPLACE TEMP VIEW query_ AS {query.strip().rstrip(';')}")
            return cursor.execute("SELECT * FROM query_")
        except duckdb.Error as error:
            raise CaseError(str(error).strip()) from error


def manifest_of(path: Path) -> Mapping[str, Any]:
    """What a case was made of. Raises CaseError where there is none, or another version's."""
    manifest = path / schema.MANIFEST
    try:
        content: dict[str, Any] = json.loads(manifest.read_text())
    except (OSError, ValueError) as error:
        raise CaseError(f"{path} is not a case: {manifest.name} cannot be read ({error}).") from error
    written = content.get("schema", 0)
    if written > schema.SCHEMA_VERSION:
        raise CaseError(f"{path} was written by a newer version; upgrade ncclscope to read it.")
    if written < schema.SCHEMA_VERSION:
        raise CaseError(f"{path} was written by an older version; scan its evidence again.")
    return content


def open_case(path: Path, pack: Pack, shared: Mapping[str, str] | None = None) -> Case:
    """A case directory. Raises CaseError."""
    content = manifest_of(path)
    # What does not fit into memory must not go to the working directory, which may be read-only.
    spill = os.path.join(tempfile.gettempdir(), f"ncclscope-spill-{os.getpid()}")
    con = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": MEMORY_LIMIT,
            "temp_directory": spill,
            "max_temp_directory_size": SPILL_LIMIT,
            "preserve_insertion_order": "false",
        },
    )
    con.execute("SET TimeZone = 'UTC'")
    con.execute(_BY_CHANCE)
    return Case(path, content, kinds_of(pack), con, shared or {})


@lru_cache(maxsize=4096)
def _words(query: str) -> tuple[str, ...]:
    """Identifiers that could be views: not those inside strings or comments."""
    bare = re.sub(r"'[^']*'|--[^\n]*", " ", query)
    return tuple(dict.fromkeys(re.findall(r"[a-z_][a-z0-9_]*", bare.lower())))


def _empty(columns: Mapping[str, str]) -> str:
    listed = ", ".join(f"NULL::{sql_type} AS {_id(name)}" for name, sql_type in columns.items())
    return f"SELECT {listed} WHERE false"


def _types(columns: Iterable[schema.Column]) -> dict[str, str]:
    return {column.name: column.type for column in columns}


def _field(name: str, sql_type: str) -> str:
    """What a pattern took, as its type; NULL where it is none."""
    return f"fields['{name}']" if sql_type == "VARCHAR" else f"TRY_CAST(fields['{name}'] AS {sql_type})"


def _id(name: str) -> str:
    """A column name that may be a keyword, as `offset` is."""
    return f'"{name}"'


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
