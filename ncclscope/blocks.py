"""Cuts a stream of bytes into blocks of whole lines, with true offsets."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ncclscope.decompress import CHUNK_BYTES, Flow

BLOCK_BYTES = 32 << 20
AFTER_BYTES = 256 << 10
LINE_BYTES = 8 << 20


@dataclass(slots=True)
class Block:
    """Whole lines: `data` begins at `offset` of the decompressed source and ends with a newline or with the source.

    `before` precedes the first block of a slice and `after` follows `data`: whole lines, as many as fit. A line longer
    than 8 MiB is a block of its own, never marked `last`: its first bytes and a newline make 8 MiB, and `rest` has the
    bytes between them and the next line, for whoever takes them before the next block.
    """

    data: bytes
    offset: int
    before: bytes
    after: bytes
    last: bool
    rest: Iterator[bytes] | None = None


@dataclass(slots=True)
class Outcome:
    """How reading went, complete once the blocks are used up; `sha256` and `size_bytes` are of the decompressed bytes.

    `status` is 'ok', 'partial', 'failed' or 'skipped'; `error` is one sentence when it is not 'ok', or when bytes of
    an 'ok' source were left out (long lines, or rubbish after compressed data).
    """

    sha256: str = ""
    size_bytes: int = 0
    status: str = "ok"
    error: str | None = None


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


@dataclass(slots=True)
class Cutter:
    """The lines of `flow` that begin before `end`; `buffer` holds what has been read of it, from `offset` on."""

    flow: Flow
    offset: int = 0
    end: int | None = None
    block_bytes: int = BLOCK_BYTES
    buffer: bytes = b""
    ended: bool = False
    cut_lines: int = 0
    cutting: bool = False
    size_bytes: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def blocks(self, outcome: Outcome, before: bytes = b"") -> Iterator[Block]:
        """The blocks, none when no line begins before `end`, and then the outcome."""
        last = False
        while not last and (self.end is None or self.offset < self.end):
            self._fill(self.block_bytes + AFTER_BYTES)
            if not self.buffer:
                break
            start, length = self.offset, self._whole_lines() or self._first_line()
            if length:
                data, after = self._drop(length), self._after()
                last = not self.buffer or (self.end is not None and self.offset >= self.end)
                yield Block(data, start, before, after, last)
            else:
                yield from self._cut_line(before)
            before = b""
        self._conclude(outcome)

    def _conclude(self, outcome: Outcome) -> None:
        outcome.sha256, outcome.size_bytes = self.digest.hexdigest(), self.size_bytes
        if self.cut_lines:
            count = "One line is" if self.cut_lines == 1 else f"{self.cut_lines:,} lines are"
            outcome.error = f"{count} longer than {LINE_BYTES >> 20} MiB, and only the beginning was read."
        if damage := self.flow.damage:
            outcome.error = sentence(str(damage))
            if damage.partial:
                outcome.status = "partial" if self.size_bytes else "failed"

    def _fill(self, size: int) -> None:
        parts, missing = [self.buffer], size - len(self.buffer)
        while missing > 0 and not self.ended:
            data = self.flow.read(max(CHUNK_BYTES, missing))
            parts.append(data)
            missing -= len(data)
            self.ended = not data
        self.buffer = b"".join(parts) if len(parts) > 1 else self.buffer

    def _drop(self, length: int) -> bytes:
        data, self.buffer = self.buffer[:length], self.buffer[length:]
        self.digest.update(data)
        self.offset += length
        self.size_bytes += length
        return data

    def _whole_lines(self) -> int:
        """Bytes of whole lines at the start of the buffer that make a block, of which none is too long."""
        limit = self._limit()
        length = 0
        while length < limit and (newline := self.buffer.rfind(b"\n", length, min(length + LINE_BYTES, limit))) >= 0:
            length = newline + 1
        unfinished = self.ended and limit == len(self.buffer) and limit - length <= LINE_BYTES
        return limit if unfinished else length

    def _limit(self) -> int:
        """Bytes of the buffer that may go into this block: the line across `end` still belongs to it."""
        limit = min(self.block_bytes, len(self.buffer))
        if self.end is None or self.end - self.offset > limit:
            return limit
        newline = self.buffer.find(b"\n", self.end - self.offset - 1)
        return newline + 1 if newline >= 0 else len(self.buffer) if self.ended else limit

    def _first_line(self) -> int:
        """Length of the line at the start of the buffer, which is longer than a block; 0 if it is too long."""
        while (newline := self.buffer.find(b"\n", 0, LINE_BYTES)) < 0 and len(self.buffer) <= LINE_BYTES:
            if self.ended:
                return len(self.buffer)
            self._fill(min(2 * len(self.buffer), LINE_BYTES + 1))
        return newline + 1

    def _cut_line(self, before: bytes) -> Iterator[Block]:
        self.cut_lines += 1
        start, self.cutting = self.offset, True
        data = self._drop(LINE_BYTES - 1) + b"\n"
        rest = iter(self._rest, b"")
        yield Block(data, start, before, b"", False, rest)
        for _ in rest:
            pass

    def _rest(self) -> bytes:
        """The next bytes of the line that is being cut; b'' after it."""
        if not self.cutting:
            return b""
        self._fill(1)
        newline = self.buffer.find(b"\n")
        self.cutting = newline < 0 and not self.ended
        return self._drop(newline + 1 or len(self.buffer))

    def _after(self) -> bytes:
        self._fill(AFTER_BYTES + 1)
        if self.ended and len(self.buffer) <= AFTER_BYTES:
            return self.buffer
        return self.buffer[: self.buffer.rfind(b"\n", 0, AFTER_BYTES) + 1]
