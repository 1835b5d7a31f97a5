"""What the printed forms of a report say in the same words: headings, facts, counts and folded findings."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Finding = Mapping[str, Any]
Report = Mapping[str, Any]

# The first word of a report, one for each status.
WORDS = {
    "cause_found": "CAUSE",
    "suspect": "SUSPECT",
    "symptoms_only": "SYMPTOMS",
    "ended_by_request": "ENDED",
    "healthy": "HEALTHY",
    "insufficient": "UNSURE",
}
MEANINGS = {
    "cause_found": "the cause is in the evidence",
    "suspect": "the place is known, the reason is not proven",
    "symptoms_only": "something failed, but nothing tells cause from effect",
    "ended_by_request": "somebody or a limit ended the job; nothing failed",
    "healthy": "what was checked looks normal",
    "insufficient": "the input supports no statement",
}
_LEVELS = {"hosts": "host", "ranks": "rank", "gpus": "GPU", "devices": "device"}
LISTED = 8
# Findings of one rule that a report tells in full, besides the headline.
ALIKE = 3
SAME = 2


def headline(verdict: Mapping[str, Any]) -> str:
    """How sure it is, of what kind, who, and since when: `likely, net.link_flap; host node064; since 03:13:52`."""
    sure = ", ".join(part for part in (verdict["confidence"], verdict["kind"]) if part)
    return "; ".join(part for part in (sure, culprit(verdict["culprit"])) if part)


def culprit(named: Mapping[str, Any]) -> str:
    """Everybody named, by level: `host node064, device node064/mlx5_5`; "" when nobody is."""
    parts = []
    for level, word in _LEVELS.items():
        if several := [str(name).removeprefix(f"{word} ") for name in named[level]]:  # a GPU without host or bus is called `GPU 6`
            parts.append(f"{word}{'s' * (len(several) > 1)} {names(several)}")
    either = "one of these: " if named.get("either") and parts else ""
    return either + ", ".join(parts)


def names(values: Sequence[Any]) -> str:
    """At most eight names, and how many more there are."""
    listed = " ".join(str(value) for value in values[:LISTED])
    return listed + (f" and {len(values) - LISTED:,} more" if len(values) > LISTED else "")


def stamp(value: str | None) -> str:
    """A time of the report for people: `2026-11-30 03:13:52.5 UTC`, or `-`."""
    return f"{_bare(value)} UTC" if value else "-"


def _bare(value: str) -> str:
    text = value.removesuffix("Z").replace("T", " ")
    return text.rstrip("0").removesuffix(".") if "." in text else text


def span(began: str | None, ended: str | None) -> str:
    """From when to when, the date said once; one time when they are equal."""
    if began is None or ended is None or began == ended:
        return stamp(began or ended)
    later = _bare(ended).split(" ")[1] if began[:10] == ended[:10] else _bare(ended)
    return f"{_bare(began)} to {later} UTC"


def count(number: int, word: str) -> str:
    """`1 line`, `1,204 lines`."""
    return f"{number:,} {word}{'s' * (number != 1)}"


def job(report: Report) -> str:
    """How much of the job is here."""
    case = report["case"]
    ranks = f"{case['ranks_given']} of {count(case['world_size'], 'rank')}" if case["world_size"] else count(case["ranks_given"], "rank")
    if not case["hosts"]:
        return f"{ranks} gave logs, and no host is named"
    return f"{case['hosts_given']} of {count(case['hosts'], 'host')} and {ranks} gave logs"


def lines(report: Report) -> str:
    """How many lines were understood."""
    totals = report["totals"]
    words = {"matched": "recognised", "unknown": "unknown", "damaged": "damaged"}
    parts = ", ".join(f"{totals[key]:,} {word}" for key, word in words.items())
    return f"{count(totals['lines'], 'line')} in {count(totals['files'], 'file')}: {parts}"


def checks(report: Report) -> str:
    """How the rules went; a silent rule looked and found nothing, one that is not applicable had nothing to look at."""
    counts = report["totals"]["checks"]
    return ", ".join(f"{counts[status]} {status.replace('_', ' ')}" for status in counts)


def failed_checks(report: Report) -> list[str]:
    """The rules that could not run, and why."""
    return [f"{check['rule']}: {check['error'] or 'no reason given'}" for check in report["checks"] if check["status"] == "failed"]


def unread(report: Report) -> list[Mapping[str, Any]]:
    """Files that could not be read, or not to their end."""
    return [file for file in report["files"] if file["status"] in ("failed", "partial", "skipped")]


def unread_title(report: Report) -> str:
    """`3 of 1,204 files could not be read whole`."""
    return f"{len(unread(report)):,} of {count(len(report['files']), 'file')} could not be read whole"


@dataclass(frozen=True, slots=True)
class Group:
    """A finding that stands for itself, and those folded under it."""

    finding: Finding
    folded: tuple[Finding, ...] = field(default=())


def groups(report: Report) -> list[Group]:
    """Findings that nothing explains, that of the headline first, each with what it explains."""
    below: dict[str, list[Finding]] = {}
    for finding in report["findings"]:
        if finding["explained_by"]:
            below.setdefault(finding["explained_by"], []).append(finding)
    top = report["verdict"]["finding_id"]
    standing = [f for f in report["findings"] if not f["explained_by"] or f["finding_id"] == top]
    standing.sort(key=lambda f: f["finding_id"] != top)
    return [Group(f, tuple(below.get(f["finding_id"], ()))) for f in standing]


def few_of_each(groups: Sequence[Group]) -> list[tuple[Group, int]]:
    """Of the groups of each rule the first few, and with the last of those how many more there are."""
    shown: list[tuple[Group, int]] = []
    for group in groups:
        alike = [number for number, (other, _) in enumerate(shown) if other.finding["rule"] == group.finding["rule"]]
        if len(alike) < ALIKE:
            shown.append((group, 0))
        else:
            other, more = shown[alike[-1]]
            shown[alike[-1]] = (other, more + 1)
    return shown


def against(finding: Finding, report: Report) -> list[str]:
    """What does not fit a cause, as sentences."""
    guesses = [guess for verdict in report["verdicts"] for guess in verdict["hypotheses"]]
    return [text for guess in guesses if guess["finding_id"] == finding["finding_id"] for text in guess["against"]]


def folded(group: Group) -> list[str]:
    """What a finding explains, one line for each rule: how often, and the first of them."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in group.folded:
        by_rule.setdefault(finding["rule"], []).append(finding)
    return [
        several[0]["summary"] if len(several) == 1 else f"{len(several)} x {several[0]['title']}, first: {several[0]['summary']}"
        for several in by_rule.values()
    ]


