"""Writes the derived tables of a case, each from its query in `derived/`, and sums up what there is to judge by."""

from pathlib import Path

from ncclscope.case import Case
from ncclscope.verdict import Evidence

# In an order in which each finds what it reads.
ORDER = ("ranks", "hosts", "host_aliases", "communicators", "intervals", "progress", "missing_evidence")


def write(case: Case) -> None:
    """The derived tables that come from queries."""
    folder = Path(__file__).parent / "derived"
    for name in ORDER:
        case.copy(name, (folder / f"{name}.sql").read_text("utf-8").strip().rstrip(";"))


_SPOKE = """SELECT DISTINCT attempt FROM events
WHERE NOT regexp_matches(kind, '^(gpu|kernel|host|pcie|storage|nic|service|clock|fabric|switch|bmc)\\.')
UNION SELECT attempt FROM collectives UNION SELECT attempt FROM connections UNION SELECT attempt FROM steps"""


def evidence(case: Case, checks: int) -> list[Evidence]:
    """What each attempt can be judged by; one without attempts still gets a row."""
    attempts = [row[0] for row in case.sql("SELECT DISTINCT attempt FROM attempts ORDER BY 1")] or [0]
    sources, recognised = case.sql("SELECT count(*), coalesce(sum(matched), 0) FROM files")[0]
    worked = {row[0] for row in case.sql("SELECT DISTINCT attempt FROM work_seen")}
    measured = {row[0] for row in case.sql("SELECT DISTINCT attempt FROM metrics UNION SELECT attempt FROM dcgm_test_passed")}
    spoke = {row[0] for row in case.sql(_SPOKE)}
    spans = {a: (b, e) for a, b, e in case.sql("SELECT attempt, began, ended FROM attempts ORDER BY ALL")}
    wanted = missing(case)
    out = []
    for attempt in attempts:
        began, ended = spans.get(attempt, (None, None))
        seen = (attempt in worked, attempt in measured, attempt in spoke, int(recognised))
        out.append(Evidence(attempt, began, ended, sources, checks, *seen, wanted.get(attempt, ())))
    return out


def missing(case: Case) -> dict[int, tuple[str, ...]]:
    """For each attempt what would help and is not here, as sentences, what helps most first."""
    out: dict[int, tuple[str, ...]] = {}
    for attempt, what in case.sql("SELECT coalesce(attempt, 0), what FROM missing_evidence ORDER BY 1, place, what"):
        out[attempt] = (*out.get(attempt, ()), what)
    return out
