"""`ncclscope cache`: the cases kept for the next time."""

import argparse
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from ncclscope import console, locks, scan
from ncclscope.commands import DONE
from ncclscope.schema import MANIFEST
from ncclscope.text import printable

DAY_S = 86_400


def run(args: argparse.Namespace) -> int:
    """Lists the cases, newest first, or deletes them. One that a scan is writing is left alone."""
    home = scan.cache_home()
    found = sorted(((_used(path), path) for path in cases(home)), reverse=True)
    oldest = None if args.older is None else time.time() - args.older * DAY_S
    count = total = 0
    for used, path in found:
        if oldest is not None and used >= oldest:
            continue
        busy = locks.is_held(path)
        held = size_of(path)
        note = " (in use)" if busy else ""
        console.emit(f"{path}\t{console.size(held)}\t{_paths(path)}{note}\n")
        if args.clean and not busy:
            shutil.rmtree(path, ignore_errors=True)
        if not (args.clean and busy):
            count, total = count + 1, total + held
    done = "deleted from" if args.clean else "kept in"
    console.note(f"{count} cases, {console.size(total)}, {done} {home}")
    return DONE


def cases(home: Path) -> Iterator[Path]:
    """What in the cache is a case, finished or not; anything else there is left alone."""
    if home.is_dir():
        for path in home.iterdir():
            if (path / MANIFEST).is_file() or (path / "parcels").is_dir():
                yield path


def size_of(path: Path) -> int:
    """Bytes of all files below."""
    total = 0
    for file in path.rglob("*"):
        try:
            total += file.lstat().st_size if not file.is_dir() else 0
        except OSError:  # a scan has just renamed it
            continue
    return total


def _used(path: Path) -> float:
    """When it was written to last."""
    try:
        return max(path.stat().st_mtime, *(file.stat().st_mtime for file in path.glob("*")))
    except OSError:
        return 0.0


def _paths(path: Path) -> str:
    try:
        return " ".join(printable(named) for named in json.loads((path / MANIFEST).read_text())["paths"])
    except (OSError, ValueError, KeyError):
        return "(not finished)"
