"""Turns what a pattern found, and what the prefixes said, into rows of one table."""

from collections.abc import Mapping
from dataclasses import dataclass

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
_POSITION = ("src", "no", "part", "offset", "size")
# Columns of the working frame that are not something a prefix said.
_INTERNAL = frozenset({*_POSITION, *TIMES, *SPECIAL, *("rid", "row", "text", "rest", "bad", "own", "combo")}) | frozenset(
    {"sev", "other", "parser", "n_lines", "_"}
)
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
    """Rows of one table whose times are still text."""

    table: str
    frame: pl.DataFrame


def dtype(sql_type: str) -> pl.DataType:
    """The polars type of a column type of the schema."""
    return _DTYPES[sql_type]


def build(event: Event, mine: pl.DataFrame, found: pl.DataFrame) -> Rows:
    """Rows of one event; `mine` has position, context and message, `found` the groups, row by row."""
    found = _coalesce(event, found.drop("_"))
    found = found.with_columns(pl.lit(value).alias(name) for name, value in event.constants.items())
    if event.table != "events":
        return Rows(event.table, _dense(schema.BY_NAME[event.table], event, mine, found))
    severity = mine["sev"] if "sev" in mine.columns else pl.repeat(None, mine.height, dtype=pl.Int8, eager=True)
    if event.severity is not None:
        severity = pl.repeat(event.severity, mine.height, dtype=pl.Int8, eager=True)
    return Rows("events", _events(event.kind, event.parser, severity, mine, found))


def build_other(kind: str, mine: pl.DataFrame, parser: str) -> Rows:
    """Rows for messages that only their prefix explains."""
    severity = mine["sev"] if "sev" in mine.columns else pl.repeat(None, mine.height, dtype=pl.Int8, eager=True)
    return Rows("events", _events(kind, parser, severity, mine, pl.DataFrame()))


def _events(kind: str, parser: str, severity: pl.Series, mine: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    frame = _position(mine, found)
    keys, values = _fields(mine, found)
    return frame.with_columns(
        pl.lit(parser).alias("source"),
        pl.lit(kind).alias("kind"),
        severity.fill_null(1).alias("severity"),
        *_special(mine, found),
        mine["rest"].alias("message"),
        keys,
        values,
    )


def _position(mine: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    lines = mine["n_lines"] if "n_lines" in mine.columns else pl.repeat(1, mine.height, dtype=pl.UInt32, eager=True)
    nothing = pl.repeat(None, mine.height, dtype=pl.String, eager=True)
    times = []
    for name in TIMES:
        said = mine[name] if name in mine.columns else nothing
        # A time inside the message, as in torchrun's tables, serves where the prefix has none.
        times.append((said.fill_null(found[name]) if name in found.columns else said).alias(name))
    return mine.select(*_POSITION).with_columns(lines.alias("n_lines"), *times)


def _special(mine: pl.DataFrame, found: pl.DataFrame) -> list[pl.Series]:
    out = []
    for name, kind in SPECIAL.items():
        column = pl.repeat(None, mine.height, dtype=kind, eager=True)
        for frame in (found, mine):
            if name in frame.columns:
                column = column.fill_null(frame[name].cast(kind, strict=False))
        out.append(column.alias(name))
    return out


def _fields(mine: pl.DataFrame, found: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """Keys and values of the map, as two list columns; what the message says wins over the prefix."""
    named = {name: found[name] for name in found.columns if name not in SPECIAL and name not in ("time", "time_outer")}
    for name in mine.columns:
        if (name in _INTERNAL and name != "uptime") or mine[name].null_count() == mine.height:
            continue
        named[name] = named[name].fill_null(mine[name]) if name in named else mine[name]
    keys = pl.Series("keys", [sorted(named)], dtype=pl.List(pl.String))
    keys = keys.gather(pl.repeat(0, mine.height, dtype=pl.UInt32, eager=True))
    if not named:
        return keys, keys.alias("values")
    values = pl.DataFrame(named).select(pl.concat_list(sorted(named)).alias("values"))["values"]
    return keys, values


def _dense(table: schema.Table, event: Event, mine: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Typed columns of a table of its own; groups it has no column for are dropped."""
    if "step_s" in found.columns and "step_ms" not in found.columns:
        found = found.with_columns((pl.col("step_s").cast(pl.Float64, strict=False) * 1000).alias("step_ms"))
    frame = _position(mine, found)
    special = {series.name: series for series in _special(mine, found)}
    columns = []
    for column in table.columns:
        if column.name in ("file_id", "line", "part", "ts", "ts_max", "ts_from"):
            continue
        if column.name in special:
            columns.append(special[column.name])
        elif column.name in found.columns:
            columns.append(_cast(found[column.name], column.type, event.types.get(column.name, "")))
        else:
            columns.append(pl.repeat(None, mine.height, dtype=dtype(column.type), eager=True).alias(column.name))
    return frame.drop("offset", "size", "n_lines").with_columns(columns)


def _cast(values: pl.Series, sql_type: str, written: str) -> pl.Series:
    if values.dtype != pl.String:
        return values.cast(dtype(sql_type), strict=False)
    if sql_type == "BOOLEAN":
        return values.is_not_null() & (values != "")
    if written == "hex":
        return values.str.strip_prefix("0x").str.to_integer(base=16, strict=False).cast(dtype(sql_type), strict=False)
    if sql_type in ("BIGINT", "INTEGER", "DOUBLE"):
        values = values.str.replace_all(",", "", literal=True) if values.str.contains(",", literal=True).any() else values
    return values.cast(dtype(sql_type), strict=False)


def _coalesce(event: Event, found: pl.DataFrame) -> pl.DataFrame:
    for name, sources in event.coalesce.items():
        found = found.with_columns(pl.coalesce(*sources).alias(name)).drop(sources)
    return found
