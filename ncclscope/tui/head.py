"""The lines at the top and at the bottom, the same on every screen."""

from collections.abc import Sequence
from typing import Any

from ncclscope.formats import wording
from ncclscope.tui import paint, zone
from ncclscope.tui.facts import Facts
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.tour import KEYS, Tour
from ncclscope.tui.view import View
from ncclscope.vocabulary import STATUS_COLOURS

SCREENS = ("triage", "timeline", "events", "ranks", "files")


def title(facts: Facts | None, view: View, place: int, width: int, waiting: str = "", screens: int = len(SCREENS)) -> Line:
    """Case, how much of the job is here, span, zone and screen; what does not fit goes from the right."""
    digits = f" {' '.join(str(n) for n in range(1, screens + 1))} ".replace(f" {place} ", f"[{place}]").strip()
    right = paint.line(Span(digits, "bold"))
    if facts is None:
        return paint.spread(paint.line(Span("ncclscope", "bold"), "  ", paint.safe(waiting, limit=60)), right, width)
    name = paint.safe(facts.title, limit=40)
    room = width - len(digits) - 12 - len(name.text)
    said = ""
    for part in (share(facts), attempts(facts, view), span(facts.verdict(view.attempt))):
        for text in (part, part.removesuffix(" given"), part.removesuffix(f" {zone.shown().name}")):
            if text and len(said) + len(text) + 2 <= room:
                said += "  " + text
                break
    return paint.spread(paint.line(Span("ncclscope  ", "bold"), name, said), right, width)


def share(facts: Facts) -> str:
    """`3 of 128 hosts`, or of ranks where no host is known."""
    if facts.hosts_all:
        return f"{facts.hosts_given} of {facts.hosts_all} hosts given"
    if facts.world:
        return f"{len(facts.given)} of {facts.world:,} ranks given"
    return wording.count(len(facts.files), "file")


def attempts(facts: Facts, view: View) -> str:
    """Which of several attempts this is."""
    numbers = [v["attempt"] for v in facts.verdicts]
    return f"attempt {numbers.index(view.attempt) + 1} of {len(numbers)}" if len(numbers) > 1 and view.attempt in numbers else ""


def span(verdict: dict[str, Any]) -> str:
    """From when to when, on one day or over several."""
    began, ended = verdict["began"], verdict["ended"]
    if began is None or ended is None:
        return "no times"
    began, ended = zone.shift(began), zone.shift(ended)
    form = "%H:%M:%S" if began.date() == ended.date() else "%m-%d %H:%M"
    return f"{began:{form}}-{ended:{form}} {zone.shown().name}"


def verdict(facts: Facts, view: View, width: int, rows: int) -> list[Line]:
    """The answer, on at most `rows` lines."""
    found = facts.verdict(view.attempt)
    finding = next((f for f in facts.findings if f["finding_id"] == found["finding_id"]), None)
    word = wording.WORDS[found["status"]]
    sure = finding["confidence"] if finding and finding["role"] == "cause" else ""
    text = paint.safe(found["sentence"].rstrip("."), limit=600).text + (f"  ({sure})" if sure else "")
    head = word.ljust(8 if len(word) < 8 else len(word) + 1)
    lines = paint.wrap(text, width - len(head))
    shown = _limited(lines, rows, width - len(head))
    style = STATUS_COLOURS[found["status"]]
    first = paint.line(Span(head, style), Span(shown[0], "bold"))
    return [first, *(paint.line(Span(" " * len(head) + line, "bold")) for line in shown[1:])]


def following(facts: Facts, view: View, width: int, rows: int) -> list[Line]:
    """What to do next."""
    found = facts.verdict(view.attempt)
    steps = found["next"]
    if not steps:
        return []
    many = f" (+{len(steps) - 1})" if len(steps) > 1 else ""
    text = paint.safe(steps[0], limit=600).text + many
    shown = _limited(paint.wrap(text, width - 8), rows, width - 8)
    return [paint.line(Span("next:   " if n == 0 else "        ", "dim"), line) for n, line in enumerate(shown)]


def reading(facts: Facts, progress: str, width: int) -> list[Line]:
    """That the verdict is about a part of the evidence only, if so."""
    if not facts.reading:
        return []
    text = f"still reading: the verdict is from {facts.reading}" + (f"  --  {progress}" if progress else "")
    return [paint.line(Span(paint.pad(paint.safe(text).text, width), "yellow"))]


def unread(facts: Facts, width: int) -> list[Line]:
    """How many files could not be read to their end, if any."""
    bad = sum(file["status"] in ("failed", "partial", "skipped") for file in facts.files)
    if not bad:
        return []
    text = f"unread: {bad:,} of {wording.count(len(facts.files), 'file')} could not be read whole; 5 lists them"
    return [paint.line(Span(paint.pad(text, width), "yellow"))]


def _limited(lines: list[str], rows: int, width: int) -> list[str]:
    return lines if len(lines) <= rows else [*lines[: rows - 1], paint.pad(f"{lines[rows - 1]} >", width).rstrip()]


def tour(shown: Tour, width: int) -> list[Line]:
    """A step of the tour on two lines: what to look at, and how to go on."""
    at, hint = shown.line()
    lines = [*paint.wrap(f"{hint}  ({KEYS})", width - len(at) - 1), ""][:2]
    return [paint.line(Span(f"{at if number == 0 else '':<{len(at)}} ", "cyan"), Span(text, "bold")) for number, text in enumerate(lines)]


def filter_line(view: View, shown: int | None, total: int | None, width: int, note: str = "") -> Line:
    """The filter, and what it hides; or something that has just happened."""
    left = paint.line(Span(note, "bold")) if note else paint.line(Span("filter: ", "dim"), paint.safe(view.filter.text or "none"))
    counted = "" if total is None else f"{'counting' if shown is None else f'{shown:,}'} of {total:,}"
    return paint.spread(left, paint.line(Span(counted, "dim")), width)


def keys(hints: Sequence[tuple[str, str]], width: int) -> Line:
    """At most nine keys and what they do; those at the end are always there."""
    always = ["? help", "q quit"]
    used = len("  ".join(always))
    shown: list[str] = []
    for key, word in list(hints)[:7]:
        used += len(key) + len(word) + 3
        if used > width:
            break
        shown.append(f"{key} {word}")
    spans: list[Span] = []
    for text in (*shown, *always):
        key, word = text.split(" ", 1)
        spans += [Span(key, "bold"), Span(f" {word}  ")]
    return (*spans[:-1], Span(spans[-1].text.rstrip()))
