"""The report for a tired person over SSH: 80 columns of ASCII, the answer first."""

import re
import textwrap
from collections.abc import Iterator, Sequence

from ncclscope.formats import wording
from ncclscope.formats.wording import Finding, Report
from ncclscope.text import printable
from ncclscope.vocabulary import STATUS_COLOURS

# The headline's finding shows more of its evidence than those that follow.
FIRST_EVIDENCE, OTHER_EVIDENCE = 6, 2
EVIDENCE_ROWS = 4
FOLDED, OTHERS, FILES = 8, 12, 12
# Texts of a report are cut already; this only keeps a second mark from being added.
LONGEST = 10_000
_COLOURS = {"bold": "1", "dim": "2", "red": "1;31", "yellow": "33", "green": "32", "cyan": "36"}
_FOREIGN = re.compile(r"([^\x20-\x7e])\1*")


def ascii_only(text: str) -> str:
    """The text in ASCII: `<U+2588 x12>` for twelve blocks of a progress bar."""
    return _FOREIGN.sub(_stand_in, printable(text, LONGEST))


def _stand_in(match: re.Match[str]) -> str:
    times = f" x{len(match[0])}" if len(match[0]) > 1 else ""
    return f"<U+{ord(match[1]):04X}{times}>"


def as_text(report: Report, width: int = 80, colour: bool = False) -> str:
    """The whole report; escape sequences only with `colour`."""
    return "\n".join(_Page(width, colour).lines(report)) + "\n"


class _Page:
    """Lays out lines of a width, in colour or not."""

    def __init__(self, width: int, colour: bool) -> None:
        self.width, self.colour = width, colour

    def lines(self, report: Report) -> Iterator[str]:
        verdict = report["verdict"]
        yield from self._verdict(verdict)
        yield from self._next(report)
        groups = wording.groups(report)
        first = [group for group in groups if group.finding["finding_id"] == verdict["finding_id"]]
        for group in first:
            yield from self._heading("WHY")
            yield from self._group(group, wording.reason(group, report), FIRST_EVIDENCE)
            yield from self._against(group.finding, report)
        yield from self._others([group for group in groups if group not in first], report)
        yield from self._earlier(report)
        yield from self._read(report)

    def _verdict(self, verdict: Report) -> Iterator[str]:
        word = wording.WORDS[verdict["status"]]
        lines = self._wrap(verdict["sentence"], indent=len(word) + 2)
        yield self._paint(word, STATUS_COLOURS[verdict["status"]]) + "  " + self._paint(lines[0].strip(), "bold")
        for line in lines[1:]:
            yield self._paint(line, "bold")
        facts = wording.headline(verdict) or wording.MEANINGS[verdict["status"]]
        yield from self._wrap(facts, indent=len(word) + 2)

    def _next(self, report: Report) -> Iterator[str]:
        steps = report["verdict"]["next"]
        if not steps:
            return
        yield from self._heading("NEXT")
        for number, step in enumerate(steps, 1):
            yield from self._wrap(step, indent=5, first=f"  {number}. ")

    def _group(self, group: wording.Group, title: str, evidence: int) -> Iterator[str]:
        finding = group.finding
        yield from self._wrap(title, indent=4, first="  ")
        facts = [finding["severity"], finding["role"], finding["confidence"], finding["rule"]]
        since = f"; {wording.span(finding['began'], finding['ended'])}" if finding["began"] else ""
        yield from self._wrap(", ".join(facts) + since, indent=4, colour="dim")
        yield from self._evidence(finding, evidence)
        listed = wording.folded(group)
        if listed:
            yield f"    this explains {wording.count(len(group.folded), 'finding')}:"
            for text in listed[:FOLDED]:
                yield from self._wrap(text, indent=8, first="      + ")
            if len(listed) > FOLDED:
                yield f"      and {len(listed) - FOLDED} more kinds of them"

    def _against(self, finding: Finding, report: Report) -> Iterator[str]:
        for text in wording.against(finding, report):
            yield from self._wrap(text, indent=8, first="    against it: ")

    def _evidence(self, finding: Finding, limit: int) -> Iterator[str]:
        shown = wording.evidence(finding, limit)
        for line in shown:
            yield from self._wrap(f"{line['file']}:{line['line']}", indent=4, colour="cyan")
            yield from self._quote(line["text"])
        more = wording.more_evidence(finding, len(shown))
        if more:
            yield f"    {more}"

    def _quote(self, text: str) -> list[str]:
        if not text:
            return ["      (the source is gone)"]
        lines = self._wrap(text, indent=6)
        if len(lines) > EVIDENCE_ROWS:
            left = sum(len(line.strip()) for line in lines[EVIDENCE_ROWS:])
            lines = [*lines[:EVIDENCE_ROWS], f"      [+{left} characters]"]
        return lines

    def _others(self, groups: Sequence[wording.Group], report: Report) -> Iterator[str]:
        if not groups:
            return
        yield from self._heading("ALSO FOUND")
        few = wording.few_of_each(groups)
        for group, more in few[:OTHERS]:
            yield from self._group(group, group.finding["summary"], OTHER_EVIDENCE)
            yield from self._against(group.finding, report)
            if more:
                yield f"    and {more} more like this; --format json has them all"
        if left := sum(1 + more for _, more in few[OTHERS:]):
            yield f"  and {wording.count(left, 'more finding')}; --format json has them all"

    def _earlier(self, report: Report) -> Iterator[str]:
        others = wording.earlier(report)
        if not others:
            return
        yield from self._heading("OTHER ATTEMPTS")
        for verdict in others:
            label = f"  attempt {verdict['attempt']}, {wording.span(verdict['began'], verdict['ended'])}: "
            yield from self._wrap(f"{label}{wording.WORDS[verdict['status']]} {verdict['sentence']}", indent=4, first="  ")

    def _read(self, report: Report) -> Iterator[str]:
        yield from self._heading("WHAT WAS READ")
        yield from self._fact("job", wording.job(report))
        if report["case"].get("grouping"):
            yield from self._fact("files", f"grouped by: {report['case']['grouping']}")
        yield from self._fact("time", wording.span(report["case"]["began"], report["case"]["ended"]))
        yield from self._fact("lines", wording.lines(report))
        yield from self._fact("checks", wording.checks(report))
        for text in wording.failed_checks(report):
            yield from self._fact("", f"failed: {text}")
        for number, what in enumerate(wording.missing(report)):
            yield from self._fact("" if number else "missing", what)
        unread = wording.unread(report)
        if unread:
            yield from self._fact("not read", wording.unread_title(report))
        for file in unread[:FILES]:
            yield from self._wrap(f"{file['path']}: {file['status']}. {file['error'] or ''}", indent=13, first=" " * 11)
        if len(unread) > FILES:
            yield f"{'':11}and {len(unread) - FILES:,} more"

    def _fact(self, name: str, text: str) -> list[str]:
        return self._wrap(text, indent=11, first=f"  {name:<9}")

    def _heading(self, text: str) -> list[str]:
        return ["", self._paint(text, "bold")]

    def _wrap(self, text: str, indent: int, first: str | None = None, colour: str = "") -> list[str]:
        """Lines of the text, indented; blanks inside it stay as they are."""
        wrapper = textwrap.TextWrapper(
            width=self.width,
            initial_indent=" " * indent if first is None else first,
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
            replace_whitespace=False,
        )
        lines = wrapper.wrap(ascii_only(text).lstrip()) or [""]
        return [self._paint(line, colour) for line in lines]

    def _paint(self, text: str, colour: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self.colour and colour else text
