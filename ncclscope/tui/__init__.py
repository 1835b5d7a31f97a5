"""The terminal application: `run` is what the command line calls when somebody is there to press keys."""

import argparse
from typing import TYPE_CHECKING

from ncclscope import console

if TYPE_CHECKING:
    from ncclscope.tui import opening


def run(args: argparse.Namespace) -> int:
    """Shows the cases or the evidence that the arguments name; returns the exit status."""
    from ncclscope.tui import opening  # noqa: PLC0415  (help does not need it)

    return _show(opening.wanted(args), args)


def resume(args: argparse.Namespace) -> int | None:
    """Opens where the last session was; None where there was none, or its case is gone."""
    from ncclscope.tui import last  # noqa: PLC0415

    wanted = last.wanted()
    return None if wanted is None else _show(wanted, args)


def show_tour(args: argparse.Namespace) -> int:
    """Leads through the sample incidents."""
    from ncclscope.tui import opening  # noqa: PLC0415

    return _show(opening.Wanted(is_tour=True), args)


def _show(wanted: "opening.Wanted", args: argparse.Namespace) -> int:
    from ncclscope.tui import app  # noqa: PLC0415

    scope = app.Scope(wanted)
    scope.run(mouse=not getattr(args, "no_mouse", False))
    for text in scope.parting:
        console.note(text)
    return scope.return_code or 0
