"""Findings as values: what a rule returned, with its identity, order and folding under the cause that explains it."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from ncclscope import vocabulary
from ncclscope.packs import Rule

MAX_EVIDENCE = 20
# A wait may begin a little before the fault that it waits for shows in a log: a step, a poll, a second of resolution.
TOLERANCE = timedelta(seconds=60)

Key = tuple[int, int, int]
Name = tuple[str, object]


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of the table `findings`; `evidence` holds (file_id, line, part)."""

    finding_id: str
    attempt: int
    rule: str
    kind: str
    severity: str
    role: str
    confidence: str
    title: str
    summary: str
    advice: str
    hosts: tuple[str, ...]
    ranks: tuple[int, ...]
    gpus: tuple[str, ...]
    devices: tuple[str, ...]
    comm: str | None
    either: bool
    began: datetime | None
    ended: datetime | None
    explained_by: str | None
    evidence: tuple[Key, ...]
    evidence_total: int
    # The latest that it can have begun; None where nobody knows.
    begun_by: datetime | None

    @property
    def subject(self) -> tuple[Any, ...]:
        """Whom it is about."""
        return self.hosts, self.ranks, self.gpus, self.devices, self.comm or ""

    @property
    def names_somebody(self) -> bool:
        """Is any place named?"""
        return bool(self.hosts or self.ranks or self.gpus or self.devices)

    @property
    def names(self) -> frozenset[Name]:
        """Every place and the communicator, each with its level."""
        levels = {"host": self.hosts, "rank": self.ranks, "gpu": self.gpus, "device": self.devices, "comm": (self.comm,)}
        return frozenset((level, name) for level, several in levels.items() for name in several if name is not None)


def from_row(rule: Rule, row: dict[str, Any]) -> Finding:
    """A finding from one row of a rule's result. Raises ValueError where the row breaks the contract."""
    evidence = sorted({(e["file_id"], e["line"], e["part"]) for e in row.get("evidence") or () if e})
    if not evidence:
        raise ValueError("a finding without evidence")
    if not row.get("summary"):
        raise ValueError("a finding without summary")
    hosts, gpus, devices = (_texts(row.get(name)) for name in ("hosts", "gpus", "devices"))
    ranks = tuple(sorted({int(rank) for rank in row.get("ranks") or () if rank is not None}))
    confidence = row.get("confidence") or rule.confidence
    role = row.get("role") or rule.role
    severity = row.get("severity") or rule.severity
    vocabulary.check(rule.kind, severity, role, confidence)
    identity = f"{rule.id} {hosts} {ranks} {gpus} {devices} {evidence[0]}"
    return Finding(
        finding_id=hashlib.sha256(identity.encode()).hexdigest()[:12],
        attempt=row.get("attempt") or 0,
        rule=rule.id,
        kind=rule.kind,
        severity=severity,
        role=role,
        confidence=confidence,
        title=rule.title,
        summary=row["summary"],
        advice=row.get("advice") or rule.advice,
        hosts=hosts,
        ranks=ranks,
        gpus=gpus,
        devices=devices,
        comm=row.get("comm"),
        either=bool(row.get("either")),
        began=row.get("began"),
        ended=row.get("ended"),
        explained_by=None,
        evidence=tuple(evidence),
        evidence_total=len(evidence),
        begun_by=row.get("began"),
    )


@dataclass(frozen=True, slots=True)
class Moment:
    """When a line was written: between two times, which are one where the line states it."""

    earliest: datetime
    latest: datetime | None


def earliest(finding: Finding, moments: Mapping[Key, Moment]) -> Finding:
    """The finding with at most 20 of its lines, the earliest; those without a time come last, in their order."""
    if len(finding.evidence) <= MAX_EVIDENCE:
        return finding
    times = {key: moments[key].earliest for key in finding.evidence if key in moments}
    kept = sorted(finding.evidence, key=lambda key: (times.get(key, datetime.max), key))[:MAX_EVIDENCE]
    return replace(finding, evidence=tuple(sorted(kept)))


def bounded(finding: Finding, moments: Mapping[Key, Moment]) -> Finding:
    """The finding with the time by which it had begun: its own, unless that is only the last time stated above one of its lines."""
    mine = [moments[key] for key in finding.evidence if key in moments]
    if not any(one.earliest == finding.began != one.latest for one in mine):
        return finding
    return replace(finding, begun_by=min((one.latest for one in mine if one.latest), default=None))


def _texts(values: Iterable[Any] | None) -> tuple[str, ...]:
    return tuple(sorted({str(value) for value in values or () if value not in (None, "")}))


def order(finding: Finding) -> tuple[Any, ...]:
    """Sort key: causes first, then by severity, time, rule and subject."""
    return (
        vocabulary.ROLES.index(finding.role),
        vocabulary.SEVERITIES.index(finding.severity),
        finding.began or datetime.max,
        finding.rule,
        finding.subject,
        finding.finding_id,
    )


