"""`ncclscope PATH...`: the terminal application, or without a terminal the text report."""

import argparse
import importlib
import importlib.util

from ncclscope import console
from ncclscope.commands import report


def run(args: argparse.Namespace) -> int:
    """Opens the application on the paths where there is a terminal and nothing else was asked for."""
    plain = args.format == "text" and not args.fail_on
    if plain and console.is_interactive() and importlib.util.find_spec("ncclscope.tui"):
        status: int = importlib.import_module("ncclscope.tui").run(args)
        return status
    return report.run(args)
