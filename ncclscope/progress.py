"""How far a batch is, on one line of at most 79 columns or as JSON. Imports no heavy library."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ncclscope import console

SAY_EVERY_S = 1.0


@dataclass(slots=True)
class Pace:
    """Jobs, bytes and failures, and from how they grew the time that is left."""

    began: float = field(default_factory=time.monotonic)
    jobs_done: int = 0
    jobs_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    failures: int = 0
    # What was there already when the work began, which says nothing about its speed.
    bytes_before: int | None = None
    said: float = 0.0

    def reach(self, jobs_done: int, jobs_total: int, bytes_done: int, bytes_total: int, failures: int) -> None:
        """Notes how far it is."""
        self.jobs_done, self.jobs_total = jobs_done, jobs_total
        self.bytes_done, self.bytes_total, self.failures = min(bytes_done, bytes_total), bytes_total, failures
        if self.bytes_before is None:
            self.bytes_before = self.bytes_done

    def rate(self, elapsed_s: float) -> float:
        """Bytes a second."""
        return (self.bytes_done - (self.bytes_before or 0)) / elapsed_s if elapsed_s > 0 else 0.0

    def eta_s(self, elapsed_s: float) -> float | None:
        """Seconds that are left, or None where nothing tells."""
        rate = self.rate(elapsed_s)
        return (self.bytes_total - self.bytes_done) / rate if rate > 0 else None

    def line(self, elapsed_s: float | None = None) -> str:
        """`jobs 12/200  3.2 GB of 14.1 GB  41.2 MB/s  ETA 4:31  2 failed`."""
        elapsed = time.monotonic() - self.began if elapsed_s is None else elapsed_s
        eta = self.eta_s(elapsed)
        parts = [
            f"jobs {self.jobs_done}/{self.jobs_total}",
            f"{console.size(self.bytes_done)} of {console.size(self.bytes_total)}",
            f"{console.size(self.rate(elapsed))}/s",
            f"ETA {clock(eta)}" if eta is not None else "",
            f"{self.failures} failed",
        ]
        return "  ".join(part for part in parts if part)[:79]

    def due(self) -> bool:
        """Is it time to say it again?"""
        now = time.monotonic()
        if now - self.said < SAY_EVERY_S:
            return False
        self.said = now
        return True

    def as_json(self) -> dict[str, Any]:
        """The same for machines."""
        elapsed = time.monotonic() - self.began
        eta = self.eta_s(elapsed)
        return {
            "event": "progress",
            "jobs_done": self.jobs_done,
            "jobs_total": self.jobs_total,
            "bytes_done": self.bytes_done,
            "bytes_total": self.bytes_total,
            "bytes_per_second": round(self.rate(elapsed)),
            "eta_s": None if eta is None else round(eta, 1),
            "failures": self.failures,
            "elapsed_s": round(elapsed, 1),
        }


def clock(seconds: float) -> str:
    """`0:07`, `4:31` or `12:05:00`."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def emit(event: Mapping[str, Any]) -> None:
    """One JSON object as a line of stdout."""
    console.emit(json.dumps(event, ensure_ascii=False) + "\n")
