"""What times of lines do not say: the year, the zone, when the host booted."""

import statistics
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from ncclscope import dates, loads
from ncclscope.case import Case
from ncclscope.derived import pieces
from ncclscope.derived.source import Source

_EPOCH = datetime(1970, 1, 1)
_DAY_US = 86_400_000_000


def years(found: Sequence[Source]) -> None:
    """A missing year comes from the nearest dated source, else from when the file was last written."""
    dated = [t for source in found for kind, known in source.times.items() if kind in (dates.UTC, dates.LOCAL) for t in known]
    anchor = max(dated, default=None)
    for source in found:
        known = source.times.get(dates.YEARLESS)
        if known is None:
            continue
        _, _, first, last = known
        written = datetime.fromtimestamp(source.mtime_ns / 1e9)
        year = _nearest_year(last, anchor) if anchor else dates.years([last], written)[0]
        source.wraps = first.month > 6 > last.month
        source.year = year - source.wraps


def _nearest_year(stamp: datetime, anchor: datetime) -> int:
    def distance(year: int) -> float:
        day = 28 if (stamp.month, stamp.day) == (2, 29) else stamp.day
        return abs((stamp.replace(year=year, day=day) - anchor).total_seconds())

    return min((anchor.year - 1, anchor.year, anchor.year + 1), key=distance)


def zones(case: Case, found: Sequence[Source]) -> None:
    """Zones of times without one: as the person says, else from lines that print UTC inside a local envelope.

    Other sources of a host are in the zone of those, and where all such lines of a case agree, sources of other hosts too. What is left
    follows from when the job loaded each host.
    """
    said = case.manifest.get("zone_us", 0)
    rows = case.found(
        """SELECT file_id, CAST(round(median(epoch_us(ts) - epoch_us(TRY_CAST(utc AS TIMESTAMPTZ))) / 9e8) AS BIGINT) * 900000000 AS zone_us
        FROM host_clock_anchor WHERE ts IS NOT NULL AND TRY_CAST(utc AS TIMESTAMPTZ) IS NOT NULL GROUP BY file_id"""
    )
    inferred = {file_id: zone for file_id, zone in rows if zone is not None and abs(zone) <= _DAY_US}
    common = next(iter(inferred.values())) if len(set(inferred.values())) == 1 else 0
    own = set(loads.lines(case))
    # Containers keep UTC whatever their host does.
    inside = 0 if case.sql("SELECT 1 FROM events_raw WHERE kind LIKE 'k8s.%' LIMIT 1") else common
    hosts = {source.host: inferred[source.file_id] for source in found if source.host and source.file_id in inferred}
    for source in found:
        usual = inside if source.file_id in own else hosts.get(source.host or "", common)
        source.zone_us = said or inferred.get(source.file_id, usual)
    if not said:
        pieces.write(case, found)
        shifts = loads.shifts(case, {source.file_id: source.host for source in found}, hosts, own)
        for source in found:
            source.zone_us += shifts.get(source.file_id, 0)


def boots(case: Case, found: Sequence[Source]) -> None:
    """Seconds since boot become times where another source of the host prints both."""
    waiting = [source for source in found if dates.UPTIME in source.times]
    if not waiting:
        return
    pairs = case.sql(
        """SELECT host, ts, TRY_CAST(fields['uptime'] AS DOUBLE) AS up FROM events
        WHERE fields['uptime'] IS NOT NULL AND ts IS NOT NULL AND ts_from = 'line' AND file_id NOT IN
        (SELECT file_id FROM events_raw WHERE ts_clock = 3)"""
    )
    boots: dict[str, list[float]] = defaultdict(list)
    for host, ts, up in pairs:
        if host and up is not None:
            boots[host].append((ts - timedelta(seconds=up) - _EPOCH).total_seconds())
    for source in waiting:
        known = boots.get(source.host or "")
        if known:
            source.boot = _EPOCH + timedelta(seconds=statistics.median(known))
