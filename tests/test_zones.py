"""Zones of times that state none."""

from datetime import datetime

import pytest

from ncclscope import zones

HOUR = 3_600_000_000
LOCAL, YEARLESS = 1, 2


@pytest.mark.parametrize(
    ("zone", "when", "hours"),
    [
        ("", None, 0),
        ("UTC", None, 0),
        ("Z", None, 0),
        ("+02:00", None, 2),
        ("-0730", None, -7.5),
        ("Europe/Berlin", datetime(2026, 1, 15), 1),
        ("Europe/Berlin", datetime(2026, 7, 15), 2),
        ("America/New_York", datetime(2026, 11, 30), -5),
        ("Asia/Kolkata", datetime(2026, 11, 30), 5.5),
    ],
)
def test_a_zone_is_an_offset_at_a_time(zone: str, when: datetime | None, hours: float) -> None:
    assert zones.offset_us(zone, when) == hours * HOUR


@pytest.mark.parametrize("zone", ["Mars/Crater", "+2", "02:00", "../etc/passwd", "/etc/passwd", "Europe", "\0"])
def test_what_is_no_zone_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match=r"\+02:00"):
        zones.offset_us(zone)


def test_the_latest_time_without_zone_decides() -> None:
    mtime_ns = 1_794_000_000 * 10**9  # 2026-11-06
    pieces = [
        (mtime_ns, [[0, "", "2026-12-24T00:00:00", "", ""]]),
        (mtime_ns, [[LOCAL, "", "2026-07-01T10:00:00", "", ""]]),
        (mtime_ns, [[YEARLESS, "", "1972-02-29T10:00:00", "", ""]]),
    ]
    assert zones.latest_local(pieces, LOCAL, YEARLESS) == datetime(2026, 7, 1, 10)
    assert zones.latest_local(pieces[2:], LOCAL, YEARLESS) == datetime(2026, 2, 28, 10)
    assert zones.latest_local(pieces[:1], LOCAL, YEARLESS) is None
