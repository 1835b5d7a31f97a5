"""`ncclscope parsers`: what is read, from the declarations."""

import argparse

from ncclscope import console, explain, packs
from ncclscope.commands import DONE


def run(args: argparse.Namespace) -> int:
    """Prints one line for each parser, or for each kind of event."""
    pack = packs.load(args.packs, rules=False)
    if args.kinds:
        for kind in explain.event_kinds(pack):
            console.emit(f"{kind}\n")
        return DONE
    width = max(map(len, pack.parsers), default=0)
    for parser in pack.parsers.values():
        console.emit(f"{parser.id:<{width}}  {parser.title} -> {', '.join(explain.tables_of(parser))}\n")
    console.note(f"{len(pack.parsers)} parsers, {len(explain.event_kinds(pack))} kinds of events; ncclscope explain PARSER says more")
    return DONE
