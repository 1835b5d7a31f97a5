"""`ncclscope demo`: the report of a sample case, or in a terminal a tour over several."""

import argparse
import difflib
import json

from ncclscope import analyse, console, samples, tui
from ncclscope import report as reports
from ncclscope.commands import DONE, UsageError, opening, report
from ncclscope.text import printable


def run(args: argparse.Namespace) -> int:
    """Opens the tour, prints the report of a sample, or lists the samples."""
    known = samples.names()
    if args.list:
        for name in known:
            why = json.loads((samples.folder() / name / "expect.json").read_text("utf-8"))["why"]
            console.emit(f"{name}\t{why}\n")
        return DONE
    if not args.name and args.format == "text" and console.is_interactive():
        return tui.show_tour(args)
    name = args.name or samples.HUNG
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else "ncclscope demo --list has them."
        raise UsageError(f"there is no sample {printable(name)}; {hint}")
    logs = samples.folder() / name / "logs"
    console.note(f"reading {logs}")
    opened = opening.open_one(opening.scanned([str(logs)], analyse.Options()), ())
    console.emit(report.printed(reports.build(opened), args.format))
    return DONE