def evidence(finding: Finding, limit: int) -> list[Mapping[str, Any]]:
    """At most `limit` lines, and of those that differ only in numbers not more than two."""
    seen: Counter[str] = Counter()
    out = []
    for line in finding["evidence"]:
        shape = re.sub(r"(0x)?[0-9a-f]*\d[0-9a-f]*", "0", line["text"])
        seen[shape] += 1
        if seen[shape] <= SAME:
            out.append(line)
    return out[:limit]


def more_evidence(finding: Finding, shown: int) -> str:
    """How many lines of evidence are not shown; "" when all are."""
    left = finding["evidence_total"] - shown
    return f"and {count(left, 'more line')}" if left > 0 else ""


def reason(group: "Group", report: Report) -> str:
    """What to call a finding: its summary, or the general title where the headline has said that already."""
    said: str = report["verdict"]["sentence"].rstrip(".")
    summary: str = group.finding["summary"]
    return group.finding["title"] if summary.rstrip(".") == said else summary


def missing(report: Report) -> list[str]:
    """What is missing and not yet said among the next steps."""
    return [what for what in report["missing"] if what not in report["verdict"]["next"]]


def counted(report: Report) -> str:
    """`1 cause, 14 symptoms, 2 context`."""
    roles = [finding["role"] for finding in report["findings"]]
    words = (("cause", "causes"), ("symptom", "symptoms"), ("context", "context"))
    return ", ".join(f"{roles.count(one)} {one if roles.count(one) == 1 else many}" for one, many in words if one in roles)


def earlier(report: Report) -> list[Mapping[str, Any]]:
    """The verdicts of the other attempts."""
    return [verdict for verdict in report["verdicts"] if verdict["attempt"] != report["verdict"]["attempt"]]
