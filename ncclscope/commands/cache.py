"""`ncclscope cache`: the cases kept for the next time."""

import argparse
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from ncclscope import console, scan
from ncclscope.case import MANIFEST
from ncclscope.commands import DONE
from ncclscope.text import printable


def run(args: argparse.Namespace) -> int:
    """Lists the cases, newest first, or deletes them."""
    home = scan.cache_home()
    found = sorted(cases(home), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in found:
        held = size_of(path)
        total += held
        console.emit(f"{path}\t{console.size(held)}\t{_paths(path)}\n")
        if args.clean:
            shutil.rmtree(path)
    done = "deleted" if args.clean else "kept"
    console.note(f"{len(found)} cases, {console.size(total)}, {done} in {home}")
    return DONE


def cases(home: Path) -> Iterator[Path]:
    """What in the cache is a case, finished or not; anything else there is left alone."""
    if home.is_dir():
        for path in home.iterdir():
            if (path / MANIFEST).is_file() or (path / "parcels").is_dir():
                yield path


def size_of(path: Path) -> int:
    """Bytes of all files below."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _paths(path: Path) -> str:
    try:
        return " ".join(printable(named) for named in json.loads((path / MANIFEST).read_text())["paths"])
    except (OSError, ValueError, KeyError):
        return "(not finished)"
