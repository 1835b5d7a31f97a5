"""`ncclscope explain`: a rule or kind in prose."""

import argparse

from ncclscope import console, explain, packs
from ncclscope.commands import DONE, UsageError
from ncclscope.text import printable


def run(args: argparse.Namespace) -> int:
    """Prints what is known under the name."""
    pack = packs.load(args.packs)
    found = explain.pages(args.name, pack)
    if not found:
        near = explain.near(args.name, pack)
        hint = f"did you mean {', '.join(near)}?" if near else "docs/rules.md lists rules and kinds."
        raise UsageError(f"there is no rule or kind {printable(args.name)}; {hint}")
    console.emit("\n".join(explain.as_text(page, console.width()) for page in found))
    return DONE
