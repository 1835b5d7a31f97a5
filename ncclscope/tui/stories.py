"""Findings as rows of the first screen: causes first, what they explain folded beneath; and their evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ncclscope import evidence
from ncclscope.tui import paint, zone
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import Facts, Row, us, utc, when
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.view import Key, View

_SHORT = {"critical": "CRIT", "high": "HIGH", "medium": "MED", "info": "INFO"}


@dataclass(frozen=True, slots=True)
class Story:
    """A row: one finding, or several of one rule folded under a cause."""

    findings: tuple[Row, ...]
    is_folded: bool
    # Opened from a row that stood for several.
    is_inner: bool = False

    @property
    def text(self) -> str:
        """What to call it."""
        first = self.findings[0]
        return str(first["summary"]) if len(self.findings) == 1 else f"{len(self.findings)} x {first['title']}"

    @property
    def name(self) -> str:
        """What stays the same when rows are made anew."""
        return f"{self.findings[0]['finding_id']}{len(self.findings)}"


def stories(found: Sequence[Row], top: str | None, opened: Iterable[str] = ()) -> list[Story]:
    """The rows for the findings of an attempt; `top` stands behind the verdict."""
    standing = [f for f in found if not f["explained_by"] or f["finding_id"] == top]
    standing.sort(key=lambda f: f["finding_id"] != top)
    shown = set(opened)
    out: list[Story] = []
    for finding in standing:
        out.append(Story((finding,), False))
        below: dict[str, list[Row]] = {}
        for other in found:
            if other["explained_by"] == finding["finding_id"] and other["finding_id"] != top:
                below.setdefault(other["rule"], []).append(other)
        for several in below.values():
            story = Story(tuple(several), True)
            out.append(story)
            if len(several) > 1 and story.name in shown:
                out += [Story((one,), True, True) for one in several]
    return out


def choose(looking: View, story: Story, fallback_us: int | None) -> None:
    """Makes a story the subject of every screen; T is its beginning, or that of the first finding that has one."""
    first = story.findings[0]
    began = us(first["began"])
    if first["finding_id"] != looking.finding_id:
        looking.moment_us, looking.key = began, None
    looking.finding_id = first["finding_id"]
    looking.ranks = frozenset(rank for f in story.findings for rank in f["ranks"])
    looking.hosts = frozenset() if looking.ranks else frozenset(host for f in story.findings for host in f["hosts"])
    looking.zero_us = began if began is not None else fallback_us


def row(story: Story, width: int) -> Line:
    """`  CRIT  cause    node064 mlx5_5: the port went down     03:13:52`; without times below 80 columns."""
    first = story.findings[0]
    time = "" if width < 80 else f" {zone.shift(first['began']):%H:%M:%S}" if first["began"] else "        -"
    if story.is_inner:
        head: Line = paint.line("          ")
    elif story.is_folded:
        head = paint.line("    +   ", Span(f"{first['role']:<9}", "dim"))
    else:
        head = paint.line("  ", Span(f"{_SHORT[first['severity']]:<6}", paint.SEVERITY_STYLES[first["severity"]]), f"{first['role']:<9}")
    text = paint.safe(story.text)
    return paint.spread((*head, text), paint.line(Span(time, "dim")), width) if time else (*head, text)


def counts(facts: Facts, found: Sequence[Row]) -> str:
    """`1 cause, 3 folded -- checks 6 fired 40 silent 6 n/a 0 failed`."""
    causes = sum(f["role"] == "cause" and not f["explained_by"] for f in found)
    folded = sum(bool(f["explained_by"]) for f in found)
    named = (("fired", "fired"), ("silent", "silent"), ("not_applicable", "n/a"), ("failed", "failed"))
    checks = " ".join(f"{facts.checks.get(key, 0)} {word}" for key, word in named)
    return f"{causes} cause{'s' * (causes != 1)}, {folded} folded -- checks {checks}"


@dataclass(frozen=True, slots=True)
class Proof:
    """One line of evidence: what the case has kept of it, and its original text."""

    key: Key
    name: str
    original: str
    event: dict[str, Any]

    @property
    def text(self) -> str:
        """The message, or the whole line where it is no event."""
        return (self.event.get("message") or self.original or "(the source is gone)").split("\n")[0]

    @property
    def cite(self) -> str:
        """File and line."""
        return f"{self.name}:{self.key[1]}"


_KEPT = """
WITH keys AS (SELECT unnest($files::UBIGINT[]) AS file_id, unnest($lines::UBIGINT[]) AS line, unnest($parts::UINTEGER[]) AS part)
SELECT l.* FROM log l JOIN keys k USING (file_id, line, part)
"""


def proofs(desk: Desk, names: dict[int, str], findings: Sequence[Row]) -> list[Proof]:
    """The evidence of findings, by time and place."""
    keys = sorted({(e["file_id"], e["line"], e["part"]) for f in findings for e in f["evidence"]})
    if not keys:
        return []
    files, lines, parts = (list(column) for column in zip(*keys, strict=True))
    rows = desk.ask("evidence", _KEPT, {"files": files, "lines": lines, "parts": parts})
    kept = {(row["file_id"], row["line"], row["part"]): row for row in rows}
    texts = evidence.texts(desk.case, keys)
    out = [Proof(key, names.get(key[0], "?"), texts.get(key, ""), kept.get(key, {})) for key in keys]
    return sorted(out, key=lambda p: (p.event.get("at_us", -1), p.key))


def proof_row(proof: Proof, is_marked: bool, width: int) -> Line:
    """`  03:13:52     NCCL WARN ...`; `~` before a time carried from an earlier line, `*` before a marked one."""
    event = proof.event
    who = f"r{event['rank']}" if event.get("rank") is not None and width >= 80 else ""
    carried = {"carried": "~", "arrival": "<"}.get(event.get("ts_from", ""), " ")
    time = when(event.get("ts"), event.get("ts_max"))
    speaker = Span(f"{who:<6}" if width >= 80 else "", "cyan")
    return paint.line("*" if is_marked else " ", carried, Span(f"{time:<13}", "dim"), speaker, paint.safe(proof.text))


def proof_title(proof: Proof, number: int, total: int, all_of_them: int, width: int) -> str:
    """`evidence 1 of 8 -- node064.log:88213 -- node064 pid 4121`."""
    more = f" (of {all_of_them:,})" if all_of_them > total else ""
    event = proof.event
    who = [str(event["host"])] if event.get("host") else []
    who += [f"r{event['rank']}"] if event.get("rank") is not None else []
    who += [f"pid {event['pid']}"] if event.get("pid") is not None else []
    count, speaker, place = f"evidence {number} of {total}{more}", paint.safe(" ".join(who)).text, f":{proof.key[1]}"
    room = width - len(count) - len(speaker) - len(place) - 13
    file = paint.tail(paint.safe(proof.name).text, max(room, 12)) + place
    return " -- ".join(part for part in (count, file, speaker) if part)


def citation(proof: Proof) -> str:
    """File and line, time, who, text: enough to find the line again."""
    event = proof.event
    rank = f"rank {event['rank']}" if event.get("rank") is not None else ""
    parts = [proof.cite, utc(event.get("ts"), event.get("ts_max")), " ".join(p for p in (event.get("host") or "", rank) if p)]
    return paint.safe("  ".join(part for part in parts if part) + "  " + (proof.original or proof.text), limit=4000).text


def details(story: Story, proof: Proof, width: int) -> list[Line]:
    """What has no room above, for where there is room below: the line in full, the finding, the advice."""
    first = story.findings[0]
    sure = f"{first['confidence']}, {first['kind']}, rule {first['rule']}"
    parts = [("line", proof.original), ("finding", first["summary"]), ("sure", sure)]
    parts += [("advice", line) for line in first["advice"].splitlines() if line.strip()]
    out: list[Line] = [paint.EMPTY]
    last = ""
    for name, text in parts:
        for number, line in enumerate(paint.wrap(paint.safe(text, limit=4000).text, width - 12)):
            head = name if number == 0 and name != last else ""
            out.append(paint.line(Span(f"  {head:<9} ", "dim"), line))
        last = name
    return out
