"""Where bytes come from: finds sources, cuts them into parcels, reads them, and finds a line again."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, cast

from ncclscope.blocks import BLOCK_BYTES, Block, Outcome
from ncclscope.decompress import Flow, Limits, Meter, Raw, chunks_of
from ncclscope.parcels import LIMITS, PARCEL_BYTES, Parcel, Piece, Reading, blocks_of, cut, read
from ncclscope.walk import Problem, Source, SourceError, file_id_of, find, open_file, reason, sniff

__all__ = [
    "BLOCK_BYTES",
    "PARCEL_BYTES",
    "Block",
    "Excerpt",
    "Limits",
    "Outcome",
    "Parcel",
    "Piece",
    "Problem",
    "Reading",
    "Source",
    "SourceError",
    "cut",
    "excerpt",
    "file_id_of",
    "find",
    "head",
    "lines_at",
    "open_stream",
    "read",
    "stream",
]

HEAD_BYTES = 8192
BUFFER_BYTES = 64 << 10
PASS_BYTES = 1 << 20  # blocks of a pass that looks for one line
WINDOW_BYTES = 256 << 10
MOST_BYTES = 64 << 20


def stream(blocks: Iterable[Block]) -> BinaryIO:
    """The bytes of blocks as one file that is read forwards, with long lines whole."""
    return _buffered(Raw(Flow(_whole(blocks))))


def _whole(blocks: Iterable[Block]) -> Iterator[bytes]:
    for block in blocks:
        if block.rest is None:
            yield block.data
        else:
            yield block.data[:-1]
            yield from block.rest


def open_stream(source: Source) -> BinaryIO:
    """The decompressed bytes of a plain or compressed file, as far as they can be had.

    Raises SourceError when it cannot be opened, or is a member of an archive, which only `read` can open.
    """
    if source.member is not None:
        raise SourceError(f"{source.path}: a member of an archive is not a file")
    try:
        file = open_file(source.location)
    except OSError as error:
        raise SourceError(f"{source.path}: {reason(error)}") from None
    meter = Meter(file, LIMITS)
    if not source.compression:
        return _buffered(Raw(Flow(chunks_of(file, None)), cast(io.IOBase, file)))
    flow = Flow(chunks_of(meter, source.compression), LIMITS.source_bytes, meter)
    return _buffered(Raw(flow, cast(io.IOBase, file)))


def _buffered(raw: Raw) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(raw, BUFFER_BYTES))


def head(source: Source, n: int = HEAD_BYTES) -> bytes:
    """The first `n` decompressed bytes, or all there are. Raises SourceError when it cannot be opened."""
    with stream(_pass(source, 0)) if source.member else open_stream(source) as file:
        return file.read(n)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line and its neighbours, with their newlines. `line` is b'' when the source ends before it."""

    before: list[bytes]
    line: bytes
    after: list[bytes]


def lines_at(source: Source, offset: int, before_lines: int = 0, after_lines: int = 0) -> bytes:
    """The line that holds the byte at `offset`, and its neighbours. Raises SourceError when the source is gone."""
    found = excerpt(source, offset, before_lines, after_lines)
    return b"".join([*found.before, found.line, *found.after])


def excerpt(source: Source, offset: int, before_lines: int = 0, after_lines: int = 0) -> Excerpt:
    """The line that holds the byte at `offset`, and its neighbours: one seek in a plain file, else one pass.

    Raises SourceError when the source is gone.
    """
    plain = not (source.member or source.compression)
    window = WINDOW_BYTES if plain else offset
    while True:
        start = max(offset - window, 0)
        found = _around(_pass(source, start), offset, before_lines, after_lines)
        if not start or (found.line and len(found.before) == before_lines) or window >= MOST_BYTES:
            return found
        window *= 16


def _around(blocks: Iterator[Block], offset: int, before_lines: int, after_lines: int) -> Excerpt:
    before: list[bytes] = []
    line, after = b"", list[bytes]()
    for block in blocks:
        data, at = block.data, offset - block.offset
        if at >= len(data):
            before = _last(before + _lines(data), before_lines)
            continue
        if at < 0 and not line:
            break
        if not line:
            start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at) + 1 or len(data)
            before = _last(before + _lines(data[:start]), before_lines)
            line, data = data[start:end], data[end:]
        after = (after + _lines(data))[:after_lines]
        if len(after) == after_lines:
            break
    return Excerpt(before, line, after) if line else Excerpt([], b"", [])


def _lines(data: bytes) -> list[bytes]:
    *lines, rest = data.split(b"\n")
    return [line + b"\n" for line in lines] + ([rest] if rest else [])


def _last(lines: list[bytes], count: int) -> list[bytes]:
    return lines[-count:] if count else []


def _pass(source: Source, start: int) -> Iterator[Block]:
    """The blocks of any source, from the first line that begins at `start` or after."""
    outcome = Outcome()
    if source.member is None:
        yield from blocks_of(Piece(source, start), PASS_BYTES, LIMITS, outcome)
        if outcome.status == "failed" and not outcome.size_bytes:
            raise SourceError(f"{source.path}: {outcome.error}")
        return
    try:
        outer = sniff(replace(source, member=None))
    except OSError as error:
        raise SourceError(f"{source.path}: {reason(error)}") from None
    for found, blocks, _ in read(Parcel((Piece(outer),)), PASS_BYTES):
        if found.member == source.member:
            yield from blocks
            return
    raise SourceError(f"{source.path}: has no member {source.member} any more")
