"""Turns what patterns found, and what the prefixes said, into rows of one table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from ncclscope import schema
from ncclscope.packs import Event

# Groups that fill a column of their own instead of `fields`.
SPECIAL: Mapping[str, pl.DataType] = {
    "host": pl.String(),
    "pid": pl.Int32(),
    "tid": pl.Int32(),
    "rank": pl.Int32(),
    "gpu": pl.Int32(),
    "comm": pl.String(),
    "comm_ptr": pl.String(),
    "peer_host": pl.String(),
    "peer_rank": pl.Int32(),
    "peer_addr": pl.String(),
}
TIMES = ("time", "time_outer", "uptime")
_POSITION = ("src", "no", "offset", "size")
# Groups of a pattern that are no fields, and what else the context of prefixes holds; seconds since boot are one too.
_COLUMNS = frozenset({*SPECIAL, *TIMES})
_NO_FIELD = _COLUMNS - {"uptime"} | {"sev", "other", "parser", "said"}
_SAID = "said_"
_LIST = pl.List(pl.String)
_JOIN = "\x1f"
_DTYPES = {
    "BIGINT": pl.Int64(),
    "INTEGER": pl.Int32(),
    "UBIGINT": pl.UInt64(),
    "UINTEGER": pl.UInt32(),
    "TINYINT": pl.Int8(),
    "DOUBLE": pl.Float64(),
    "VARCHAR": pl.String(),
    "TIMESTAMP": pl.Datetime("us"),
    "BOOLEAN": pl.Boolean(),
    "VARCHAR[]": pl.List(pl.String()),
}


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table; `row` is the line of the batch, and times are still text, `stated` if the message has its own."""

    table: str
    frame: pl.DataFrame


def dtype(sql_type: str) -> pl.DataType:
    """The polars type of a column type of the schema."""
    return _DTYPES[sql_type]


def trimmed(event: Event) -> Event:
    """The event without groups that its table has no column for: each costs a twentieth of the pattern's time."""
    if event.table == "events":
        return event
    kept = {*_COLUMNS, *schema.BY_NAME[event.table].names, *(name for names in event.coalesce.values() for name in names), "step_s"}
    pattern = event.pattern
    for name in set(event.groups) - kept:
        pattern = pattern.replace(f"(?P<{name}>", "(?:")
    return replace(event, pattern=pattern)


def piece(event: Event, found: pl.DataFrame, where: pl.Series, context: pl.DataFrame, said: pl.Series) -> pl.DataFrame:
    """What one event took, for `table`: `where` are the parts, `found` the groups of its pattern, row by row; `said` are
    the rows of the prefixes' `context` for all parts."""
    found = _coalesce(event, found.drop("_"))
    if event.constants:
        found = found.with_columns(pl.lit(value).alias(name) for name, value in event.constants.items())
    if event.table != "events":
        return _dense(schema.BY_NAME[event.table], event, found).with_columns(where.alias("where"))
    level = pl.lit(event.severity, dtype=pl.Int8).alias("level")
    again = sorted(name for name in found.columns if name in context.columns and name not in _NO_FIELD)
    if any(found[name].null_count() for name in again):
        spoken = context.select(pl.col(again).gather(said.gather(where)))
        found = found.with_columns(found[name].fill_null(spoken[name]) for name in again)
    return found.select(where.alias("where"), level, *_event(event.kind, event.parser, found.get_columns(), again))


def other(kind: str, parser: str, where: pl.Series) -> pl.DataFrame:
    """The same for messages that only their prefix explains."""
    return where.alias("where").to_frame().with_columns(_event(kind, parser, [], []))


def _event(kind: str, parser: str, found: Sequence[pl.Series], again: Sequence[str]) -> list[pl.Expr]:
    """Columns of a piece of `events`; `again` are fields that prefixes have too."""
    fields = sorted((column for column in found if column.name not in _NO_FIELD), key=lambda column: column.name)
    names = [column.name for column in fields]
    if any(column.null_count() for column in fields):
        keys = pl.concat_list(pl.when(pl.col(name).is_not_null()).then(pl.lit(name)) for name in names).list.drop_nulls()
        values = pl.concat_list(names).list.drop_nulls()
    else:
        keys = pl.lit(names, dtype=_LIST)
        values = pl.concat_list(names) if names else pl.lit([], dtype=_LIST)
    own = [pl.col(column.name) for column in found if column.name in _COLUMNS]
    named = {
        "source": pl.lit(parser),
        "kind": pl.lit(kind),
        "keys": keys,
        "values": values,
        "but": pl.lit(_JOIN.join(again)),
    }
    return [*own, *(value.alias(name) for name, value in named.items())]


def _dense(table: schema.Table, event: Event, found: pl.DataFrame) -> pl.DataFrame:
    """Typed columns of a table of its own; groups it has no column for are dropped."""
    if "step_s" in found.columns and "step_ms" not in found.columns:
        found = found.with_columns((pl.col("step_s").cast(pl.Float64, strict=False) * 1000).alias("step_ms"))
    typed = [
        _cast(found[column.name], column.type, event.types.get(column.name, "")).alias(column.name)
        for column in table.columns
        if column.name in found.columns and column.name not in SPECIAL
    ]
    return pl.DataFrame([*typed, *(found[name] for name in found.columns if name in _COLUMNS)])


