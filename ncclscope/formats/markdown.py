"""The report for a ticket: Markdown in which nothing foreign is markup."""

import re
from collections.abc import Iterator, Sequence

from ncclscope.formats import wording
from ncclscope.formats.wording import Finding, Report
from ncclscope.text import printable

EVIDENCE = 5
OTHERS, FILES = 30, 30
LONGEST = 10_000
# Whatever can begin markup, a link, a mention, a formula or an entity; a backslash makes it a character again.
_MARKUP = re.compile(r"([\\`*\[\]<#|~&@$]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z]))")
# Renderers turn bare addresses into links.
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|www)(:|\.)")
_QUOTED = re.compile(r"`([^`]+)`")


def as_markdown(report: Report) -> str:
    """The whole report."""
    return "\n".join(_lines(report)) + "\n"


def escaped(text: str) -> str:
    """Foreign text on one line as plain words, but for what stands between backticks, which is code."""
    parts = _QUOTED.split(printable(text, LONGEST))
    return "".join(code(part) if index % 2 else _plain(part) for index, part in enumerate(parts))


def _plain(text: str) -> str:
    return _ADDRESS.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", text))


def code(text: str) -> str:
    """Foreign text as inline code."""
    shown = printable(text, LONGEST).replace("|", "\u2502")
    ticks = "`" * (_longest_run(shown) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fenced(lines: Sequence[str]) -> list[str]:
    """Foreign lines as a block of code that none of them can end."""
    shown = [printable(line, LONGEST) for line in lines]
    fence = "`" * max(3, 1 + max(map(_longest_run, shown), default=0))
    return [f"{fence}text", *shown, fence]


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _lines(report: Report) -> Iterator[str]:
    verdict = report["verdict"]
    yield f"## {wording.WORDS[verdict['status']]}: {escaped(verdict['sentence'])}"
    yield ""
    yield escaped(wording.headline(verdict) or wording.MEANINGS[verdict["status"]])
    if verdict["next"]:
        yield from ("", "### Next", "")
        yield from (f"{number}. {escaped(step)}" for number, step in enumerate(verdict["next"], 1))
    groups = wording.groups(report)
    first = [group for group in groups if group.finding["finding_id"] == verdict["finding_id"]]
    for group in first:
        yield from ("", "### Why", "")
        yield from _group(group, wording.reason(group, report))
        yield from (f"\nAgainst it: {escaped(text)}" for text in wording.against(group.finding, report))
    yield from _others([group for group in groups if group not in first])
    yield from _earlier(report)
    yield from _read(report)


def _group(group: wording.Group, title: str) -> Iterator[str]:
    finding = group.finding
    yield f"{escaped(title)} ({_facts(finding)})"
    yield ""
    lines = [f"{line['file']}:{line['line']}: {line['text']}" for line in wording.evidence(finding, EVIDENCE)]
    yield from fenced(lines)
    more = wording.more_evidence(finding, len(lines))
    if more:
        yield from ("", more)
    listed = wording.folded(group)
    if listed:
        yield from ("", f"It explains {wording.count(len(group.folded), 'finding')}:", "")
        yield from (f"- {escaped(text)}" for text in listed)


def _facts(finding: Finding) -> str:
    began = f", {wording.span(finding['began'], finding['ended'])}" if finding["began"] else ""
    return f"{finding['severity']} {finding['role']}, {finding['confidence']}, {code(finding['rule'])}{began}"


def _others(groups: Sequence[wording.Group]) -> Iterator[str]:
    if not groups:
        return
    yield from ("", "### Also found", "", "| severity | role | what | since | evidence |", "| --- | --- | --- | --- | --- |")
    few = wording.few_of_each(groups)
    for group, alike in few[:OTHERS]:
        finding = group.finding
        line = finding["evidence"][0]
        where = code(f"{line['file']}:{line['line']}")
        more = f" (and {len(group.folded)} folded under it)" if group.folded else ""
        what = f"{escaped(finding['summary'])}{more}" + (f" (and {alike} more like this)" if alike else "")
        yield f"| {finding['severity']} | {finding['role']} | {what} | {wording.stamp(finding['began'])} | {where} |"
    if left := sum(1 + alike for _, alike in few[OTHERS:]):
        yield from ("", f"and {wording.count(left, 'more finding')}")


def _earlier(report: Report) -> Iterator[str]:
    others = wording.earlier(report)
    if others:
        yield from ("", "### Other attempts", "")
    for verdict in others:
        when = wording.span(verdict["began"], verdict["ended"])
        yield f"- attempt {verdict['attempt']}, {when}: {wording.WORDS[verdict['status']]} {escaped(verdict['sentence'])}"


def _read(report: Report) -> Iterator[str]:
    yield from ("", "### What was read", "")
    yield f"- job: {wording.job(report)}"
    yield f"- time: {wording.span(report['case']['began'], report['case']['ended'])}"
    yield f"- lines: {wording.lines(report)}"
    yield f"- checks: {wording.checks(report)}"
    yield from (f"- failed check: {escaped(text)}" for text in wording.failed_checks(report))
    yield from (f"- missing: {escaped(what)}" for what in wording.missing(report))
    unread = wording.unread(report)
    if unread:
        yield f"- {wording.unread_title(report)}:"
    for file in unread[:FILES]:
        yield f"  - {code(file['path'])} {file['status']}: {escaped(file['error'] or '')}"
    if len(unread) > FILES:
        yield f"  - and {len(unread) - FILES:,} more"
