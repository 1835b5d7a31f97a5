"""Reads the CSV of `nvidia-smi --query-gpu`: any columns in any order, with or without header, units and timestamps."""

from typing import BinaryIO

import polars as pl

from ncclscope.reading import Found
from ncclscope.sources import Source

from .blocks import blocks_of
from .reader import Reader


def read(stream: BinaryIO, source: Source) -> Found:
    """Metrics of every numeric column, and events for identities, faults and states; see the TOML beside."""
    reader = Reader()
    for first, count, data in blocks_of(stream):
        if data is None:
            yield "damaged", pl.DataFrame({"line": [first]}, schema={"line": pl.UInt64})
        else:
            yield from reader.chunk(first, count, data)
