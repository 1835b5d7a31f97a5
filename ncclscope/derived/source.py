"""The sources of a case as deriving settles them: what is not known yet of a source is filled in step by step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ncclscope.case import Case
from ncclscope.pathhints import Hints


@dataclass(slots=True)
class Source:
    """One source of the case, its pieces put together."""

    file_id: int
    path: str
    member: str | None
    location: str
    argument: int
    mtime_ns: int
    pieces: list[Mapping[str, Any]] = field(default_factory=list)
    host: str | None = None
    host_from: str | None = None
    rank: int | None = None
    hints: Hints = field(default_factory=Hints)
    year: int | None = None
    wraps: bool = False
    boot: datetime | None = None
    duplicate: bool = False
    zone_us: int = 0
    skew_us: int = 0

    @property
    def name(self) -> str:
        """The label that reports show."""
        return f"{self.path}/{self.member}" if self.member else self.path

    @property
    def times(self) -> dict[int, list[datetime]]:
        """For each clock: earliest, latest, first and last time."""
        out: dict[int, list[datetime]] = {}
        for piece in self.pieces:
            for kind, *texts in piece["times"]:
                low, high, first, last = (datetime.fromisoformat(value) for value in texts)
                if kind in out:
                    known = out[kind]
                    out[kind] = [min(known[0], low), max(known[1], high), known[2], last]
                else:
                    out[kind] = [low, high, first, last]
        return out


def sources_of(case: Case) -> list[Source]:
    """The sources of a case, from its manifest, in order."""
    found: dict[int, Source] = {}
    for piece in case.manifest["pieces"]:
        source = found.get(piece["file_id"])
        if source is None:
            source = Source(*(piece[key] for key in ("file_id", "path", "member", "location", "argument", "mtime_ns")))
            found[source.file_id] = source
        source.pieces.append(piece)
    for source in found.values():
        source.pieces.sort(key=lambda piece: piece["start"])
    return sorted(found.values(), key=lambda s: (s.argument, s.path, s.member or ""))
