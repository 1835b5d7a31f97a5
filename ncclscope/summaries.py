"""What a worker says of a parcel that it has read."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class PieceSummary:
    """What a worker learnt of one piece of a source."""

    file_id: int
    argument: int
    path: str
    member: str | None
    location: str
    size: int
    mtime_ns: int
    start: int
    lines: int = 0
    matched: int = 0
    damaged: int = 0
    digest: str = ""
    size_bytes: int = 0
    status: str = "ok"
    error: str | None = None
    # One of each clock: [clock, min, max, first, last], ISO text.
    times: list[list[Any]] = field(default_factory=list)


@dataclass(slots=True)
class Summary:
    """A finished parcel: its directory's name and its pieces."""

    key: str
    pieces: list[PieceSummary]
    rows: dict[str, int]
