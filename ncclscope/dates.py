"""Which clock a time is of, and the years that it does not state."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

UTC: Final = 0  # the text gives a zone, or counts from the epoch
LOCAL: Final = 1  # a date, but no zone
YEARLESS: Final = 2  # no year either
PLACEHOLDER_YEAR: Final = 1972  # a leap year, so that 29 February survives until the year is known
UPTIME: Final = 3  # seconds since boot, counted from 1970 until the case knows when the host booted


def years(stamps: Sequence[datetime], anchor: datetime) -> list[int]:
    """The year of each yearless time of one source, in its order, when the source ended about `anchor`.

    Never later than a day after `anchor`. Walking backwards, a time later than the one below belongs to the year
    before, unless by 31 days at most: that is disorder, such as two processes that write around New Year.
    """
    limit = anchor + timedelta(days=1)
    # No log spans decades. Without this, months in random order would walk back to the year 1 and fail there.
    oldest = anchor - timedelta(days=20 * 365)
    found = []
    for stamp in reversed(stamps):
        dated = _latest(stamp, limit)
        found.append(dated.year)
        limit = max(oldest, min(limit, dated + timedelta(days=31)))
    return found[::-1]


def _latest(stamp: datetime, limit: datetime) -> datetime:
    """The stamp in the last year that leaves it at or before `limit`; 29 February only in leap years."""
    for year in range(limit.year, limit.year - 9, -1):  # 1896 and 1904 are eight years apart
        try:
            dated = stamp.replace(year=year)
        except ValueError:
            continue
        if dated <= limit:
            return dated
    return stamp
