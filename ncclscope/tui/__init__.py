"""The terminal application: `run` is what the command line calls when somebody is there to press keys."""

import argparse

from ncclscope import console


def run(args: argparse.Namespace) -> int:
    """Shows the cases or the evidence that the arguments name; returns the exit status."""
    from ncclscope.tui import app, opening  # noqa: PLC0415  (help needs neither)

    wanted = opening.wanted(args)
    scope = app.Scope(wanted)
    scope.run(mouse=not getattr(args, "no_mouse", False))
    for text in scope.parting:
        console.note(text)
    return scope.return_code or 0
