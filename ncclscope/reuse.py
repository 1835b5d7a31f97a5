"""Which parcels of a case are read already: an index that a killed scan leaves whole, and proof that a file only grew."""

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ncclscope import packs
from ncclscope.blocks import BLOCK_BYTES, Outcome
from ncclscope.parcels import LIMITS, Parcel, Piece, blocks_of
from ncclscope.summaries import PieceSummary, Summary

INDEX = "index"
# A slice may look so far beyond its end, for a record that begins in it and for a line that crosses it.
BEYOND_BYTES = 16 << 20

# file_id, location, size, mtime_ns, start, end: what tells without reading that a piece is the same as before.
Mark = tuple[int, str, int, int, int, int | None]


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished parcel: its directory and its pieces when it was read."""

    key: str
    marks: tuple[Mark, ...]


class Index:
    """The finished parcels of a case, one line each in `parcels/index*.jsonl`; every process may append to its own file."""

    def __init__(self, case: Path, extra: tuple[str, ...], writer: str = "") -> None:
        self.root = case / "parcels"
        self.root.mkdir(parents=True, exist_ok=True)
        self.path = self.root / f"{INDEX}{writer}.jsonl"
        self.declarations = packs.parsers_digest(extra)
        self.entries = list(self._load())

    def _load(self) -> Iterator[Entry]:
        for path in sorted(self.root.glob(f"{INDEX}*.jsonl")):
            for line in path.read_text("utf-8", "replace").splitlines():
                # The last line of a scan that was killed may be half a line.
                with contextlib.suppress(ValueError, TypeError, KeyError, IndexError):
                    said = json.loads(line)
                    if said["by"] == self.declarations:
                        yield Entry(said["key"], tuple(_mark(mark) for mark in said["pieces"]))

    def add(self, parcel: Parcel, key: str) -> None:
        """Remembers a parcel, at once: what is read is never read again, whatever happens next."""
        entry = Entry(key, tuple(mark_of(piece) for piece in parcel.pieces))
        self.entries.append(entry)
        line = json.dumps({"by": self.declarations, "key": key, "pieces": entry.marks}) + "\n"
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    def match(self, parcels: Sequence[Parcel]) -> tuple[list[tuple[Mark, Summary]], list[Parcel]]:
        """What is there already, each with its first piece, and parcels of what is still to be read, in order."""
        wanted = {mark_of(piece): piece for parcel in parcels for piece in parcel.pieces}
        known: list[tuple[Mark, Summary]] = []
        for entry in reversed(self.entries):
            if entry.marks and all(mark in wanted for mark in entry.marks):
                summary = read_summary(self.root / entry.key)
                if summary is not None:
                    known.append((entry.marks[0], summary))
                    for mark in entry.marks:
                        del wanted[mark]
        known += self._grown(wanted)
        left = [tuple(piece for piece in parcel.pieces if mark_of(piece) in wanted) for parcel in parcels]
        return known, [Parcel(pieces) for pieces in left if pieces]

    def _grown(self, wanted: dict[Mark, Piece]) -> Iterator[tuple[Mark, Summary]]:
        """Slices of files that have other sizes or times now, and up to there the same bytes: they are hashed, not parsed.

        From the first slice that differs on everything is new, since lines carry times from those above.
        """
        old = {(mark[0], mark[1], mark[4], mark[5]): (entry, mark) for entry in self.entries for mark in entry.marks}
        changed: set[int] = set()
        for mark, piece in sorted(wanted.items(), key=lambda item: (item[0][0], item[0][4])):
            file_id, location, _, _, start, end = mark
            entry, before = old.get((file_id, location, start, end), (None, mark))
            if end is None or entry is None or len(entry.marks) > 1 or file_id in changed or before[2] < end + BEYOND_BYTES:
                changed.add(file_id)
                continue
            summary = read_summary(self.root / entry.key)
            if summary is None or len(summary.pieces) != 1 or digest_of(piece) != summary.pieces[0].digest:
                changed.add(file_id)
                continue
            del wanted[mark]
            self.add(Parcel((piece,)), summary.key)
            now = replace(summary.pieces[0], size=piece.source.size, mtime_ns=piece.source.mtime_ns)
            yield mark, replace(summary, pieces=[now])

    def clean(self, kept: Iterable[str]) -> None:
        """Deletes what killed scans left half done, and parcels that are not in `kept`. Only for the one writer of a case."""
        keep = set(kept)
        for path in self.root.iterdir():
            if path.is_dir() and path.name not in keep:
                shutil.rmtree(path, ignore_errors=True)
        live = [entry for entry in self.entries if entry.key in keep]
        unique = {entry: json.dumps({"by": self.declarations, "key": entry.key, "pieces": entry.marks}) for entry in live}
        half = self.root / f".{INDEX}.{os.getpid()}"
        half.write_text("".join(f"{line}\n" for line in unique.values()), "utf-8")
        half.replace(self.root / f"{INDEX}.jsonl")
        for path in self.root.glob(f"{INDEX}-*.jsonl"):
            path.unlink()


def mark_of(piece: Piece) -> Mark:
    """What tells a piece from others."""
    source = piece.source
    return source.file_id, source.location, source.size, source.mtime_ns, piece.start, piece.end


def digest_of(piece: Piece) -> str:
    """SHA-256 of the lines of a piece, as a parcel has it."""
    outcome = Outcome()
    for _ in blocks_of(piece, BLOCK_BYTES, LIMITS, outcome):
        pass
    return outcome.sha256


def read_summary(directory: Path) -> Summary | None:
    """The summary of a finished parcel, or None."""
    try:
        content = json.loads((directory / "summary.json").read_text())
        return Summary(content["key"], [PieceSummary(**piece) for piece in content["pieces"]], content["rows"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _mark(said: list[Any]) -> Mark:
    file_id, location, size, mtime_ns, start, end = said
    return file_id, location, size, mtime_ns, start, end
