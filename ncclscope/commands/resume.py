"""`ncclscope resume`: the application where the last session left it."""

import argparse

from ncclscope import console, tui
from ncclscope.commands import UsageError


def run(args: argparse.Namespace) -> int:
    """Opens the last session's case on its screen, with its cursor, filter and marks."""
    if not console.is_interactive():
        raise UsageError("resume needs a terminal.")
    status = tui.resume(args)
    if status is None:
        raise UsageError("there is no last session to resume, or its case is gone: ncclscope PATH opens one.")
    return status
