"""`ncclscope report`: what happened, in one of four forms."""

import argparse
from collections.abc import Callable
from typing import Any

from ncclscope import console, narrow
from ncclscope import report as reports
from ncclscope.commands import DONE, FOUND, NOTHING, PARTIAL, UsageError, opening
from ncclscope.formats import html, markdown, text


def run(args: argparse.Namespace) -> int:
    """Prints the report of each case and says by the status how it went."""
    cases = opening.open_all(args)
    if len(cases) > 1 and args.format in ("json", "html"):
        raise UsageError(f"{args.format} holds one report; name one case, or use --format text or md.")
    part = opening.part(args)
    built = [narrow.narrowed(reports.build(case), part) for case in cases]
    if part:
        console.note(f"findings are those of {part.said()}; the verdict is that of all evidence")
    console.emit("\n".join(printed(report, args.format) for report in built))
    return max((status(report, args.fail_on) for report in built), key=_RANKING.index)


def printed(report: reports.Report, form: str) -> str:
    """The report in one of the forms that --format names."""
    forms: dict[str, Callable[[dict[str, Any]], str]] = {
        "text": lambda report: text.as_text(report, console.width(), console.has_colour_on_stdout()),
        "md": markdown.as_markdown,
        "json": reports.as_json,
        "html": html.as_html,
    }
    return forms[form](report)


# Of several reports the status that says most.
_RANKING = (DONE, PARTIAL, NOTHING, FOUND)


def status(report: reports.Report, fail_on: str | None) -> int:
    """The exit status that a report deserves."""
    if fail_on and reports.exceeds(report, fail_on):
        return FOUND
    if not reports.is_usable(report):
        return NOTHING
    return DONE if reports.is_whole(report) else PARTIAL
