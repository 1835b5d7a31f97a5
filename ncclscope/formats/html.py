"""The report as one page that needs nothing else: no script, no font, no picture, no network."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from ncclscope.formats import wording
from ncclscope.formats.wording import Finding, Report
from ncclscope.text import printable

LONGEST = 10_000
OTHERS = 500
FILES = 2000
STYLE = Path(__file__).with_name("report.css")
# The page may use its own style and nothing else, whatever got into it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def as_html(report: Report) -> str:
    """The whole page."""
    return "\n".join(_page(report)) + "\n"


def safe(text: object) -> str:
    """Foreign text as text, also inside an attribute."""
    return escape(printable(str(text), LONGEST), quote=True)


def prose(text: str) -> str:
    """The same, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", safe(text))


def _page(report: Report) -> Iterator[str]:
    verdict = report["verdict"]
    word = wording.WORDS[verdict["status"]]
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{word}: {safe(verdict['sentence'])}</title>"
    yield f"<style>\n{STYLE.read_text('utf-8')}</style></head><body>"
    yield from _verdict(report, word)
    groups = wording.groups(report)
    first = [group for group in groups if group.finding["finding_id"] == verdict["finding_id"]]
    for group in first:
        yield "<section><h2>Why</h2>"
        yield from _group(group, wording.reason(group, report), report, is_open=True)
        yield "</section>"
    yield from _others([group for group in groups if group not in first], report)
    yield from _earlier(report)
    yield from _read(report)
    yield "</body></html>"


def _verdict(report: Report, word: str) -> Iterator[str]:
    verdict = report["verdict"]
    yield f'<header class="{safe(verdict["status"])}"><h1><b>{word}</b> {safe(verdict["sentence"])}</h1>'
    yield f"<p>{safe(wording.headline(verdict) or wording.MEANINGS[verdict['status']])}</p></header>"
    if verdict["next"]:
        yield "<section><h2>Next</h2><ol>"
        yield from (f"<li>{prose(step)}</li>" for step in verdict["next"])
        yield "</ol></section>"


def _group(group: wording.Group, title: str, report: Report, is_open: bool = False) -> Iterator[str]:
    finding = group.finding
    began = f", {wording.span(finding['began'], finding['ended'])}" if finding["began"] else ""
    facts = f"{finding['severity']}, {finding['role']}, {finding['confidence']}, {finding['rule']}{began}"
    yield f'<details class="{safe(finding["severity"])}"{" open" if is_open else ""}>'
    yield f"<summary>{safe(title)} <small>{safe(facts)}</small></summary>"
    yield from _evidence(finding)
    yield from (f"<p>{prose(line)}</p>" for line in finding["advice"].split("\n") if line)
    yield from (f"<p>Against it: {safe(text)}</p>" for text in wording.against(finding, report))
    listed = wording.folded(group)
    if listed:
        yield f"<p>It explains {wording.count(len(group.folded), 'finding')}:</p><ul>"
        yield from (f"<li>{safe(text)}</li>" for text in listed)
        yield "</ul>"
    yield "</details>"


def _evidence(finding: Finding) -> Iterator[str]:
    yield '<dl class="evidence">'
    for line in finding["evidence"]:
        yield f"<dt>{safe(line['file'])}:{line['line']}</dt><dd><pre>{safe(line['text'])}</pre></dd>"
    yield "</dl>"
    more = wording.more_evidence(finding, len(finding["evidence"]))
    if more:
        yield f"<p>{more}</p>"


def _others(groups: Sequence[wording.Group], report: Report) -> Iterator[str]:
    if not groups:
        return
    yield "<section><h2>Also found</h2>"
    for group in groups[:OTHERS]:
        yield from _group(group, group.finding["summary"], report)
    if len(groups) > OTHERS:
        yield f"<p>and {wording.count(len(groups) - OTHERS, 'more finding')}</p>"
    yield "</section>"


def _earlier(report: Report) -> Iterator[str]:
    others = wording.earlier(report)
    if not others:
        return
    yield "<section><h2>Other attempts</h2><ul>"
    for verdict in others:
        when = wording.span(verdict["began"], verdict["ended"])
        word = wording.WORDS[verdict["status"]]
        yield f"<li>attempt {verdict['attempt']}, {when}: <b>{word}</b> {safe(verdict['sentence'])}</li>"
    yield "</ul></section>"


def _read(report: Report) -> Iterator[str]:
    facts = [
        ("job", wording.job(report)),
        ("time", wording.span(report["case"]["began"], report["case"]["ended"])),
        ("lines", wording.lines(report)),
        ("checks", wording.checks(report)),
        *(("failed check", text) for text in wording.failed_checks(report)),
        *(("missing", what) for what in wording.missing(report)),
    ]
    yield "<section><h2>What was read</h2><table>"
    yield from (f"<tr><th>{name}</th><td>{safe(text)}</td></tr>" for name, text in facts)
    yield f"</table><details{' open' if wording.unread(report) else ''}><summary>{wording.unread_title(report)}</summary>"
    yield from _files(report)
    yield "</details></section>"


def _files(report: Report) -> Iterator[str]:
    columns = ("path", "status", "lines", "matched", "unknown", "damaged", "error")
    yield f"<table><tr>{''.join(f'<th>{name}</th>' for name in columns)}</tr>"
    troubled = {id(file) for file in wording.unread(report)}
    for file in sorted(report["files"], key=lambda file: id(file) not in troubled)[:FILES]:
        cells = "".join(f"<td>{safe(file[name] if file[name] is not None else '')}</td>" for name in columns)
        yield f"<tr>{cells}</tr>"
    yield "</table>"
    if len(report["files"]) > FILES:
        yield f"<p>and {len(report['files']) - FILES:,} more</p>"