def strength(finding: Finding) -> tuple[Any, ...]:
    """Sort key among causes: the surest, gravest and earliest first."""
    return (
        finding.either,
        vocabulary.CONFIDENCES.index(finding.confidence),
        vocabulary.SEVERITIES.index(finding.severity),
        finding.began or datetime.max,
        not finding.names_somebody,
        finding.rule,
        finding.subject,
        finding.finding_id,
    )


def only_where_wanted(found: Sequence[Finding], rules: dict[str, Rule]) -> list[Finding]:
    """Without findings that say less than another one of the same attempt: `unless` of a rule names the kinds of such."""
    # A flood of findings is of few rules: who says more is asked once for each rule, not for each pair of findings.
    loud = {(f.attempt, f.rule, f.kind) for f in found if f.severity != "info"}
    one_of_each = {(f.attempt, f.rule): f for f in found}
    quiet = {key for key, f in one_of_each.items() if any(_says_more(*other, f, rules[f.rule].unless) for other in loud)}
    return [f for f in found if (f.attempt, f.rule) not in quiet]


def _says_more(attempt: int, rule: str, kind: str, finding: Finding, unless: tuple[str, ...]) -> bool:
    return attempt == finding.attempt and rule != finding.rule and vocabulary.covers(unless, kind)


def fold(found: Sequence[Finding], rules: dict[str, Rule]) -> list[Finding]:
    """Each finding that a cause explains points to it; the rest stand for themselves.

    Of two causes that explain each other's kind the stronger one stands. A chain points to its first cause.
    """
    causes = sorted((f for f in found if f.role == "cause"), key=strength)
    place = {cause.finding_id: position for position, cause in enumerate(causes)}
    explained: dict[str, str] = {}
    reach = _Reach(found)
    for cause in causes:
        for other in reach.of(cause, rules[cause.rule]):
            if other.finding_id in explained or other is cause or not _explains(cause, other, rules[cause.rule]):
                continue
            weaker = place.get(other.finding_id, len(causes)) > place[cause.finding_id]
            if weaker or other.role != "cause" or not _explains(other, cause, rules[other.rule]):
                explained[other.finding_id] = cause.finding_id
    named = {f.finding_id: f for f in found}
    return sorted((_folded(f, named.get(_first(f.finding_id, explained) or "")) for f in found), key=order)


class _Reach:
    """Findings by what decides whether a cause can explain them, so that a flood is not compared pair by pair."""

    def __init__(self, found: Sequence[Finding]) -> None:
        self.anywhere: dict[tuple[int, str], list[Finding]] = defaultdict(list)
        self.beside: dict[tuple[int, str], dict[Name, list[Finding]]] = defaultdict(lambda: defaultdict(list))
        for one in found:
            if _is_suffered(one) or not one.names_somebody:
                self.anywhere[one.attempt, one.kind].append(one)
            else:
                for name in one.names:
                    self.beside[one.attempt, one.kind][name].append(one)

    def of(self, cause: Finding, rule: Rule) -> Iterator[Finding]:
        """The findings that a cause can explain by attempt, kind and place, some of them more than once."""
        for where, several in self.anywhere.items():
            if where[0] == cause.attempt and vocabulary.covers(rule.explains, where[1]):
                yield from several
        for where, by_name in self.beside.items():
            if where[0] == cause.attempt and vocabulary.covers(rule.explains, where[1]):
                for name in cause.names if cause.names_somebody else by_name:
                    yield from by_name.get(name, ())


def _folded(finding: Finding, cause: Finding | None) -> Finding:
    """What the orderly end of a job does to its processes asks for nobody's attention."""
    if cause is None:
        return finding
    harmless = finding.role != "cause" and vocabulary.family(cause.kind) in vocabulary.BY_REQUEST
    return replace(finding, explained_by=cause.finding_id, severity="info" if harmless else finding.severity)


def _first(finding_id: str, explained: dict[str, str]) -> str | None:
    seen = {finding_id}
    cause = explained.get(finding_id)
    while cause in explained and cause not in seen:
        seen.add(cause)
        cause = explained[cause]
    return cause if cause != finding_id else None


def _explains(cause: Finding, other: Finding, rule: Rule) -> bool:
    if cause.attempt != other.attempt or not vocabulary.covers(rule.explains, other.kind):
        return False
    if cause.began and other.begun_by and other.begun_by < cause.began - TOLERANCE:
        return False
    return _is_suffered(other) or not (cause.names_somebody and other.names_somebody) or not cause.names.isdisjoint(other.names)


def _is_suffered(finding: Finding) -> bool:
    """A symptom is what the whole job suffered, and a mere position says nothing of why. Another cause must be at the same place."""
    return finding.role != "cause" or vocabulary.family(finding.kind) in vocabulary.SUSPECT_ONLY
