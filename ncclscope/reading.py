"""What readers of formats made of lines have in common, for packs to import: numbered lines in, rows as columns out."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, BinaryIO

import polars as pl

from ncclscope import clock

Found = Iterator[tuple[str, pl.DataFrame]]  # what a reader yields: (table, rows)
Time = tuple[datetime | None, int | None]  # and which clock; see ncclscope.clock

CHUNK_BYTES = 4 << 20
MOST_ROWS = 100_000  # held before they are handed over
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LONG_BUS = re.compile(r"^0000([0-9a-f]{4}:)")

_Columns = dict[str, pl.DataType | type[pl.DataType]]
_BOTH: _Columns = {"line": pl.UInt64, "ts": pl.Datetime("us"), "ts_clock": pl.Int8, "host": pl.String, "gpu": pl.Int32, "pid": pl.Int32}
_METRICS: _Columns = {**_BOTH, "device": pl.String, "name": pl.String, "value": pl.Float64, "unit": pl.String, "mode": pl.String}
_PAIRS = pl.List(pl.Struct({"key": pl.String, "value": pl.String}))
_EVENTS: _Columns = {**_BOTH, "kind": pl.String, "severity": pl.Int8, "message": pl.String, "fields": _PAIRS}


def lines_of(stream: BinaryIO, longest: int) -> Iterator[tuple[int, str]]:
    """Numbered lines without ends and colours; what a line has beyond `longest` bytes is dropped."""
    number, held = 0, b""
    while data := stream.read(CHUNK_BYTES):
        *whole, held = (held + data).split(b"\n")
        held = held[:longest]
        for line in whole:
            number += 1
            yield number, _plain(line[:longest])
    if held:
        yield number + 1, _plain(held)


def _plain(line: bytes) -> str:
    text = line.decode("utf-8", "replace").rstrip()
    return _ANSI.sub("", text) if "\x1b" in text else text


class Rows:
    """Rows not yet handed over: lists with a place for each column, which may still be completed; GPU is the place of a GPU's index."""

    GPU = list(_BOTH).index("gpu")

    def __init__(self, most: int = MOST_ROWS) -> None:
        self.most = most
        self.metrics: list[list[Any]] = []
        self.events: list[list[Any]] = []
        self.frames: list[tuple[str, pl.DataFrame]] = []
        self.unread: list[int] = []
        self.damaged: list[int] = []

    @property
    def full(self) -> bool:
        """Is it time to hand them over?"""
        return len(self.metrics) + len(self.unread) > self.most

    def metric(
        self,
        line: int,
        name: str,
        value: float,
        unit: str | None = None,
        mode: str = "gauge",
        *,
        time: Time = (None, None),
        host: str | None = None,
        gpu: int | None = None,
        device: str | None = None,
    ) -> list[Any]:
        """Keeps one number."""
        row = [line, *time, host, gpu, None, device, name, value, unit, mode]
        self.metrics.append(row)
        return row

    def event(
        self,
        line: int,
        kind: str,
        severity: int,
        message: str,
        fields: Mapping[str, Any],
        *,
        time: Time = (None, None),
        host: str | None = None,
        gpu: int | None = None,
        pid: int | None = None,
    ) -> list[Any]:
        """Keeps one event, with its fields that are not None."""
        pairs = [{"key": key, "value": str(value)} for key, value in fields.items() if value is not None]
        row = [line, *time, host, gpu, pid, kind, severity, message, pairs]
        self.events.append(row)
        return row

    def take(self) -> Found:
        """Everything kept, once."""
        for table, rows, columns in (("metrics", self.metrics, _METRICS), ("events", self.events, _EVENTS)):
            if rows:
                yield table, pl.DataFrame(list(zip(*rows, strict=True)), schema=columns, strict=False)
        yield from self.frames
        for table, lines in (("unread", self.unread), ("damaged", self.damaged)):
            if lines:
                yield table, pl.DataFrame({"line": lines}, schema={"line": pl.UInt64})
        self.metrics, self.events, self.frames, self.unread, self.damaged = [], [], [], [], []


class Taker(ABC):
    """Makes rows of lines, one by one."""

    def __init__(self) -> None:
        self.rows = Rows()

    @abstractmethod
    def line(self, number: int, text: str) -> bool:
        """Takes a line; False if it is something else."""

    def close(self) -> None:  # noqa: B027
        """After the last line, for what is still open then."""


def taken(stream: BinaryIO, taker: Taker, longest: int) -> Found:
    """What a taker makes of the lines of a stream; those that it does not take are unread."""
    for number, text in lines_of(stream, longest):
        if text and not text.isspace() and not taker.line(number, text):
            taker.rows.unread.append(number)
        if taker.rows.full:
            yield from taker.rows.take()
    taker.close()
    yield from taker.rows.take()


@lru_cache(maxsize=4096)
def when(text: str) -> Time:
    """Time and clock of a time string."""
    found = clock.read_times(pl.Series([text.strip()]))
    return found["ts"][0], found["clock"][0]


def bus_id(text: str) -> str:
    """A PCI address as the kernel writes it: 0000:9a:00.0."""
    return _LONG_BUS.sub(r"\1", text.lower())
