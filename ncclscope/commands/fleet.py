"""`ncclscope fleet`: what a folder of cases has in common."""

import argparse
import json
import textwrap
from collections.abc import Iterator
from typing import Any

from ncclscope import console, fleet
from ncclscope.commands import DONE, UsageError
from ncclscope.text import printable

_TITLES = {"hosts": "HOSTS", "gpus": "GPUS", "devices": "NICS, PORTS AND OTHER DEVICES"}
_CASES = 4


def run(args: argparse.Namespace) -> int:
    """Prints which parts keep coming back."""
    if not args.dir.is_dir() or not fleet.cases(args.dir):
        raise UsageError(f"there are no cases in {args.dir}; ncclscope scan --each -o DIR makes them.")
    told = fleet.as_told(args.dir)
    text = json.dumps(told, indent=2, ensure_ascii=False) if args.format == "json" else "\n".join(_text(told, args.top))
    console.emit(f"{text}\n")
    return DONE


def _text(told: dict[str, Any], top: int) -> Iterator[str]:
    yield f"{told['cases']} cases: " + ", ".join(f"{count} {status}" for status, count in told["verdicts"].items())
    for level, said in told["levels"].items():
        named = said["named"]
        yield ""
        yield f"{_TITLES[level]}  {len(named)} named of {said['looked_at']} used"
        sure = [part for part in named if part["conspicuous"]]
        if named and not sure:
            yield "  none is named more often than chance would have it"
        for part in (sure + [part for part in named if not part["conspicuous"]])[:top]:
            mark = "keeps coming back" if part["conspicuous"] else ""
            line = f"  {printable(part['name']):<28} named in {part['named']} of {part['used']} cases, p {part['p']:.2g}  {mark}"
            yield line.rstrip()
            if part["conspicuous"]:
                more = f" and {len(part['cases']) - _CASES} more" if len(part["cases"]) > _CASES else ""
                yield f"    {', '.join(map(printable, part['cases'][:_CASES]))}{more}"
    yield ""
    yield from textwrap.wrap(told["method"], 79)
