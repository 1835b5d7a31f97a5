"""`ncclscope diff`: what a bad run has that a good one has not."""

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from ncclscope import compare, console
from ncclscope.case import Case
from ncclscope.commands import DONE, opening
from ncclscope.compare import Difference
from ncclscope.text import printable

SHOWN = 12
WIDTH = 300


def run(args: argparse.Namespace) -> int:
    """Prints the differences, section by section."""
    good, bad = (compare.facts(_open(args, path)) for path in (args.good, args.bad))
    found = list(compare.differences(good, bad))
    if args.format == "json":
        console.emit(json.dumps(_as_json(args, found), indent=2, ensure_ascii=False) + "\n")
    else:
        console.emit("\n".join(_text(args, found)) + "\n")
    return DONE


def _open(args: argparse.Namespace, path: str) -> Case:
    one = argparse.Namespace(**{**vars(args), "paths": [path], "job": []})
    return opening.open_all(one)[0]


def _as_json(args: argparse.Namespace, found: Sequence[Difference]) -> dict[str, Any]:
    listed = [
        {"section": one.section, "item": printable(one.item), "good": _plain(one.good), "bad": _plain(one.bad), "only": _only(one)}
        for one in found
    ]
    return {"good": printable(args.good), "bad": printable(args.bad), "differences": listed}


def _only(one: Difference) -> str | None:
    return "bad" if one.good is None else "good" if one.bad is None else None


def _text(args: argparse.Namespace, found: Sequence[Difference]) -> Iterator[str]:
    yield f"+ only in {printable(args.bad)}   - only in {printable(args.good)}   ~ differs (good, then bad)"
    if not found:
        yield "no difference in what the two cases show"
    for section, several in groupby(found, lambda one: one.section):
        every = list(several)
        shown = every if args.all else every[:SHOWN]
        yield ""
        yield section.upper()
        yield from map(_line, shown)
        if len(every) > len(shown):
            yield f"  and {len(every) - len(shown)} more; --all shows them"


def _line(one: Difference) -> str:
    item = printable(one.item, WIDTH)
    if one.good is None:
        return f"+ {item}: {_shown(one.bad)}"
    if one.bad is None:
        return f"- {item}: {_shown(one.good)}"
    return f"~ {item}: {_shown(one.good)} -> {_shown(one.bad)}"


def _shown(value: Any) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else printable(str(value), WIDTH)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int | float) else printable(str(value), 1 << 16)
