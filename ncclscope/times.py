"""Gives every row of a batch its time: its own, or carried from the last timed line above it in its source."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from ncclscope import clock, dates
from ncclscope.rows import TIMES, Rows

# A time carries so far, wherever parcels are cut: what precedes a slice is read that far back.
CARRY_BYTES = 1 << 20
# The next time below bounds a carried one if it is so near, since what follows a slice is read that far and more; when
# it is farther off, nobody knows the latest time.
BELOW_BYTES = 128 << 10
# The first and last time of every so many bytes of a source are read, besides those that rows need: a log in which every
# line has a time would otherwise take longer than all its patterns.
CELL_BYTES = 64 << 10
_SECOND_US = 1_000_000
_OWN: dict[str, pl.DataType] = {"ts": pl.Datetime("us"), "ts_max": pl.Datetime("us"), "ts_from": pl.String(), "ts_clock": pl.Int8()}
_STAMPS: dict[str, pl.DataType] = {"row": pl.UInt32(), "stamp": pl.Datetime("us"), "res": pl.Int64(), "stamp_clock": pl.Int8()}


_STAMP = ("stamp", "res", "stamp_clock")
# What `before` and `last` hold: times that lines below may carry.
LAST = ("src", "offset", *_STAMP, "stated")


@dataclass(frozen=True, slots=True)
class Timed:
    """Rows with `ts`, `ts_max`, `ts_from` and `ts_clock`; every time that was read, in order, as src, stamp, stamp_clock;
    and the last of the last source, for what follows it, as LAST."""

    rows: list[Rows]
    stamps: pl.DataFrame
    last: pl.DataFrame


def resolve(found: Sequence[Rows], lines: pl.DataFrame, before: Callable[[], pl.DataFrame | None] = lambda: None) -> Timed:
    """Times for the rows of a batch; `before` gives the last times of what precedes the sources in it, where that matters."""
    own = _all_own(found)
    told, lacking = _told(own), _lacking(own)
    stamped = lines["raw"].str.contains(clock.STAMP).fill_null(False)
    stamps = _stamps(lines, told, lacking, stamped)
    if stamps.read["stamp"].null_count():  # looks like a time and is none: such lines are rare
        stamps = _stamps(lines, told, lacking, _readable(lines, stamped))
    carried = _carried(lines, stamps, before)
    own = [Rows(rows.table, _carry(rows.frame.drop("stated"), carried)) for rows in own]
    return Timed(own, _seen(lines, told, stamps), _last(lines, stamps))


def _all_own(found: Sequence[Rows]) -> list[Rows]:
    """Times that the records themselves give; one pass for all tables."""
    if not found:
        return []
    times = _own(pl.concat([rows.frame.select(TIMES) for rows in found]))
    own, begin = [], 0
    for rows in found:
        mine = times.slice(begin, rows.frame.height)
        own.append(Rows(rows.table, pl.concat([rows.frame.drop(TIMES), mine], how="horizontal")))
        begin += rows.frame.height
    return own


def _own(texts: pl.DataFrame) -> pl.DataFrame:
    """The innermost time, unless only an outer one knows its zone."""
    if all(texts[name].null_count() == texts.height for name in TIMES):
        unknown = (pl.lit(None, dtype=kind).alias(name) for name, kind in _OWN.items())
        return texts.with_columns(unknown).select(*_OWN)
    inner = clock.read_times(texts["time"])
    if texts["time_outer"].null_count() < texts.height and not texts["time_outer"].equals(texts["time"]):
        outer = clock.read_times(texts["time_outer"])
        better = (outer["clock"] == dates.UTC) & (inner["clock"] != dates.UTC).fill_null(True)
        inner = pl.DataFrame({name: outer[name].zip_with(better.fill_null(False), inner[name]) for name in inner.columns})
    seconds = texts["uptime"].str.strip_chars().cast(pl.Float64, strict=False)
    both = inner.with_columns(boot=(seconds * _SECOND_US).cast(pl.Int64, strict=False).cast(pl.Datetime("us")))
    ts, unread = pl.coalesce("ts", "boot"), pl.col("ts").is_null() & pl.col("boot").is_not_null()
    return both.select(
        ts=ts,
        ts_max=ts + pl.col("resolution_us").fill_null(1).cast(pl.Duration("us")),
        ts_from=pl.when(ts.is_not_null()).then(pl.lit("line")),
        ts_clock=pl.when(unread).then(pl.lit(dates.UPTIME, dtype=pl.Int8)).otherwise("clock"),
    )


def _told(own: Sequence[Rows]) -> pl.DataFrame:
    """The times of rows, one a line, sorted: of the last part that has one, and `stated` if only a message says it."""
    resolution = (pl.col("ts_max") - pl.col("ts")).dt.total_microseconds()
    renamed = {"stamp": pl.col("ts"), "res": resolution, "stamp_clock": pl.col("ts_clock")}
    told = [rows.frame.filter(pl.col("ts").is_not_null()).select("row", "part", "stated", **renamed) for rows in own]
    if not told:
        return pl.DataFrame(schema=_STAMPS | {"stated": pl.Boolean()})
    sure_last = pl.concat(told).sort("row", "stated", "part", descending=[False, True, False])
    return sure_last.unique("row", keep="last", maintain_order=True).drop("part")


def _lacking(own: Sequence[Rows]) -> pl.Series:
    """Lines of rows without a time."""
    lacking = [rows.frame["row"].filter(rows.frame["ts"].is_null()) for rows in own if rows.frame["ts"].null_count()]
    return pl.concat(lacking).unique().sort() if lacking else pl.Series(dtype=pl.UInt32)


@dataclass(frozen=True, slots=True)
class _Stamps:
    """`read` are the times of lines, null where one only looks like a time. `near` names those around each line whose rows
    lack a time, `edges` the first and last in each cell of each source, `stated` those that only a message says."""

    near: pl.DataFrame
    edges: pl.Series
    stated: pl.Series
    read: pl.DataFrame


def _stamps(lines: pl.DataFrame, told: pl.DataFrame, lacking: pl.Series, stamped: pl.Series) -> _Stamps:
    timed = stamped.clone().scatter(told.filter(~pl.col("stated"))["row"], True)
    stated = told["row"].filter(told["stated"] & ~timed.gather(told["row"]))
    near, edges = _near(lines, timed, stamped, stated, lacking), _edges(lines, timed)
    named = pl.concat([near["above"].drop_nulls(), near["below"].drop_nulls(), edges, stated]).unique().alias("row")
    sure = told.filter(~pl.col("stated") | pl.col("row").is_in(stated.implode()))
    known = named.to_frame().join(sure, on="row", how="inner").select(*_STAMPS)
    rows = named.filter(~named.is_in(known["row"].implode())) if known.height else named
    read = clock.read_leading(lines["raw"].gather(rows)).rename({"ts": "stamp", "resolution_us": "res", "clock": "stamp_clock"})
    read = pl.concat([known, read.select(rows, "stamp", "res", "stamp_clock")]).sort("row")
    return _Stamps(near, edges, stated, read)


def _near(lines: pl.DataFrame, timed: pl.Series, stamped: pl.Series, stated: pl.Series, lacking: pl.Series) -> pl.DataFrame:
    """The timed lines `above` and `below` each of these, or null, and the last above that states a time; a line that has a
    time itself is all of them.

    Below only lines that begin with a time count: what follows a slice is not parsed with it.
    """
    if lacking.is_empty() or not (timed.any() or len(stated)):
        nothing = pl.lit(None, dtype=pl.UInt32)
        return lacking.alias("row").to_frame().with_columns(above=nothing, stated=nothing, below=nothing)
    index = pl.int_range(pl.len(), dtype=pl.UInt32)
    said = pl.repeat(False, lines.height, eager=True).scatter(stated, True)
    found = lines.select(
        "src",
        "offset",
        above=pl.when(timed & lines["own"]).then(index).forward_fill(),
        stated=pl.when(said & lines["own"]).then(index).forward_fill(),
        below=pl.when(stamped).then(index).backward_fill(),
    )
    near = found.select(pl.all().gather(lacking)).with_columns(row=lacking)
    for name, limit in (("above", CARRY_BYTES), ("stated", CARRY_BYTES), ("below", BELOW_BYTES)):
        there = found.select(pl.col("src", "offset").gather(near[name]))
        apart = (there["offset"].cast(pl.Int64) - near["offset"].cast(pl.Int64)).abs()
        near = near.with_columns(pl.when((there["src"] == near["src"]) & (apart < limit)).then(name).alias(name))
    return near.select("row", "above", "stated", "below")


def _edges(lines: pl.DataFrame, timed: pl.Series) -> pl.Series:
    """The first and last timed line in each cell of each source."""
    rows = (timed & lines["own"]).arg_true()
    cells = lines.select(pl.col("src").gather(rows), (pl.col("offset").gather(rows) // CELL_BYTES))
    first = cells.select(new=(pl.col("src") != pl.col("src").shift()) | (pl.col("offset") != pl.col("offset").shift()))["new"]
    last = first.shift(-1)
    return rows.filter(first.fill_null(True) | last.fill_null(True))


def _readable(lines: pl.DataFrame, stamped: pl.Series) -> pl.Series:
    """Which lines really begin with a time."""
    rows = stamped.arg_true()
    read = clock.read_leading(lines["raw"].gather(rows))["ts"].is_not_null()
    return pl.repeat(False, lines.height, eager=True).scatter(rows.filter(read), True)


def _carried(lines: pl.DataFrame, stamps: _Stamps, before: Callable[[], pl.DataFrame | None]) -> pl.DataFrame:
    """`row` and the time it carries, for the rows that carry one.

    What a message states, as in torchrun's tables, is a time for the lines below it only where there is no other.
    """
    found = _above(stamps, "above")
    if found["stamp"].null_count():
        earlier = before()
        other = _filled(lines, _above(stamps, "stated"), earlier, stated=True)
        found = _filled(lines, found, earlier, stated=False)
        found = found.with_columns(found[name].fill_null(other[name]) for name in _STAMP)
    found = found.filter(pl.col("stamp").is_not_null())
    below = stamps.read.select("row", next="stamp", next_clock="stamp_clock")
    found = found.join(below, left_on="below", right_on="row", how="left", maintain_order="left")
    end = pl.col("stamp") + pl.col("res").cast(pl.Duration("us"))
    later = (pl.col("next_clock") == pl.col("stamp_clock")) & (pl.col("next") > end)
    latest = pl.when(later).then("next").when(pl.col("below").is_not_null() | _ends(lines, found["row"])).then(end)
    return found.select("row", "stamp", "stamp_clock", stamp_max=latest)


def _above(stamps: _Stamps, kind: str) -> pl.DataFrame:
    """The last time of one kind above each line in the batch, or null."""
    return stamps.near.join(stamps.read, left_on=kind, right_on="row", how="left", maintain_order="left")


def _filled(lines: pl.DataFrame, found: pl.DataFrame, before: pl.DataFrame | None, *, stated: bool) -> pl.DataFrame:
    """The same with the last time before the batch, where there is none in it."""
    if before is None or before.is_empty():
        return found
    last = before.filter(pl.col("stated") == stated).drop("stated")
    place = lines.select(pl.col("src", "offset").gather(found["row"]))
    near = place.join(last, on="src", how="left", maintain_order="left", suffix="_before")
    close = pl.col("offset").cast(pl.Int64) - pl.col("offset_before").cast(pl.Int64) < CARRY_BYTES
    last = near.select(pl.when(close).then(pl.col(name)).alias(name) for name in _STAMP)
    return found.with_columns(found[name].fill_null(last[name]) for name in _STAMP)


def _ends(lines: pl.DataFrame, rows: pl.Series) -> pl.Series:
    """Does the source end soon after these lines, so that no time below can be missing?"""
    place = lines.select(pl.col("src", "offset").gather(rows))
    last = lines.group_by("src").agg(pl.col("offset").max().alias("last"))
    near = place.join(last, on="src", how="left", maintain_order="left")
    return near.select(pl.col("last") - pl.col("offset") < BELOW_BYTES).to_series()


def _carry(frame: pl.DataFrame, carried: pl.DataFrame) -> pl.DataFrame:
    if carried.is_empty() or not frame["ts"].null_count():
        return frame
    takes = pl.col("ts").is_null() & pl.col("stamp").is_not_null()
    joined = frame.join(carried, on="row", how="left", maintain_order="left")
    return joined.with_columns(
        ts=pl.coalesce("ts", "stamp"),
        ts_max=pl.when(takes).then("stamp_max").otherwise("ts_max"),
        ts_from=pl.when(takes).then(pl.lit("carried")).otherwise("ts_from"),
        ts_clock=pl.when(takes).then("stamp_clock").otherwise("ts_clock"),
    ).drop("stamp", "stamp_max", "stamp_clock")


def _seen(lines: pl.DataFrame, told: pl.DataFrame, stamps: _Stamps) -> pl.DataFrame:
    """All times of rows, and those at the edges."""
    at_edges = stamps.read.filter(pl.col("row").is_in(stamps.edges.implode()))
    seen = pl.concat([told.select(*_STAMPS), at_edges]).unique("row", keep="first").sort("row")
    seen = seen.with_columns(lines.select(pl.col("src", "own").gather(seen["row"])))
    return seen.filter("own").select("src", "stamp", "stamp_clock")


def _last(lines: pl.DataFrame, stamps: _Stamps) -> pl.DataFrame:
    """The last time of the batch, if it is the last source's, and the last stated one."""
    read = stamps.read.with_columns(lines.select(pl.col("src", "offset", "own").gather(stamps.read["row"])))
    read = read.filter(pl.col("own") & (pl.col("src") == lines["src"].drop_nulls().last()))
    read = read.with_columns(stated=pl.col("row").is_in(stamps.stated.implode()))
    return read.group_by("stated", maintain_order=True).last().select(*LAST)
