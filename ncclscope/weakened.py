"""Lowers the confidence of a claim where evidence that would confirm or refute it is not in the input.

One table, `BEARINGS`, says which missing evidence bears on which claims. A claim loses one step, once, and never its verdict: one
that a line states becomes `likely`, and `possible` are only claims of mere positions, which are suspects anyway. The rows of
`weakened` say what was lowered and why; a report tells it as what speaks against the cause.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ncclscope import vocabulary
from ncclscope.case import Case
from ncclscope.findings import Finding

# A quiet kernel writes nothing for minutes: only a log that ends longer than this before a fault does not cover it.
_QUIET = timedelta(minutes=10)
LISTED = 3


@dataclass(frozen=True, slots=True)
class Bearing:
    """A gap, the kinds of claims that it bears on, the least sure that it makes them, and why."""

    gap: str
    kinds: tuple[str, ...]
    floor: str
    why: str


BEARINGS = (
    Bearing("rank_log", ("desync.rank_behind", "hang.init"), "possible", "only others say where it was"),
    # The kernel is the first witness of hardware, and the only one of whom it killed. What its own log says, that log covers.
    Bearing(
        "kernel_log",
        ("hw.xid", "hw.ecc", "hw.nvlink", "hw.pcie", "hw.gpu_lost", "hw.host_mce", "crash.oom_host"),
        "likely",
        "the kernel is the first witness of such a fault",
    ),
    Bearing(
        "hosts",
        ("crash.python", "crash.cuda_error", "crash.signal", "crash.oom_gpu", "net.ib_error", "net.socket_error", "desync.uneven_input"),
        "likely",
        "a failure on another may have come first",
    ),
)


@dataclass(frozen=True, slots=True)
class Given:
    """What is in the input: (attempt, rank) with lines of their own, hosts of ranks, and until when each host's kernel log goes.

    `coverage` has, by attempt and where the size of the job is known, how many hosts speak and how many there are if all hold as
    many ranks as the fullest that speaks.
    """

    ranks: frozenset[tuple[int, int]]
    hosts: dict[tuple[int, int], str]
    kernel_logs: dict[str | None, datetime | None]
    coverage: dict[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Weakened:
    """One row of the table `weakened`."""

    attempt: int
    finding_id: str
    gap: str
    was: str
    what: str


def given(case: Case) -> Given:
    """What the derived tables of a case say of its input."""
    ranks = case.sql("SELECT coalesce(attempt, 0), rank, host, given, world_size FROM ranks ORDER BY ALL")
    hosts = {(attempt, rank): host for attempt, rank, host, _, _ in ranks if host}
    coverage: dict[int, tuple[int, int]] = {}
    for own, size in {attempt: size for attempt, _, _, _, size in ranks if size}.items():
        speak = {host for attempt, _, host, is_given, _ in ranks if attempt == own and is_given and host}
        held = Counter(host for (attempt, _), host in hosts.items() if attempt == own and host in speak)
        if held:
            coverage[own] = len(speak), -(-size // max(held.values()))
    return Given(
        frozenset((attempt, rank) for attempt, rank, _, is_given, _ in ranks if is_given),
        hosts,
        dict(case.sql("SELECT host, max(ended) FROM kernel_logs GROUP BY host ORDER BY host")),
        coverage,
    )


def as_rows(weakened: Sequence[Weakened]) -> list[list[object]]:
    """Rows of the table."""
    return [[row.attempt, row.finding_id, row.gap, row.was, row.what] for row in weakened]


def weaken(found: Sequence[Finding], ask: Callable[[], Given]) -> tuple[list[Finding], list[Weakened]]:
    """The findings, causes that stand lowered where evidence lacks, and a row for each that was.

    What is in the input is asked for where a claim hangs on it.
    """
    standing = (f for f in found if f.role == "cause" and f.explained_by is None)
    at_stake = [(f, bearing) for f in standing for bearing in BEARINGS if _bears(bearing, f)]
    if not at_stake:
        return list(found), []
    have = ask()
    rows = {f.finding_id: row for f, bearing in at_stake if (row := _weakened(f, bearing, have))}
    return [replace(f, confidence=_lower(f.confidence)) if f.finding_id in rows else f for f in found], list(rows.values())


def _bears(bearing: Bearing, finding: Finding) -> bool:
    sure = vocabulary.CONFIDENCES.index(finding.confidence) < vocabulary.CONFIDENCES.index(bearing.floor)
    return sure and vocabulary.covers(bearing.kinds, finding.kind)


def _weakened(finding: Finding, bearing: Bearing, have: Given) -> Weakened | None:
    lacks = _LACKS[bearing.gap](finding, have)
    if not lacks:
        return None
    what = f"{lacks}, and {bearing.why}: {_lower(finding.confidence)}, not {finding.confidence}."
    return Weakened(finding.attempt, finding.finding_id, bearing.gap, finding.confidence, what)


def _lower(confidence: str) -> str:
    return vocabulary.CONFIDENCES[vocabulary.CONFIDENCES.index(confidence) + 1]


def _ranks(finding: Finding, have: Given) -> str:
    """That ranks named have no log, as the beginning of a sentence; empty where all have."""
    absent = [rank for rank in finding.ranks if (finding.attempt, rank) not in have.ranks]
    if not absent:
        return ""
    return (
        f"The log of rank {absent[0]} is not in the input"
        if len(absent) == 1
        else f"The logs of ranks {_listed(absent)} are not in the input"
    )


def _kernel_logs(finding: Finding, have: Given) -> str:
    """That the kernel logs of the hosts do not cover the fault; a log of nobody in particular may be anybody's."""
    if not have.kernel_logs:
        return "No kernel log is in the input"
    hosts = sorted({*finding.hosts, *(have.hosts.get((finding.attempt, rank), "") for rank in finding.ranks)} - {""})
    absent = [host for host in hosts if host not in have.kernel_logs]
    if absent and None not in have.kernel_logs:
        return f"The kernel log of {_listed(absent)} is not in the input"
    for host in hosts:
        ended = have.kernel_logs.get(host)
        if ended and finding.began and ended < finding.began - _QUIET:
            return f"The kernel log of {host} ends at {ended:%H:%M:%S}, before this"
    return ""


def _hosts(finding: Finding, have: Given) -> str:
    """That most hosts of the job say nothing."""
    speak, total = have.coverage.get(finding.attempt, (0, 0))
    return f"Ranks of {speak} of {total} hosts are in the input" if 2 * speak < total else ""


_LACKS = {"rank_log": _ranks, "kernel_log": _kernel_logs, "hosts": _hosts}


def _listed(names: Sequence[object]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(map(str, names[:LISTED])) + more
