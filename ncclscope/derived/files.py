"""The table `files`: every source, good or bad."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from ncclscope import dates
from ncclscope.case import Case
from ncclscope.derived.source import Source


def write(case: Case, found: Sequence[Source]) -> None:
    """One row for each source, once all is settled."""
    rows = []
    for source in found:
        zone, skew = timedelta(microseconds=source.zone_us), timedelta(microseconds=source.skew_us)
        pieces = source.pieces
        lines, matched, damaged = (sum(piece[key] for piece in pieces) for key in ("lines", "matched", "damaged"))
        matched = min(matched, lines)
        damaged = min(damaged, lines - matched)
        status, error = _status(pieces, lines, matched)
        began, ended = (None if at is None else at - skew for at in _span(source, zone))
        rows.append(
            [
                *(source.file_id, source.argument, source.path, source.member, source.location),
                *(_digest(pieces), sum(piece["size_bytes"] for piece in pieces)),
                *(lines, matched, lines - matched - damaged, damaged),
                *(began, ended, source.host, source.host_from, source.hints.host, source.rank, status, error),
            ]
        )
    case.write("files", rows)


def _digest(pieces: Sequence[Mapping[str, Any]]) -> str:
    return pieces[0]["digest"] if len(pieces) == 1 else "+".join(piece["digest"][:16] for piece in pieces)


def _status(pieces: Sequence[Mapping[str, Any]], lines: int, matched: int) -> tuple[str, str | None]:
    for status in ("failed", "partial", "skipped"):
        for piece in pieces:
            if piece["status"] == status:
                return status, piece["error"]
    error = next((piece["error"] for piece in pieces if piece["error"]), None)
    if lines and not matched:
        return "unrecognised", error or "No line of it was recognised."
    return "ok", error


def _span(source: Source, zone: timedelta) -> tuple[datetime | None, datetime | None]:
    found: list[datetime] = []
    for kind, (low, high, first, last) in source.times.items():
        if kind == dates.UTC:
            found += [low, high]
        elif kind == dates.LOCAL:
            found += [low - zone, high - zone]
        elif kind == dates.YEARLESS and source.year is not None:
            found += [_dated(first, source.year) - zone, _dated(last, source.year + source.wraps) - zone]
        elif kind == dates.UPTIME and source.boot is not None:
            found += [source.boot + (value - datetime(1970, 1, 1)) for value in (low, high)]
    return min(found, default=None), max(found, default=None)


def _dated(stamp: datetime, year: int) -> datetime:
    try:
        return stamp.replace(year=year)
    except ValueError:
        return stamp.replace(year=year, day=28)
