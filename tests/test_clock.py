"""Every way to write a time is read, in bulk and off whole lines; nothing else is, and nothing raises."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncclscope import clock
from ncclscope.dates import LOCAL, UTC, YEARLESS

unhurried = settings(deadline=None)  # the first query starts the threads of polars

SECOND, MILLI, MICRO = 1_000_000, 1000, 1
NOON = datetime(2024, 5, 1, 12)
NOON_1972 = datetime(1972, 5, 1, 12)

Time = tuple[datetime, int, int]

TIMES: dict[str, Time] = {
    "2024-05-01T12:00:00": (NOON, SECOND, LOCAL),
    "2024-05-01 12:00:00": (NOON, SECOND, LOCAL),
    "2024-05-01_12:00:00": (NOON, SECOND, LOCAL),
    "2024-05-01T12:00:00Z": (NOON, SECOND, UTC),
    "2024-05-01T12:00:00+00:00": (NOON, SECOND, UTC),
    "2024-05-01T12:00:00+0000": (NOON, SECOND, UTC),
    "2024-05-01T14:00:00+02": (NOON, SECOND, UTC),
    "2024-05-01T06:30:00-05:30": (NOON, SECOND, UTC),
    "2024-05-01 12:00:00 UTC": (NOON, SECOND, UTC),
    "2024-05-01 12:00:00 GMT": (NOON, SECOND, UTC),
    "2024-05-01 12:00:00.5 +0000 UTC": (NOON.replace(microsecond=500_000), 100_000, UTC),
    "2024-05-01T12:00:00.123456789Z": (NOON.replace(microsecond=123_456), MICRO, UTC),
    "2024-05-01T12:00:00.123456": (NOON.replace(microsecond=123_456), MICRO, LOCAL),
    "2024-05-01T12:00:00,123456+00:00": (NOON.replace(microsecond=123_456), MICRO, UTC),
    "2024-05-01 12:00:00,123": (NOON.replace(microsecond=123_000), MILLI, LOCAL),
    "2024/05/01 12:00:00": (NOON, SECOND, LOCAL),
    "2026/07/03 22:11:09.763": (datetime(2026, 7, 3, 22, 11, 9, 763_000), MILLI, LOCAL),
    "20240501-12:00:00": (NOON, SECOND, LOCAL),
    "20240501 12:00:00.123456": (NOON.replace(microsecond=123_456), MICRO, LOCAL),
    "May  1 12:00:00": (NOON_1972, SECOND, YEARLESS),
    "May 01 12:00:00": (NOON_1972, SECOND, YEARLESS),
    "May 1 12:00:00": (NOON_1972, SECOND, YEARLESS),
    "May 01 12:00:00.123456": (NOON_1972.replace(microsecond=123_456), MICRO, YEARLESS),
    "Wed May  1 12:00:00": (NOON_1972, SECOND, YEARLESS),
    "May  1 12:00:00 2024": (NOON, SECOND, LOCAL),
    "Wed May  1 12:00:00 2024": (NOON, SECOND, LOCAL),
    "Wed May  1 12:00:00.25 2024": (NOON.replace(microsecond=250_000), 10_000, LOCAL),
    "Wed May  1 12:00:00 UTC 2024": (NOON, SECOND, UTC),
    "Wed May  1 12:00:00 CEST 2024": (NOON, SECOND, LOCAL),
    "Wed May  1 20:00:00 +08 2024": (NOON, SECOND, UTC),
    "Wed 2024-05-01 12:00:00 UTC": (NOON, SECOND, UTC),
    "Wed 01 May 2024 12:00:00 PM UTC": (NOON, SECOND, UTC),
    "Wed, 01 May 2024 12:00:00 GMT": (NOON, SECOND, UTC),
    "Jul 23 2024 07:53:55": (datetime(2024, 7, 23, 7, 53, 55), SECOND, LOCAL),
    "May 1 2024 12:00:00": (NOON, SECOND, LOCAL),
    "May 1, 2024 12:00:00": (NOON, SECOND, LOCAL),
    "May 01, 2024 12:00:00": (NOON, SECOND, LOCAL),
    "01/May/2024:12:00:00 +0000": (NOON, SECOND, UTC),
    "05/01/2024 12:00:00": (NOON, SECOND, LOCAL),
    "05/01/2024 12:00:00 AM": (NOON.replace(hour=0), SECOND, LOCAL),
    "05/01/2024 11:00:00 PM": (NOON.replace(hour=23), SECOND, LOCAL),
    "08-12 08:45:18": (datetime(1972, 8, 12, 8, 45, 18), SECOND, YEARLESS),
    "618 13:55:49.384372190": (datetime(1972, 6, 18, 13, 55, 49), SECOND, YEARLESS),
    "E618 13:55:49.384372190": (datetime(1972, 6, 18, 13, 55, 49), SECOND, YEARLESS),
    "101 13:55:49.999999999": (datetime(1972, 1, 1, 13, 55, 49), SECOND, YEARLESS),
    "1206 13:55:49.384372190": (datetime(1972, 12, 6, 13, 55, 49), SECOND, YEARLESS),
    "0618 13:55:49.945000": (datetime(1972, 6, 18, 13, 55, 49, 945_000), MILLI, YEARLESS),
    "W0618 13:55:49.945123": (datetime(1972, 6, 18, 13, 55, 49, 945_123), MICRO, YEARLESS),
    "Feb 29 12:00:00": (datetime(1972, 2, 29, 12), SECOND, YEARLESS),
    "2024-02-29 12:00:00": (datetime(2024, 2, 29, 12), SECOND, LOCAL),
    "2016-12-31 23:59:60": (datetime(2017, 1, 1), SECOND, LOCAL),
    "1714564800.123456": (NOON.replace(microsecond=123_456), MICRO, UTC),
    "1714564800.5": (NOON.replace(microsecond=500_000), 100_000, UTC),
    "1714564800123": (NOON.replace(microsecond=123_000), MILLI, UTC),
    "1714564800123.4567": (NOON.replace(microsecond=123_456), MICRO, UTC),
    "1714564800123456": (NOON.replace(microsecond=123_456), MICRO, UTC),
}
# Read where a whole string is the time, but too often something else at the start of a line.
ALONE: dict[str, Time] = {
    "1714564800": (NOON, SECOND, UTC),
    "2024-05-01 12:00:00 CEST": (NOON, SECOND, LOCAL),
}
NO_TIMES = [
    "",
    " ",
    "hello",
    "12:00:00",
    "2024-05-01",
    "2024-05-01T12:00:00 trailing text",
    "2024-02-30 12:00:00",
    "2023-02-29 12:00:00",
    "2024-13-01 12:00:00",
    "2024-00-01 12:00:00",
    "2024-05-01 24:00:00",
    "2024-05-01 25:00:00",
    "2024-05-01 12:60:00",
    "2024-05-01 12:00:61",
    "Feb 30 12:00:00",
    "May 00 12:00:00",
    "Abc  1 12:00:00",
    "1332 13:55:49.384372190",
    "600 13:55:49.384372190",
    "618 13:55:49",
    "17145648001",
    "9714564800",
    "\uff12024-05-01 12:00:00",
    "3024-05-01 12:00:00",
]
BEFORE = [
    "",
    "[",
    "(",
    '"',
    "  ",
    "<34>",
    "<34>1 ",
    "[rank3]:[",
    "[default0]:",
    "[default12]:[rank12]:",
    "0: ",
    " 17: [",
    'time="',
    "INFO ",
    "WARNING: ",
]
AFTER = ["", "]", " node17 kernel: text", ": text", ";", "é"]
NO_STAMPS = [
    "",
    "node064:4121:4390 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM",
    "[  123.456789] NVRM: Xid",
    "  1073741824     268435456     float     sum      -1    12345",
    "1714564800 bytes",
    "step 12 at 2024-05-01 12:00:00",
    "2024-05-01 12:00:001",
    "2024-05-01T12:00:00Zulu",
    "Mayday  1 12:00:00",
    "12:00:00 text",
    "0x7f12 2024",
    "iteration 2024-05-01",
]


def read(*strings: str | None) -> list[tuple[object, ...]]:
    return clock.read_times(pl.Series(strings, dtype=pl.String)).rows()


@pytest.mark.parametrize(("written", "time"), (TIMES | ALONE).items())
def test_each_shape_is_read(written: str, time: Time) -> None:
    assert read(written) == [time]


@pytest.mark.parametrize("written", NO_TIMES)
def test_what_is_no_time_is_null_in_every_column(written: str) -> None:
    assert read(written) == [(None, None, None)]


def test_a_mixture_keeps_its_order() -> None:
    mixture = [None, *TIMES, *NO_TIMES, *reversed(TIMES), None, *NO_TIMES]
    expected = [TIMES.get(written or "", (None, None, None)) for written in mixture]
    assert read(*mixture) == expected


def test_repeated_strings_each_get_their_row() -> None:
    noon, one = "2024-05-01 12:00:00", "2024-05-01 13:00:00"
    strings = [None, None, noon, noon, one, noon, "x", "x", None, one]
    assert [row[0] for row in read(*strings)] == [read(string)[0][0] for string in strings]


@pytest.mark.parametrize("strings", [[], [None], [None, None], ["x"], ["2024-05-01 12:00:00"]])
@pytest.mark.parametrize("reader", [clock.read_times, clock.read_leading])
def test_the_columns_are_always_the_same(reader: Callable[[pl.Series], pl.DataFrame], strings: list[str | None]) -> None:
    times = reader(pl.Series("any name", strings, dtype=pl.String))
    assert dict(times.schema) == clock.SCHEMA
    assert len(times) == len(strings)


MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2099, 12, 31))


@pytest.mark.parametrize(
    ("written", "resolution_us"),
    [
        ("%Y-%m-%dT%H:%M:%S.%f", MICRO),
        ("%Y-%m-%d %H:%M:%S", SECOND),
        ("%Y/%m/%d %H:%M:%S.%f", MICRO),
        ("%Y%m%d-%H:%M:%S", SECOND),
        ("%a %b %e %H:%M:%S %Y", SECOND),
        ("%b %d %Y %H:%M:%S", SECOND),
        ("%d/%b/%Y:%H:%M:%S", SECOND),
        ("%m/%d/%Y %H:%M:%S", SECOND),
        ("%m/%d/%Y %I:%M:%S %p", SECOND),
    ],
)
@unhurried
@given(moments=st.lists(MOMENTS, min_size=1, max_size=20))
def test_what_strftime_writes_is_read_back(written: str, resolution_us: int, moments: list[datetime]) -> None:
    rows = read(*(moment.strftime(written) for moment in moments))
    kept = [moment if resolution_us == MICRO else moment.replace(microsecond=0) for moment in moments]
    assert rows == [(moment, resolution_us, LOCAL) for moment in kept]


@unhurried
@given(MOMENTS, st.integers(-14 * 60, 14 * 60), st.sampled_from(["%z", "%:z"]))
def test_a_zone_is_taken_off(moment: datetime, minutes: int, form: str) -> None:
    zoned = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    zone = zoned.strftime("%z") if form == "%z" else zoned.isoformat()[-6:]
    ts = moment - timedelta(minutes=minutes)
    assert read(moment.isoformat(timespec="microseconds") + zone) == [(ts, MICRO, UTC)]


@unhurried
@given(MOMENTS, st.integers(1, 9))
def test_the_digits_of_a_fraction_give_its_resolution(moment: datetime, digits: int) -> None:
    nanoseconds = f"{moment:%f}789"[:digits]
    kept = moment.replace(microsecond=int(nanoseconds[:6].ljust(6, "0")))
    assert read(f"{moment:%Y-%m-%d %H:%M:%S}.{nanoseconds}") == [(kept, 10 ** max(6 - digits, 0), LOCAL)]


MUTATED = st.builds(
    lambda time, at, new, keep: (time[:at] + new + time[at + 1 :])[:keep],
    st.sampled_from(list(TIMES)),
    st.integers(0, 30),
    st.one_of(st.sampled_from(list("0123456789 :-/.,+ZTAM")), st.text(max_size=2)),
    st.integers(0, 40),
)


@unhurried
@given(st.lists(st.one_of(MUTATED, st.text(), st.none()), max_size=20))
def test_damaged_times_never_raise(strings: list[str | None]) -> None:
    strings = [None if string is None else string.encode("utf-8", "replace").decode() for string in strings]
    assert len(read(*strings)) == len(strings)
    lines = pl.Series(strings, dtype=pl.String)
    leading = clock.read_leading(lines)
    assert len(leading) == len(strings)
    for string, found, row in zip(strings, lines.str.contains(clock.STAMP).to_list(), leading.rows(), strict=True):
        if string is not None:
            assert found is (re.search(clock.STAMP, string) is not None) or string.endswith("\n")
        assert found or row == (None, None, None)


@pytest.mark.parametrize("before", BEFORE)
def test_a_time_is_taken_off_a_line(before: str) -> None:
    times = {written: time for written, time in TIMES.items() if not (before and written[0].isspace())}
    for after in AFTER:
        lines = pl.Series([f"{before}{written}{after}" for written in times])
        assert clock.read_leading(lines).rows() == list(times.values())
        assert lines.str.contains(clock.STAMP).all()
        assert all(re.match(clock.STAMP, line) for line in lines)


@pytest.mark.parametrize("line", NO_STAMPS)
def test_a_line_without_a_time_at_its_start_has_none(line: str) -> None:
    lines = pl.Series([line])
    assert clock.read_leading(lines).rows() == [(None, None, None)]
    assert not lines.str.contains(clock.STAMP).item()
    assert not re.match(clock.STAMP, line)


def test_words_after_a_time_are_no_zone() -> None:
    lines = pl.Series(["2024-05-01 12:00:00 Zone reclaim", "2024-05-01 12:00:00 INFO text", "May  1 12:00:00 2024node"])
    assert clock.read_leading(lines)["clock"].to_list() == [LOCAL, LOCAL, YEARLESS]


def test_lines_with_and_without_a_time_keep_their_order() -> None:
    lines = pl.Series([None, "no time", "May  1 12:00:00 node17 x", "no time", "2024-05-01 12:00:00 x", "Feb 30 12:00:00 x"])
    assert clock.read_leading(lines)["ts"].to_list() == [None, None, NOON_1972, None, NOON, None]


def test_the_stamp_has_no_groups() -> None:
    assert re.compile(clock.STAMP).groups == 0
