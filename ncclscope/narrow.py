"""Part of a case: a stretch of time, some ranks, some hosts. Imports no heavy library."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# Tables of rows that have a time, a rank and a host, and the columns that say from when to when a row is.
_SPANS = {
    **dict.fromkeys(("events", "collectives", "connections", "steps", "metrics"), ("ts", "ts")),
    "intervals": ("began", "ended"),
}


@dataclass(frozen=True, slots=True)
class Narrow:
    """What is wanted; what is left empty wants everything. Times are UTC."""

    since: datetime | None = None
    until: datetime | None = None
    ranks: tuple[tuple[int, int], ...] = ()
    hosts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.since or self.until or self.ranks or self.hosts)

    def where(self) -> dict[str, str]:
        """For each table that it narrows the condition."""
        out = {name: " AND ".join(self._conditions(*span)) for name, span in _SPANS.items()}
        out["ranks"] = " AND ".join(self._conditions(None, None)) or "true"
        out["hosts"] = self._hosts() or "true"
        out["findings"] = " AND ".join(self._of_findings()) or "true"
        return {name: condition for name, condition in out.items() if condition and condition != "true"}

    def _conditions(self, began: str | None, ended: str | None) -> Iterator[str]:
        if began and self.since:
            yield f"{ended} >= TIMESTAMP '{self.since}'"
        if began and self.until:
            yield f"{began} < TIMESTAMP '{self.until}'"
        if self.ranks:
            yield "(" + " OR ".join(f"rank BETWEEN {first} AND {last}" for first, last in self.ranks) + ")"
        if self.hosts:
            yield self._hosts()

    def _hosts(self) -> str:
        names = ", ".join(_quoted(host) for host in self.hosts)
        return f"(lower(host) IN ({names}))" if names else ""

    def _of_findings(self) -> Iterator[str]:
        if self.since:
            yield f"coalesce(ended, began, TIMESTAMP '{self.since}') >= TIMESTAMP '{self.since}'"
        if self.until:
            yield f"(began IS NULL OR began < TIMESTAMP '{self.until}')"
        if self.ranks:
            inside = " OR ".join(f"r BETWEEN {first} AND {last}" for first, last in self.ranks)
            yield f"len(list_filter(ranks, lambda r: {inside})) > 0"
        if self.hosts:
            yield f"list_has_any(list_transform(hosts, lambda h: lower(h)), [{', '.join(_quoted(host) for host in self.hosts)}])"

    def keeps(self, finding: Mapping[str, Any]) -> bool:
        """Is a finding of a report about this part? One without a time may be."""
        began, ended = _time(finding["began"]), _time(finding["ended"])
        if self.since and (ended or began) and (ended or began or self.since) < self.since:
            return False
        if self.until and began and began >= self.until:
            return False
        culprit = finding["culprit"]
        if self.ranks and not any(first <= rank <= last for rank in culprit["ranks"] for first, last in self.ranks):
            return False
        return not self.hosts or any(host.lower() in self.hosts for host in culprit["hosts"])

    def said(self) -> str:
        """The part, in words."""
        parts = [f"since {self.since}" if self.since else "", f"until {self.until}" if self.until else ""]
        parts.append("ranks " + ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in self.ranks) if self.ranks else "")
        parts.append("hosts " + ", ".join(self.hosts) if self.hosts else "")
        return ", ".join(part for part in parts if part)


def narrowed(report: dict[str, Any], part: Narrow) -> dict[str, Any]:
    """The report with the findings of one part. The verdict stays that of all evidence: what others did may be the cause."""
    if not part:
        return report
    return {**report, "findings": [finding for finding in report["findings"] if part.keeps(finding)], "narrowed": part.said()}


def moment(text: str) -> datetime:
    """2026-11-30, 2026-11-30T03:10 or 2026-11-30T03:10:30, in UTC. Raises ValueError."""
    try:
        return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=None)
    except ValueError:
        raise ValueError(f"{text!r} is not a time such as 2026-11-30 or 2026-11-30T03:10") from None


def ranks(words: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Ranges of words such as 3 and 512-519,530. Raises ValueError."""
    out = []
    for item in ",".join(words).split(","):
        first, _, last = item.partition("-")
        if not first.isdigit() or not (last or first).isdigit():
            raise ValueError(f"{item!r} is not a rank or a range such as 512-519")
        out.append((int(first), int(last or first)))
    return tuple(out)


def _time(text: str | None) -> datetime | None:
    return moment(text) if text else None


def _quoted(text: str) -> str:
    return "'" + text.lower().replace("'", "''") + "'"
