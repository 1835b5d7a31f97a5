"""Reads what nvidia-smi prints for people: `-q`, `topo -m`, `nvlink -s` and `-e`, `-L`, `dmon` and `pmon`."""

import re
from collections.abc import Callable
from typing import BinaryIO

from ncclscope.reading import Found, lines_of, when
from ncclscope.sources import Source

from .links import Links
from .monitor import Monitor
from .out import Out
from .query import Query
from .topology import Topology

LONGEST_LINE = 4096  # of a line in these formats; longer ones are not ours
CTIME = re.compile(r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} (?:[A-Z]{3,4} )?20[0-9]{2}\s*$")


def read(stream: BinaryIO, source: Source) -> Found:
    """Metrics, and events for identities, faults, throttle reasons, links and topology; see the TOML beside."""
    reader = Reader()
    for number, line in lines_of(stream, LONGEST_LINE):
        reader.line(number, line)
        if reader.full:
            yield from reader.flush()
    reader.end()
    yield from reader.flush()


class Reader:
    """Knows which of the formats the lines at hand belong to."""

    def __init__(self) -> None:
        self.out = Out()
        self.query = Query(self.out)
        self.monitor = Monitor(self.out)
        self.parts = (self.monitor, Links(self.out), Topology(self.out), self.query)
        self.mode: Callable[[int, str], bool] | None = None

    @property
    def full(self) -> bool:
        """Is it time to hand rows over?"""
        # What is open in -q may still learn the index of its GPU.
        return self.out.full and self.mode != self.query.line

    def flush(self) -> Found:
        """Rows so far."""
        self.monitor.close()
        yield from self.out.take()

    def end(self) -> None:
        """The last block is complete."""
        for part in self.parts:
            part.close()

    def line(self, number: int, text: str) -> None:
        """Gives a line to the format that goes on, else to the one that begins here."""
        if not text.strip():
            return
        if CTIME.match(text):
            self.out.time = when(text)
            return
        if self.mode is not None and self.mode(number, text):
            return
        for part in self.parts:
            if part.begins(text):
                if self.mode is not None and self.mode != part.line:
                    self.end()
                self.mode = part.line
                part.line(number, text)
                return
        if self.mode is not None:
            self.end()
            self.mode = None
        self.out.unread.append(number)
