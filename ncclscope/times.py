"""Gives every row of a batch its time: its own, or carried from the last timed line above it in its source."""

from dataclasses import dataclass

import polars as pl

from ncclscope import clock
from ncclscope.rows import Rows

# Seconds since boot: `ts` counts from 1970 until the case knows when the host booted.
UPTIME = 3
_SECOND_US = 1_000_000
_STAMPS = {"src": pl.UInt32, "no": pl.UInt64, "stamp": pl.Datetime("us"), "res": pl.Int64, "stamp_clock": pl.Int8}


@dataclass(frozen=True, slots=True)
class Timed:
    """Rows with `ts`, `ts_max`, `ts_from` and `ts_clock`, and every time found: src, no, stamp, res, stamp_clock."""

    rows: list[Rows]
    stamps: pl.DataFrame


def resolve(found: list[Rows], lines: pl.DataFrame, before: pl.DataFrame | None = None) -> Timed:
    """Times for the rows of a batch; `before` has stamps of what precedes a slice, at line 0."""
    own = [Rows(rows.table, _own(rows.frame)) for rows in found]
    stamps = [_leading(lines)]
    if before is not None:
        stamps.append(before)
    for rows in own:
        timed = rows.frame.filter(pl.col("ts").is_not_null())
        stamps.append(
            timed.select(
                "src", "no", stamp="ts", res=pl.col("ts_max").sub(pl.col("ts")).dt.total_microseconds(), stamp_clock="ts_clock"
            )
        )
    every = pl.concat(stamps).unique(("src", "no"), keep="last").sort("src", "no")
    return Timed([Rows(rows.table, _carry(rows.frame, every)) for rows in own], every)


def last_stamp(src: int, lines: pl.DataFrame) -> pl.DataFrame | None:
    """The last time in what precedes a slice, as a stamp at line 0, for lines of the slice to carry."""
    stamps = _leading(lines)
    if stamps.is_empty():
        return None
    return stamps.tail(1).with_columns(src=pl.lit(src, dtype=pl.UInt32), no=pl.lit(0, dtype=pl.UInt64))


def _own(frame: pl.DataFrame) -> pl.DataFrame:
    """Times that the record itself gives; the innermost, unless only an outer one knows its zone."""
    inner = clock.read_times(frame["time"])
    if frame["time_outer"].null_count() < frame.height and not frame["time_outer"].equals(frame["time"]):
        outer = clock.read_times(frame["time_outer"])
        better = (outer["clock"] == clock.UTC) & (inner["clock"] != clock.UTC).fill_null(True)
        inner = pl.DataFrame({name: outer[name].zip_with(better.fill_null(False), inner[name]) for name in inner.columns})
    seconds = frame["uptime"].str.strip_chars().cast(pl.Float64, strict=False)
    boot = (seconds * _SECOND_US).cast(pl.Int64, strict=False).cast(pl.Datetime("us"))
    missing = inner["ts"].is_null() & boot.is_not_null()
    ts = boot.zip_with(missing, inner["ts"])
    clocks = pl.repeat(UPTIME, frame.height, dtype=pl.Int8, eager=True).zip_with(missing, inner["clock"])
    resolution = inner["resolution_us"].fill_null(1)
    return frame.drop("time", "time_outer", "uptime").with_columns(
        ts.alias("ts"),
        (ts + resolution.cast(pl.Duration("us"))).alias("ts_max"),
        pl.when(ts.is_not_null()).then(pl.lit("line")).otherwise(None).alias("ts_from"),
        clocks.alias("ts_clock"),
    )


def _leading(lines: pl.DataFrame) -> pl.DataFrame:
    """Times at the start of any line, wanted by a pattern or not."""
    mine = lines.filter(pl.col("raw").str.contains(clock.STAMP))
    if mine.is_empty():
        return pl.DataFrame(schema=_STAMPS)
    read = clock.read_leading(mine["raw"])
    return (
        mine.select("src", "no")
        .with_columns(read["ts"].alias("stamp"), read["resolution_us"].alias("res"), read["clock"].alias("stamp_clock"))
        .filter(pl.col("stamp").is_not_null())
        .cast(_STAMPS)
    )


def _carry(frame: pl.DataFrame, stamps: pl.DataFrame) -> pl.DataFrame:
    if not frame["ts"].null_count() or stamps.is_empty():
        return frame
    below = stamps.select("src", "no", next="stamp", next_clock="stamp_clock")
    joined = (
        frame.sort("src", "no", maintain_order=True)
        .join_asof(stamps, on="no", by="src", strategy="backward", check_sortedness=False)
        .join_asof(below, on="no", by="src", strategy="forward", check_sortedness=False)
    )
    carried = pl.col("ts").is_null() & pl.col("stamp").is_not_null()
    end = pl.col("stamp") + pl.col("res").cast(pl.Duration("us"))
    same = pl.col("next_clock") == pl.col("stamp_clock")
    latest = pl.when(same & (pl.col("next") > end)).then("next").otherwise(end)
    return joined.with_columns(
        pl.when(carried).then("stamp").otherwise("ts").alias("ts"),
        pl.when(carried).then(latest).otherwise("ts_max").alias("ts_max"),
        pl.when(carried).then(pl.lit("carried")).otherwise("ts_from").alias("ts_from"),
        pl.when(carried).then("stamp_clock").otherwise("ts_clock").alias("ts_clock"),
    ).drop("stamp", "res", "stamp_clock", "next", "next_clock")
