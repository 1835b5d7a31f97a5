"""Cuts a stream of bytes into blocks of whole lines, with true offsets."""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ncclscope.decompress import CHUNK_BYTES, Flow

# Memory of this size is used again and again; more comes fresh from the system each time, which takes longer than to read.
BLOCK_BYTES = 8 << 20
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
class Pending:
    """Bytes that have been read and not used: in pieces as they came, which are joined once, when they leave."""

    pieces: deque[bytes] = field(default_factory=deque)
    size: int = 0

    def add(self, data: bytes) -> None:
        """Appends a piece."""
        self.pieces.append(data)
        self.size += len(data)

    def take(self, size: int) -> bytes:
        """The first so many bytes, which leave."""
        taken, self.size = [], self.size - size
        while size > 0:
            piece = self.pieces.popleft()
            if len(piece) > size:
                self.pieces.appendleft(piece[size:])
                piece = piece[:size]
            taken.append(piece)
            size -= len(piece)
        return b"".join(taken)

    def head(self, size: int) -> bytes:
        """The first bytes, at most so many, which stay."""
        return b"".join(_upto(self.pieces, size))[:size]

    def newline(self, start: int, end: int) -> int:
        """Where the first newline from `start` to before `end` is, or -1."""
        for at, piece in self._within(start, end):
            if (found := piece.find(b"\n", max(start - at, 0), end - at)) >= 0:
                return at + found
        return -1

    def last_newline(self, start: int, end: int) -> int:
        """Where the last one is."""
        for at, piece in reversed(list(self._within(start, end))):
            if (found := piece.rfind(b"\n", max(start - at, 0), end - at)) >= 0:
                return at + found
        return -1

    def _within(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        at = 0
        for piece in self.pieces:
            if at >= end:
                return
            if at + len(piece) > start:
                yield at, piece
            at += len(piece)


def _upto(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    for piece in pieces:
        if size <= 0:
            return
        yield piece
        size -= len(piece)


@dataclass(slots=True)
class Cutter:
    """The lines of `flow` that begin before `end`; `pending` holds what has been read of it, from `offset` on."""

    flow: Flow
    offset: int = 0
    end: int | None = None
    block_bytes: int = BLOCK_BYTES
    pending: Pending = field(default_factory=Pending)
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
            if not self.pending.size:
                break
            start, length = self.offset, self._whole_lines() or self._first_line()
            if length:
                data, after = self._take(length), self._after()
                last = not self.pending.size or (self.end is not None and self.offset >= self.end)
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
        while self.pending.size < size and not self.ended:
            data = self.flow.read(CHUNK_BYTES)
            self.pending.add(data)
            self.ended = not data

    def _take(self, length: int) -> bytes:
        data = self.pending.take(length)
        self.digest.update(data)
        self.offset += length
        self.size_bytes += length
        return data

    def _whole_lines(self) -> int:
        """Bytes of whole lines at the start that make a block, of which none is too long."""
        limit = self._limit()
        length = 0
        while length < limit and (newline := self.pending.last_newline(length, min(length + LINE_BYTES, limit))) >= 0:
            length = newline + 1
        unfinished = self.ended and limit == self.pending.size and limit - length <= LINE_BYTES
        return limit if unfinished else length

    def _limit(self) -> int:
        """Bytes that may go into this block: the line across `end` still belongs to it."""
        limit = min(self.block_bytes, self.pending.size)
        if self.end is None or self.end - self.offset > limit:
            return limit
        newline = self.pending.newline(self.end - self.offset - 1, self.pending.size)
        return newline + 1 if newline >= 0 else self.pending.size if self.ended else limit

    def _first_line(self) -> int:
        """Length of the line at the start, which is longer than a block; 0 if it is too long."""
        while (newline := self.pending.newline(0, LINE_BYTES)) < 0 and self.pending.size <= LINE_BYTES:
            if self.ended:
                return self.pending.size
            self._fill(min(2 * self.pending.size, LINE_BYTES + 1))
        return newline + 1

    def _cut_line(self, before: bytes) -> Iterator[Block]:
        self.cut_lines += 1
        start, self.cutting = self.offset, True
        data = self._take(LINE_BYTES - 1) + b"\n"
        rest = iter(self._rest, b"")
        yield Block(data, start, before, b"", False, rest)
        for _ in rest:
            pass

    def _rest(self) -> bytes:
        """The next bytes of the line that is being cut; b'' after it."""
        if not self.cutting:
            return b""
        self._fill(1)
        newline = self.pending.newline(0, self.pending.size)
        self.cutting = newline < 0 and not self.ended
        return self._take(newline + 1 or self.pending.size)

    def _after(self) -> bytes:
        self._fill(AFTER_BYTES + 1)
        whole = self.ended and self.pending.size <= AFTER_BYTES
        return self.pending.head(self.pending.size if whole else self.pending.last_newline(0, AFTER_BYTES) + 1)
