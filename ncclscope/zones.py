"""The zone of times that state none: a fixed offset such as `+02:00`, or a place such as `Europe/Berlin`."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)$")


def offset_us(zone: str, when: datetime | None = None) -> int:
    """Microseconds by which clocks in the zone are ahead of UTC at a local time, now if None. Raises ValueError.

    A place has summer and winter time: one offset serves a whole case, that of its latest time without zone.
    """
    if zone in ("", "UTC", "Z"):
        return 0
    fixed = _OFFSET.match(zone)
    if fixed:
        sign, hours, minutes = fixed.groups()
        return int(f"{sign}1") * (int(hours) * 60 + int(minutes)) * 60_000_000
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{zone!r} is no time zone: write an offset such as +02:00 or a place such as Europe/Berlin") from None
    local = (when or datetime.now(UTC)).replace(tzinfo=place)
    return (local.utcoffset() or timedelta()) // timedelta(microseconds=1)


def latest_local(pieces: Iterable[tuple[int, list[list[object]]]], local: int, yearless: int) -> datetime | None:
    """The latest time without zone: of each piece its (mtime_ns, times), and the numbers of the two clocks without zone."""
    found: list[datetime] = []
    for mtime_ns, times in pieces:
        for clock, _, high, *_ in times:
            if clock == local:
                found.append(datetime.fromisoformat(str(high)))
            elif clock == yearless:
                stamp = datetime.fromisoformat(str(high))
                written = datetime.fromtimestamp(mtime_ns / 1e9, UTC)
                found.append(stamp.replace(year=written.year, day=min(stamp.day, 28)))
    return max(found, default=None)
