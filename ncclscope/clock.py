"""Times as logs write them: recognised by shape, read in bulk, with what each can resolve and what it leaves out."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, Final

import polars as pl

from ncclscope.dates import LOCAL, PLACEHOLDER_YEAR, UTC, YEARLESS

SCHEMA: Final = {"ts": pl.Datetime("us"), "resolution_us": pl.Int64(), "clock": pl.Int8()}

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SECOND_US: Final = 1_000_000
_DAY_US: Final = 86_400 * _SECOND_US
_RESOLUTION_US: Final = {digits: 10 ** (6 - digits) for digits in range(7)}
_EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()

# The pieces of a shape with their widths. Any other piece is one character, or a class that matches one.
_PIECES: Final = {
    "weekday": ("(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", 3),
    "year": ("(?:19|20)[0-9]{2}", 4),
    "name": (f"(?:{'|'.join(_MONTHS)})", 3),
    "month": ("[01][0-9]", 2),
    "short_month": ("[1-9]", 1),
    "day": ("[0-3][0-9]", 2),
    "blank_day": ("[ 0-3][0-9]", 2),
    "short_day": ("[1-9]", 1),
    "time": ("[0-2][0-9]:[0-5][0-9]:[0-6][0-9]", 8),
}
# After a comma only whole groups of three: `12:00:00,5` is the next cell of a CSV file more often than half a second.
_FRACTION: Final = r"(?:\.[0-9]{1,9}|,(?:[0-9]{3}){1,3})?"
_HALF: Final = "(?: [AP]M)?"  # `date` in the en_US locale: Wed 01 May 2024 12:00:00 PM UTC
_ZONE: Final = "(?: ?(?:Z|UTC|GMT|[+-][0-2][0-9]:?[0-5][0-9])|[+-][0-2][0-9])?"
# Names such as CEST mean different things in different places: accepted where a whole string is a time, then local.
_NAMED_ZONE: Final = "(?: [A-Z]{2,5})?"
_GLOG_FRACTION: Final = r"\.[0-9]{6}(?:[0-9]{3})?"


@dataclass(frozen=True)
class _Shape:
    """One way to write a time: `start` finds it in a line, `whole` is all of it, `at` says where its parts stand."""

    start: str
    whole: str
    at: dict[str, tuple[int, int]] = field(hash=False)
    glog: bool = False


def _shape(*pieces: str, tail: str = _FRACTION + _HALF + _ZONE, more: str = "", glog: bool = False) -> _Shape:
    at = {}
    pattern = ""
    offset = 0
    for piece in pieces:
        regex, width = _PIECES.get(piece, (piece, 1))
        at[piece.removeprefix("short_").removeprefix("blank_")] = (offset, width)
        pattern += regex
        offset += width
    return _Shape(pattern + tail, f"^{pattern}{tail}{more}$", at, glog)


def _dated(*pieces: str) -> _Shape:
    return _shape(*pieces, more=_NAMED_ZONE)


def _yearless(*pieces: str) -> _Shape:
    return _shape(*pieces, tail=_FRACTION)


def _glog(*pieces: str) -> _Shape:
    return _shape(*pieces, tail=_GLOG_FRACTION, glog=True)


def _year_last(*pieces: str) -> _Shape:
    zone = "(?: (?:[A-Z]{2,5}|[+-][0-9]{2,4}))?"
    shape = _shape(*pieces, tail=f"{_FRACTION}{_HALF}{zone} {_PIECES['year'][0]}")
    return _Shape(shape.start, shape.whole, shape.at | {"year": (-4, 4)})


# At the start of a line a bare number is as often a size or an id: only from 2014 to 2033, and seconds need a fraction.
_EPOCH: Final = _Shape(
    start=r"1[4-9](?:[0-9]{8}\.[0-9]{1,9}|[0-9]{11}(?:[0-9]{3})?(?:\.[0-9]{1,9})?)",
    whole=r"^[12](?:[0-9]{9}|[0-9]{12}|[0-9]{15})(?:\.[0-9]{1,9})?$",
    at={},
)
# A shape stands before those that are its beginning.
_SHAPES: Final = (
    _dated("year", "[-/]", "month", "[-/]", "day", "[T _-]", "time"),  # 2024-05-01T12:00:00.123456+00:00
    _dated("year", "month", "day", "[T _-]", "time"),  # 20240501-12:00:00
    _year_last("name", " ", "blank_day", " ", "time"),  # May  1 12:00:00 2024
    _year_last("weekday", " ", "name", " ", "blank_day", " ", "time"),  # Wed May  1 12:00:00 UTC 2024
    _yearless("name", " ", "blank_day", " ", "time"),  # May  1 12:00:00.123456
    _yearless("name", " ", "short_day", " ", "time"),  # May 1 12:00:00
    _yearless("weekday", " ", "name", " ", "blank_day", " ", "time"),  # Wed May  1 12:00:00
    _dated("weekday", " ", "year", "-", "month", "-", "day", " ", "time"),  # Wed 2024-05-01 12:00:00 UTC
    _dated("name", " ", "blank_day", " ", "year", " ", "time"),  # Jul 23 2024 07:53:55
    _dated("name", " ", "short_day", " ", "year", " ", "time"),  # May 1 2024 12:00:00
    _dated("name", " ", "blank_day", ",", " ", "year", " ", "time"),  # May 12, 2024 12:00:00
    _dated("name", " ", "short_day", ",", " ", "year", " ", "time"),  # May 1, 2024 12:00:00
    _dated("day", "[-/ ]", "name", "[-/ ]", "year", "[: ]", "time"),  # 01/May/2024:12:00:00 +0000
    _dated("weekday", " ", "blank_day", " ", "name", " ", "year", " ", "time"),  # Wed 01 May 2024 12:00:00 PM UTC
    _dated("weekday", ",", " ", "day", " ", "name", " ", "year", " ", "time"),  # Wed, 01 May 2024 12:00:00 GMT
    _dated("month", "/", "day", "/", "year", "[ -]", "time"),  # 05/01/2024 12:00:00
    _yearless("month", "-", "day", " ", "time"),  # 08-12 08:45:18
    # c10 prints month * 100 + day, so June is 618 and December 1206; Python's copy of the format pads: 0618.
    _glog("short_month", "day", " ", "time"),
    _glog("month", "day", " ", "time"),
    _glog("[A-Z]", "short_month", "day", " ", "time"),  # E618 13:55:49.384372190
    _glog("[A-Z]", "month", "day", " ", "time"),  # W0618 13:55:49.945000
    _EPOCH,
)

# What may stand before a time: `<34>1 `, `[rank3]:`, `[default0]:`, the ` 7: ` of srun --label, `time="`, `INFO `, `[`.
_BEFORE: Final = (
    r"^(?:<[0-9]{1,3}>(?:1 )?)?"
    r"(?: {0,5}[0-9]{1,6}: |\[[a-z]{1,10}[0-9]{1,6}\]: ?){0,2}"
    r"(?:time=|(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)[: ]{1,4})?"
    r"[\[(\"' \t]{0,12}"
)
_ANY: Final = f"(?:{'|'.join(shape.start for shape in _SHAPES)})"
_AFTER: Final = "[^0-9A-Za-z]"
_HEAD_CHARACTERS: Final = 96  # more than the longest wrapper and time together

STAMP: Final = f"{_BEFORE}{_ANY}(?:{_AFTER}|$)"
"""Matches a line that begins with a time, in Python's re and in Rust's regex alike; it has no groups."""


def read_times(strings: pl.Series) -> pl.DataFrame:
    """`ts`, `resolution_us` and `clock` (UTC, LOCAL or YEARLESS) of each string, in order; null where it is no time.

    `ts` is UTC only where `clock` says so, and has the year 1972 where the text gives none.
    """
    text = strings.cast(pl.String).rename("text")
    # Neighbours in a log mostly share their second: reading each run once costs less than looking for distinct values.
    changed = (text != text.shift()).fill_null(True)
    runs = text.filter(changed)
    times = _read_runs(runs)
    if len(runs) == len(text):
        return times
    return times.select(pl.all().gather(changed.cast(pl.UInt32).cum_sum() - 1))


def read_leading(lines: pl.Series) -> pl.DataFrame:
    """Like `read_times`, for the time at the start of each whole line; null where a line does not begin with one."""
    head = lines.cast(pl.String).str.slice(0, _HEAD_CHARACTERS)
    stamped = head.str.contains(STAMP).fill_null(False)
    # Two replacements and a cut take half the time of one pattern with a group. The blank is there to be cut, as the
    # character after the time, where a line is nothing else.
    begun = (head.filter(stamped) + " ").str.replace(_BEFORE, "").rename("begun")
    after = begun.str.replace(f"^{_ANY}{_AFTER}", "").rename("after")
    cut = pl.DataFrame([begun, after]).select(pl.col("begun").str.strip_suffix(pl.col("after")).str.head(-1))
    times = read_times(cut.to_series())
    if stamped.all():
        return times
    return times.select(pl.all().gather(pl.select(pl.when(stamped).then(stamped.cum_sum() - 1)).to_series()))


def _read_runs(text: pl.Series) -> pl.DataFrame:
    """Reads shape by shape, those first which strings from the beginning and the middle have."""
    left = text.to_frame().with_row_index("row").drop_nulls("text")
    sample = pl.concat([left["text"].head(20), left["text"].slice(len(left) // 2, 20)]).to_list()
    pieces = [pl.DataFrame(schema={"row": pl.get_index_type(), **SCHEMA})]
    for shape in sorted(_SHAPES, key=lambda shape: -sum(1 for text in sample if _whole(shape).search(text))):
        hit = left["text"].str.contains(shape.whole)
        if hit.any():
            rows = left.filter(hit)
            left = left.filter(~hit)
            times = _read_shape(rows["text"], shape) if shape.at else _read_epoch(rows["text"])
            pieces.append(times.select(rows["row"], *SCHEMA))
        if left.is_empty():
            break
    read = pl.concat(pieces)
    if len(pieces) == 2 and len(read) == len(text):
        return read.drop("row")
    return text.to_frame().with_row_index("row").join(read, on="row", how="left", maintain_order="left").select(*SCHEMA)


@lru_cache(maxsize=len(_SHAPES))
def _whole(shape: _Shape) -> re.Pattern[str]:
    return re.compile(shape.whole)


def _read_shape(text: pl.Series, shape: _Shape) -> pl.DataFrame:
    start = shape.at["time"][0]
    hour, minute, second = (pl.col("text").str.slice(start + i, 2).cast(pl.Int64) for i in (0, 3, 6))
    rest = pl.col("text").str.slice(start + 8)
    parts = text.to_frame("text").select(
        day=_day(shape),
        # A leap second is written 60 and lands on the next minute; 25:00 and :61 are no times.
        time_us=pl.when(hour < 24, second <= 60).then(((hour * 60 + minute) * 60 + second) * _SECOND_US),
        rest=rest.str.head(-5) if shape.at.get("year", (0, 0))[0] < 0 else rest,
    )
    parts = pl.concat([parts, _read_fraction(parts["rest"], shape.glog)], how="horizontal")
    half_us, zone_us = _by_value(parts["after"], _half_us), _by_value(parts["after"], _zone_us)
    parts = parts.with_columns(half_us=half_us, zone_us=zone_us, date_us=_by_value(parts["day"], _date_us))
    half = pl.col("half_us")
    time = pl.when(half.is_null()).then("time_us").otherwise(pl.col("time_us") % (_DAY_US // 2) + half)
    zone = pl.col("zone_us")
    unzoned = LOCAL if "year" in shape.at else YEARLESS
    times = parts.select(
        "resolution_us",
        ts=pl.col("date_us") + time + pl.col("fraction_us") - zone.fill_null(0),
        clock=pl.when(zone.is_null()).then(unzoned).otherwise(UTC),
    )
    return _complete(times)


def _day(shape: _Shape) -> pl.Expr:
    """The date as one number such as 20240501."""
    part = {name: pl.col("text").str.slice(*where) for name, where in shape.at.items()}
    if "name" in part:
        numbers = {name: number for number, name in enumerate(_MONTHS, 1)}
        month = part["name"].replace_strict(numbers, return_dtype=pl.Int32)
    else:
        month = part["month"].cast(pl.Int32)
    year = part["year"].cast(pl.Int32) if "year" in part else pl.lit(PLACEHOLDER_YEAR, pl.Int32)
    return year * 10_000 + month * 100 + part["day"].str.strip_chars_start(" ").cast(pl.Int32)


def _read_fraction(rest: pl.Series, glog: bool) -> pl.DataFrame:
    """What follows the seconds: `fraction_us`, `resolution_us`, and `after`, the zone as written."""
    if rest.str.len_bytes().max() == 0:
        none = pl.lit(0, pl.Int64)
        return rest.to_frame().select(after="rest", fraction_us=none, resolution_us=none + _SECOND_US)
    after = rest.str.strip_chars_start(".,0123456789").rename("after")
    digits = (rest.str.len_bytes().cast(pl.Int64) - after.str.len_bytes() - 1).clip(0).rename("digits")
    fraction = pl.col("rest").str.slice(1, pl.min_horizontal("digits", 6)).str.pad_end(6, "0").cast(pl.Int64)
    resolution = pl.col("digits").replace_strict(_RESOLUTION_US, default=1, return_dtype=pl.Int64)
    if glog:
        # c10's nine digits come from another clock than its seconds; Python's six are milliseconds and three zeros.
        foreign = pl.col("digits") == 9
        resolution = pl.when(foreign).then(_SECOND_US).when(fraction % 1000 == 0).then(1000).otherwise(1)
        fraction = pl.when(foreign).then(0).otherwise(fraction)
    return pl.DataFrame([rest, after, digits]).select("after", fraction_us=fraction, resolution_us=resolution)


def _read_epoch(text: pl.Series) -> pl.DataFrame:
    """Seconds, milliseconds or microseconds since 1970, told apart by their number of digits."""
    whole = pl.col("text").str.extract("^([0-9]+)", 1)
    unit_us = whole.str.len_bytes().replace_strict({10: _SECOND_US, 13: 1000, 16: 1}, return_dtype=pl.Int64)
    decimals = pl.col("text").str.extract(r"\.([0-9]+)$", 1).fill_null("")
    fraction_us = decimals.str.slice(0, 6).str.pad_end(6, "0").cast(pl.Int64) * unit_us // _SECOND_US
    step = decimals.str.len_bytes().replace_strict(_RESOLUTION_US, default=1, return_dtype=pl.Int64)
    times = text.to_frame("text").select(
        ts=whole.cast(pl.Int64) * unit_us + fraction_us,
        resolution_us=pl.max_horizontal(step * unit_us // _SECOND_US, 1),
        clock=pl.lit(UTC),
    )
    return _complete(times)


def _complete(times: pl.DataFrame) -> pl.DataFrame:
    """The columns of SCHEMA, all null where `ts` is."""
    known = pl.col("ts").is_not_null()
    return times.select(pl.when(known).then(name).cast(dtype).alias(name) for name, dtype in SCHEMA.items())


def _by_value(values: pl.Series, convert: Callable[[Any], int | None]) -> pl.Series:
    """Each value converted, calling `convert` once for each distinct one: a file has few dates and fewer zones."""
    distinct = values.unique()
    converted = pl.Series([convert(value) for value in distinct.to_list()], dtype=pl.Int64)
    if len(distinct) == 1:
        return converted.new_from_index(0, len(values))
    return values.replace_strict(distinct, converted, return_dtype=pl.Int64)


def _date_us(day: int) -> int | None:
    """From 1970 to the midnight that begins a day such as 20240501; None for a 30th of February."""
    try:
        return (date(day // 10_000, day // 100 % 100, day % 100).toordinal() - _EPOCH_ORDINAL) * _DAY_US
    except ValueError:
        return None


def _half_us(after: str) -> int | None:
    """What ` PM` or ` AM` adds to a time on a dial of twelve hours; None on one of 24."""
    return {" AM": 0, " PM": _DAY_US // 2}.get(after[:3])


def _zone_us(after: str) -> int | None:
    """How far the clock is ahead of UTC; None for no zone, and for names that mean several."""
    zone = after.removeprefix(" AM").removeprefix(" PM").strip()
    if match := re.match("([+-])([0-9]{2}):?([0-9]{2})?", zone):
        offset_us = (int(match[2]) * 60 + int(match[3] or 0)) * 60 * _SECOND_US
        return -offset_us if match[1] == "-" else offset_us
    return 0 if zone in ("Z", "UTC", "GMT") else None
