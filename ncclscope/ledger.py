"""What is known of a batch of cases: one entry a job in `batch.json`, and which jobs were found twice."""

import contextlib
import json
import os
import shutil
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ncclscope.jobs import Job, marked
from ncclscope.schema import MANIFEST

NAME = "batch.json"
# Cases of jobs that are there twice: out of the way of globs over the batch.
SAME = ".same"
DONE, FAILED = "done", "failed"
# A smaller copy under another name may be chance.
SURE_BYTES = 4096
SAVE_EVERY_S = 2.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One job: why its files belong together, what it was read from, and what came of it.

    `identity` changes with the input or with what judges it. `base` is the id, or else the name, by which the same job
    may be found elsewhere, and `content` a digest of all of it.
    """

    name: str
    how: str
    paths: tuple[str, ...]
    identity: str
    base: str = ""
    content: str = ""
    status: str = ""
    error: str | None = None
    outcome: dict[str, Any] = field(default_factory=dict)
    same_as: str | None = None


@dataclass(slots=True)
class Ledger:
    """The entries of a batch by name, and the archives that hold several jobs."""

    jobs: dict[str, Entry] = field(default_factory=dict)
    volumes: dict[str, dict[str, Any]] = field(default_factory=dict)
    path: Path | None = None
    saved: float = 0.0

    @classmethod
    def load(cls, path: Path) -> "Ledger":
        """The ledger as it was left, empty where there is none."""
        try:
            content = json.loads(path.read_text("utf-8"))
            entries = [Entry(**{**one, "paths": tuple(one["paths"])}) for one in content["jobs"]]
            return cls({entry.name: entry for entry in entries}, content["volumes"], path)
        except (OSError, ValueError, TypeError, KeyError):
            return cls(path=path)

    def save(self, out: Path, sparingly: bool = False) -> None:
        """Writes it, whole or not at all; `sparingly` not more often than every two seconds."""
        now = time.monotonic()
        if sparingly and now - self.saved < SAVE_EVERY_S:
            return
        self.saved = now
        path = self.path or out / NAME
        entries = [asdict(self.jobs[name]) for name in sorted(self.jobs)]
        half = path.with_name(f".{path.name}.{os.getpid()}")
        half.write_text(json.dumps({"jobs": entries, "volumes": dict(sorted(self.volumes.items()))}, indent=1) + "\n", "utf-8")
        half.replace(path)

    def named(self, job: Job) -> Job:
        """The job under a name that no job of other paths has taken in an earlier scan."""
        entry = self.jobs.get(job.name)
        if entry is None or set(entry.paths) & set(full(job.paths)):
            return job
        return marked(job)


def full(paths: Iterable[str]) -> tuple[str, ...]:
    """Absolute paths, as valid text."""
    return tuple(os.path.abspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for path in paths)


def place(out: Path, entry: Entry) -> Path:
    """Where its case is."""
    return out / SAME / entry.name if entry.same_as else out / entry.name


def bring_back(out: Path, name: str) -> Path:
    """The directory for the case of a job, which may have been put aside."""
    with contextlib.suppress(OSError):
        (out / SAME / name).rename(out / name)
    return out / name


def mark_same(out: Path, book: Ledger) -> None:
    """Marks the jobs that are there more than once, and puts their cases aside.

    Jobs of one id are the same if all of one is found in the other; jobs of which one has no id, if all of both is the
    same and of some size. The largest stays, or the first by name.
    """
    entries = sorted(book.jobs.values(), key=lambda entry: entry.name)
    same = dict(_by_content(entries))
    by_base: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.status == DONE and entry.name not in same:
            by_base[entry.base].append(entry)
    for several in by_base.values():
        if len(several) > 1:
            same |= _by_parts(out, several)
    for entry in entries:
        found = same.get(entry.name)
        if found != entry.same_as:
            _move(out, entry, found)
            book.jobs[entry.name] = replace(entry, same_as=found)


def _by_content(entries: Sequence[Entry]) -> Iterable[tuple[str, str]]:
    first: dict[str, Entry] = {}
    for entry in entries:
        if entry.status != DONE or not entry.content:
            continue
        other = first.setdefault(entry.content, entry)
        contradict = entry.base != other.base and entry.base.isdigit() and other.base.isdigit()
        large = entry.outcome.get("size_bytes", 0) >= SURE_BYTES
        if other is not entry and not contradict and (large or entry.base == other.base):
            yield entry.name, other.name


def _by_parts(out: Path, several: Sequence[Entry]) -> dict[str, str]:
    """Of jobs with one id: those all of whose content another holds."""
    held = {entry.name: _contents(place(out, entry)) for entry in several}
    order = sorted(several, key=lambda entry: (-len(held[entry.name]), entry.name))
    same: dict[str, str] = {}
    for number, entry in enumerate(order):
        for larger in order[:number]:
            if held[entry.name] and larger.name not in same and held[entry.name] <= held[larger.name]:
                same[entry.name] = larger.name
                break
    return same


def _contents(case: Path) -> frozenset[tuple[str, int]]:
    try:
        pieces = json.loads((case / MANIFEST).read_text("utf-8"))["pieces"]
    except (OSError, ValueError, KeyError):
        return frozenset()
    return frozenset((piece["digest"], piece["size_bytes"]) for piece in pieces if piece["size_bytes"] and piece["digest"])


def _move(out: Path, entry: Entry, same_as: str | None) -> None:
    source, target = place(out, entry), place(out, replace(entry, same_as=same_as))
    if source == target:
        return
    target.parent.mkdir(exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    with contextlib.suppress(OSError):
        source.rename(target)
