"""`ncclscope PATH...`: the terminal application, or without a terminal the text report."""

import argparse
import difflib
from pathlib import Path

from ncclscope import arguments, console, tui
from ncclscope.commands import UsageError, report
from ncclscope.text import printable


def run(args: argparse.Namespace) -> int:
    """Opens the application on the paths where there is a terminal and nothing else was asked for."""
    first = args.paths[0]
    near = difflib.get_close_matches(first, arguments.COMMANDS, 1)
    if near and not Path(first).exists():
        raise UsageError(f"there is neither a file nor a command {printable(first)}; did you mean ncclscope {near[0]}?")
    plain = args.format == "text" and not args.fail_on
    if plain and console.is_interactive():
        return tui.run(args)
    return report.run(args)
