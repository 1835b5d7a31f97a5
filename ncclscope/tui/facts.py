"""What the first screen shows, from the small tables of a case: no query here touches events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ncclscope.case import CaseError
from ncclscope.tui import zone
from ncclscope.tui.desk import Desk
from ncclscope.tui.opening import MARK

Row = dict[str, Any]
# Folders that hold logs and say nothing about the job.
_DULL = ("logs", "log", "output", "out")


@dataclass(frozen=True, slots=True)
class Facts:
    """Verdicts, findings, checks, and how much of the job is here."""

    path: Path
    title: str
    verdicts: tuple[Row, ...]
    findings: tuple[Row, ...]
    checks: Mapping[str, int]
    files: tuple[Row, ...]
    hosts: Mapping[int, str]
    given: frozenset[int]
    world: int
    hosts_all: int
    hosts_given: int
    names: Mapping[int, str] = field(default_factory=dict)
    # The zone that most sources write their times in, as a distance from UTC.
    zone_us: int = 0
    # Percent of the evidence that is read, while that is not all of it.
    reading: str = ""

    def verdict(self, attempt: int | None) -> Row:
        """The verdict of an attempt; for None that of the job."""
        return next(v for v in self.verdicts if v["attempt"] == attempt or (attempt is None and v["headline"]))

    def of(self, attempt: int) -> list[Row]:
        """The findings of an attempt, in order."""
        return [f for f in self.findings if f["attempt"] == attempt]


def read(desk: Desk) -> Facts:
    """The facts of a case. Raises CaseError for one that was not finished."""
    verdicts = desk.ask("facts", "SELECT * FROM verdicts ORDER BY attempt")
    if not verdicts:
        raise CaseError(f"{desk.path} has no verdict, so its scan did not finish; scan the evidence again.")
    ranks = desk.ask("facts", "SELECT rank, min(host) AS host, bool_or(given) AS given, max(world_size) AS world FROM ranks GROUP BY rank")
    hosts = desk.ask("facts", "SELECT count(DISTINCT host) AS n, count(DISTINCT host) FILTER (WHERE given) AS given FROM hosts")[0]
    files = desk.ask("facts", "SELECT * FROM files ORDER BY argument, path, member NULLS FIRST")
    return Facts(
        desk.path,
        title(desk.case.manifest.get("paths", [])),
        tuple(verdicts),
        tuple(desk.ask("facts", "SELECT * FROM findings")),
        {row["status"]: row["n"] for row in desk.ask("facts", "SELECT status, count(*) AS n FROM checks GROUP BY status")},
        tuple(files),
        {row["rank"]: row["host"] or "" for row in ranks},
        frozenset(row["rank"] for row in ranks if row["given"]),
        max((row["world"] or 0 for row in ranks), default=0),
        hosts["n"],
        hosts["given"],
        {row["file_id"]: row["name"] for row in desk.ask("facts", "SELECT file_id, min(name) AS name FROM pieces GROUP BY file_id")},
        desk.ask("facts", "SELECT coalesce(mode(zone_us), 0) AS us FROM pieces")[0]["us"],
        reading(desk.path),
    )


def reading(path: Path) -> str:
    """`the first 41 % of the evidence` where a scan is not over, or ended before it was; "" where all is read."""
    try:
        done, total, *ends = (path / MARK).read_text("utf-8").split()
        share = f"{100 * int(done) // max(int(total), 1)} %"
    except (OSError, ValueError):
        return ""
    return "the beginnings and ends of the files" if ends else f"the first {share} of the evidence"


def title(paths: Sequence[str]) -> str:
    """What to call a case: the last part of its path that says anything."""
    parts = [part for part in Path(paths[0]).parts if part != "/"] if paths else []
    while len(parts) > 1 and parts[-1].lower() in _DULL:
        parts.pop()
    more = f" +{len(paths) - 1}" if len(paths) > 1 else ""
    return (parts[-1] if parts else "case") + more


def us(value: datetime | None) -> int | None:
    """Microseconds since 1970."""
    if value is None:
        return None
    delta = value.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def when(value: datetime | None, until: datetime | None = None) -> str:
    """A time of day in the zone that is shown, with the digits its source is good for; `-` for none."""
    return "-" if value is None else utc(zone.shift(value), until and zone.shift(until))


def utc(value: datetime | None, until: datetime | None = None) -> str:
    """The same in UTC: for what leaves the app."""
    if value is None:
        return "-"
    whole = value.microsecond == 0 if until is None else (until - value).total_seconds() >= 1
    return f"{value:%H:%M:%S}" if whole else f"{value:%H:%M:%S}.{value.microsecond // 1000:03d}"
