"""Shares of a scan on several machines: what each shard read and how it ended, in `shards/` beside the cases."""

import argparse
import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ncclscope import locks

FOLDER = "shards"
# What `merge` needs to know of how a shard was started.
_SAID = ("paths", "packs", "timezone", "many", "group_by", "job", "since", "until")


@dataclass(frozen=True, slots=True)
class Shard:
    """One share: `state` is done, running, failed (it began and did not end) or absent."""

    number: int
    of: int
    state: str
    said: dict[str, Any]


def ledger_of(number: int, of: int) -> str:
    """The ledger of a shard that reads whole jobs, below the batch."""
    return f"{FOLDER}/ledger-{number}-of-{of}.json"


def writer_of(number: int, of: int) -> str:
    """The mark of its index, where it reads a share of one case."""
    return f"-{number}-of-{of}"


@contextlib.contextmanager
def report(out: Path, shard: tuple[int, int] | None, args: argparse.Namespace) -> Iterator[None]:
    """Says in the folder that this shard runs, and at the end that it is done. Does nothing for a scan of everything."""
    if shard is None:
        yield
        return
    folder = out / FOLDER
    number, of = shard
    lock = f".{number}-of-{of}.lock"
    with locks.hold(folder, name=lock):
        path = folder / f"state-{number}-of-{of}.json"
        said = {name: getattr(args, name) for name in _SAID}
        said["paths"] = [os.path.abspath(path) for path in args.paths]
        _write(path, {"number": number, "of": of, "done": False, **said})
        yield
        _write(path, {"number": number, "of": of, "done": True, **said})


def shards(out: Path) -> list[Shard]:
    """Every shard there should be, in order; none where no shard has ever run."""
    found: dict[tuple[int, int], Shard] = {}
    for path in sorted((out / FOLDER).glob("state-*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError):
            said = json.loads(path.read_text("utf-8"))
            number, of = said["number"], said["of"]
            running = locks.is_held(out / FOLDER, f".{number}-of-{of}.lock")
            state = "done" if said["done"] else "running" if running else "failed"
            found[of, number] = Shard(number, of, state, said)
    counts = {of for of, _ in found}
    return [found.get((of, n)) or Shard(n, of, "absent", {}) for of in sorted(counts) for n in range(1, of + 1)]


def _write(path: Path, content: dict[str, Any]) -> None:
    half = path.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    half.replace(path)
