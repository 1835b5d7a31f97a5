"""The bytes of a stream as blocks of whole lines."""

from collections.abc import Iterator
from typing import BinaryIO

CHUNK_BYTES = 16 << 20
FIRST_BYTES = 64 << 10  # holds the header, which needs the slower way through lines
LONGEST_LINE_BYTES = 32 << 20


def blocks_of(stream: BinaryIO) -> Iterator[tuple[int, int, bytes | None]]:
    """(number of the first line, lines, their bytes) in order; None stands for a line too long to hold."""
    first, held, size, skipping = 1, [], 0, False
    want = FIRST_BYTES
    while data := fill(stream, want):
        want = CHUNK_BYTES
        if skipping:
            start = data.find(b"\n") + 1
            if not start:
                continue
            yield first, 1, None
            data, first, skipping = data[start:], first + 1, False
        cut = data.rfind(b"\n") + 1
        if cut:
            whole = b"".join([*held, memoryview(data)[:cut]])
            held, size = [data[cut:]], len(data) - cut
            count = whole.count(b"\n")
            yield first, count, whole
            first += count
        else:
            held.append(data)
            size += len(data)
            if size > LONGEST_LINE_BYTES:
                held, size, skipping = [], 0, True
    rest = b"".join(held)
    if rest or skipping:
        yield first, 1, None if skipping else rest


def fill(stream: BinaryIO, size: int) -> bytes:
    """The next `size` bytes, or fewer at the end: a stream may give less than it is asked for."""
    data = stream.read(size)
    if not data or len(data) >= size // 2:
        return data
    parts, have = [data], len(data)
    while have < size and (more := stream.read(size - have)):
        parts.append(more)
        have += len(more)
    return b"".join(parts)