def _cast(values: pl.Series, sql_type: str, written: str) -> pl.Series:
    if values.dtype != pl.String or sql_type == "VARCHAR":
        return values.cast(dtype(sql_type), strict=False)
    if sql_type == "BOOLEAN":
        return values.is_not_null() & (values != "")
    if written == "hex":
        return values.str.strip_prefix("0x").str.to_integer(base=16, strict=False).cast(dtype(sql_type), strict=False)
    numbers = values.cast(dtype(sql_type), strict=False)
    if numbers.null_count() > values.null_count():  # 1,234
        numbers = values.str.replace_all(",", "", literal=True).cast(dtype(sql_type), strict=False)
    return numbers


def _coalesce(event: Event, found: pl.DataFrame) -> pl.DataFrame:
    for name, sources in event.coalesce.items():
        found = found.with_columns(pl.coalesce(*sources).alias(name)).drop(sources)
    return found


def table(name: str, pieces: Sequence[pl.DataFrame], parts: pl.DataFrame, context: pl.DataFrame, lines: pl.DataFrame) -> Rows:
    """All pieces of one table, with what prefixes say and the place of each row in its source."""
    frame = pl.concat(pieces, how="diagonal")
    mine = parts.select(pl.col("row", "part", "rest", "said", "sev").gather(frame["where"]))
    place = lines.select(pl.col(_POSITION).gather(mine["row"]))
    spoken = [column for column in (*SPECIAL, *TIMES) if column in context.columns]
    said = context.select(pl.col(spoken).gather(mine["said"]).name.prefix(_SAID))
    frame = pl.concat([frame, mine, place, said], how="horizontal")
    target = schema.BY_NAME[name]
    if target is schema.EVENTS:
        frame = _with_fields(frame, context)
    return Rows(name, frame.select(_columns(target, frame.columns)))


def _columns(target: schema.Table, known: Sequence[str]) -> list[pl.Expr]:
    n_lines = pl.col("n_lines").fill_null(1) if "n_lines" in known else pl.lit(1, dtype=pl.UInt32)
    columns = [pl.col("row"), pl.col("part"), *(pl.col(name) for name in _POSITION), n_lines.alias("n_lines")]
    # A time inside the message, as in torchrun's tables, serves where the prefix has none.
    columns += [_first((_SAID + name, name), pl.String(), known).alias(name) for name in TIMES]
    by_prefix, by_message = (_first((column,), pl.String(), known) for column in (f"{_SAID}time", "time"))
    columns.append((by_prefix.is_null() & by_message.is_not_null()).alias("stated"))
    if target is schema.EVENTS:
        severity = pl.coalesce("level", "sev", 1) if "level" in known else pl.col("sev").fill_null(1)
        message = pl.coalesce("record", "rest") if "record" in known else pl.col("rest")
        columns += [pl.col("source"), pl.col("kind"), severity.cast(pl.Int8).alias("severity")]
        columns += [_either(name, kind, known) for name, kind in SPECIAL.items()]
        return [*columns, message.alias("message"), pl.col("keys"), pl.col("values")]
    done = {"file_id", "line", "part", "ts", "ts_max", "ts_from"}
    return columns + [_either(c.name, SPECIAL.get(c.name, dtype(c.type)), known) for c in target.columns if c.name not in done]


def _either(name: str, kind: pl.DataType, known: Sequence[str]) -> pl.Expr:
    """What the message says, else what a prefix said."""
    return _first((name, _SAID + name), kind, known).alias(name)


def _first(names: Sequence[str], kind: pl.DataType, known: Sequence[str]) -> pl.Expr:
    found = [pl.col(name).cast(kind, strict=False) for name in names if name in known]
    return pl.coalesce(found) if found else pl.lit(None, dtype=kind)


def _with_fields(frame: pl.DataFrame, context: pl.DataFrame) -> pl.DataFrame:
    """Appends what the prefixes said to the fields, unless the message says it."""
    said = pl.concat([_said(context, but) for but in frame["but"].unique(maintain_order=True)])
    joined = frame.join(said, on=("said", "but"), how="left", maintain_order="left")
    return joined.with_columns(
        pl.when(pl.col(more).is_null()).then(own).otherwise(pl.concat_list(own, more)).alias(own)
        for own, more in (("keys", "said_keys"), ("values", "said_values"))
    )


def _said(context: pl.DataFrame, but: str) -> pl.DataFrame:
    """What each row of the context says as lists, without the names in `but`; the rows that say nothing are left out."""
    names = sorted(set(context.columns) - _NO_FIELD - {*but.split(_JOIN)})
    long = context.select("said", *names).unpivot(index="said", variable_name="said_keys", value_name="said_values")
    grouped = long.drop_nulls("said_values").sort("said", maintain_order=True).group_by("said", maintain_order=True)
    lists = grouped.agg(pl.col("said_keys", "said_values").cast(pl.String))
    return lists.with_columns(but=pl.lit(but))
