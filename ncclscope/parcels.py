"""Cuts sources into parcels, and reads parcels as blocks of whole lines."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from ncclscope.archives import BLOCK, Member, archive_of, members_of
from ncclscope.blocks import BLOCK_BYTES, Block, Cutter, Outcome, sentence
from ncclscope.decompress import CHUNK_BYTES, Damage, Flow, Limits, Meter, Readable, chunks_of, compression_of
from ncclscope.walk import Source, file_id_of, open_file, reason, text_of

PARCEL_BYTES = 64 << 20
FILE_BYTES = 16 << 10  # opening a file costs about as much as reading so many bytes
EXPANSION = 16  # times the size of a compressed log, only to decide which of them share a parcel
BEFORE_BYTES = 1 << 20
DEPTH = 2
MOST = (1 << 63) - 1  # archives may state any number
LIMITS = Limits()

Reading = tuple[Source, Iterator[Block], Outcome]


@dataclass(frozen=True, slots=True)
class Piece:
    """The lines of a source that begin from byte `start` to before `end`; only plain files are sliced."""

    source: Source
    start: int = 0
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Parcel:
    """A unit of work: a slice of a large file, a run of small files, one compressed file, or one archive."""

    pieces: tuple[Piece, ...]


def cut(sources: Iterable[Source], size: int = PARCEL_BYTES) -> Iterator[Parcel]:
    """Parcels of about `size` bytes: small files share one, a large plain file has several."""
    run: list[Piece] = []
    left = size
    for source in sources:
        cost = source.size * (EXPANSION if source.compression else 1) + FILE_BYTES
        if source.archive or cost > size:
            yield from _alone(source, size)
            continue
        if cost > left and run:
            yield Parcel(tuple(run))
            run, left = [], size
        run.append(Piece(source))
        left -= cost
    if run:
        yield Parcel(tuple(run))


def _alone(source: Source, size: int) -> Iterator[Parcel]:
    starts = [0] if source.archive or source.compression else list(range(0, source.size, size)) or [0]
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        yield Parcel((Piece(source, start, end),))


def read(parcel: Parcel, block_bytes: int = BLOCK_BYTES, limits: Limits = LIMITS) -> Iterator[Reading]:
    """Each source of the parcel with its blocks, and its outcome, which is complete when they are used up.

    For an archive these are its members, in its order: use one before asking for the next. The archive itself
    comes after them, without blocks, only if it is damaged, too large or empty. No source makes this raise.
    """
    for piece in parcel.pieces:
        if piece.source.archive:
            yield from _archive(piece.source, block_bytes, limits)
        else:
            outcome = Outcome()
            yield piece.source, blocks_of(piece, block_bytes, limits, outcome), outcome


def blocks_of(piece: Piece, block_bytes: int, limits: Limits, outcome: Outcome) -> Iterator[Block]:
    """The blocks of a plain or compressed file, filling in `outcome`."""
    source = piece.source
    try:
        with open_file(source.location) as file:
            if source.compression:
                meter = Meter(file, limits)
                flow = Flow(chunks_of(meter, source.compression), limits.source_bytes, meter)
                yield from Cutter(flow, block_bytes=block_bytes).blocks(outcome)
            else:
                yield from _slice(file, piece, block_bytes, outcome)
    except OSError as error:
        outcome.status, outcome.error = "failed", reason(error)


def _slice(file: BinaryIO, piece: Piece, block_bytes: int, outcome: Outcome) -> Iterator[Block]:
    start, rest = _first_line(file, piece)
    before = b""
    if start and (piece.end is None or start < piece.end):
        above = max(start - BEFORE_BYTES, 0)
        before = os.pread(file.fileno(), start - above, above)
        before = before[before.find(b"\n") + 1 :] if above else before
    cutter = Cutter(Flow(chunks_of(file, None)), start, piece.end, block_bytes)
    cutter.pending.add(rest)
    yield from cutter.blocks(outcome, before)


def _first_line(file: BinaryIO, piece: Piece) -> tuple[int, bytes]:
    """Where the first line of a slice begins, and what has been read of it; the end if none begins there."""
    position = max(piece.start - 1, 0)
    file.seek(position)
    if not piece.start:
        return 0, b""
    while (piece.end is None or position < piece.end) and (data := file.read(CHUNK_BYTES)):
        if (newline := data.find(b"\n")) >= 0:
            return position + newline + 1, data[newline + 1 :]
        position += len(data)
    return position if piece.end is None else max(position, piece.end), b""


def _archive(source: Source, block_bytes: int, limits: Limits) -> Iterator[Reading]:
    try:
        with open_file(source.location) as file:
            meter = Meter(file, limits)
            reader = _Archive(block_bytes, limits, meter)
            if source.archive == "zip" and not source.compression:
                meter.taken = source.size  # read here and there, perhaps more than once
                yield from reader.open(source, file, Flow(iter(())), 1)
            else:
                packed = meter if source.compression else None
                flow = Flow(chunks_of(meter, source.compression), None, packed)
                yield from reader.open(source, flow, flow, 1)
    except OSError as error:
        yield source, iter(()), Outcome(status="failed", error=reason(error))


@dataclass(slots=True)
class _Archive:
    """Reads a file that is an archive: its members, and the members of archives among them."""

    block_bytes: int
    limits: Limits
    meter: Meter
    count: int = 0
    names: dict[str, int] = field(default_factory=dict)

    def open(self, archive: Source, raw: Readable, flow: Flow, depth: int) -> Iterator[Reading]:
        """The members in `raw`, whose own damage, if it is compressed, `flow` knows."""
        before, damage = self.count, None
        try:
            for member in members_of(archive.archive or "", raw):
                self.count += 1
                if self.count > self.limits.members:
                    raise Damage(f"reading stopped after {self.limits.members:,} members")
                yield from self.member(archive, member, depth)
                self.meter.check()
        except Damage as error:
            damage = error
        damage = flow.damage if flow.damage and flow.damage.partial else damage
        if damage:
            status = "partial" if self.count > before else "failed"
            yield archive, iter(()), Outcome(status=status, error=sentence(str(damage)))
        elif self.count == before:
            yield archive, iter(()), Outcome(status="skipped", error="An archive without files.")

    def member(self, archive: Source, member: Member, depth: int) -> Iterator[Reading]:
        """A member as one source, or what is in it if it is an archive too."""
        source = self.label(archive, member)
        if member.skip:
            yield source, iter(()), Outcome(status="skipped", error=sentence(member.skip))
            return
        packed = self.meter if archive.archive == "zip" else None
        flow = Flow(member.chunks, self.limits.source_bytes, packed)
        start = flow.peek(BLOCK)
        if compression := compression_of(start):
            flow = Flow(chunks_of(flow, compression), self.limits.source_bytes, self.meter)
            start = flow.peek(BLOCK)
        source = replace(source, compression=compression, archive=archive_of(start))
        if not source.archive:
            outcome = Outcome()
            yield source, Cutter(flow, block_bytes=self.block_bytes).blocks(outcome), outcome
        elif depth < DEPTH:
            yield from self.open(source, flow, flow, depth + 1)
        else:
            yield source, iter(()), Outcome(status="skipped", error="An archive more than two levels deep.")

    def label(self, archive: Source, member: Member) -> Source:
        """The source for a member; the second of the same name gets '#2'."""
        name = text_of(member.name)
        while name.startswith("./"):
            name = name[2:].lstrip("/")
        name = f"{archive.member}/{name}" if archive.member else name or "."
        name = self.unused(name)
        file_id = file_id_of(archive.argument, archive.path, name)
        size, mtime_ns = min(member.size, MOST), max(-MOST, min(member.mtime_ns, MOST))
        named = replace(archive, file_id=file_id, member=name, size=size, mtime_ns=mtime_ns)
        return replace(named, compression=None, archive=None)

    def unused(self, name: str) -> str:
        """The name, with a number behind it if another member has it."""
        again = self.names.get(name, 0) + 1
        while again > 1 and f"{name}#{again}" in self.names:
            again += 1
        self.names[name] = again
        name = f"{name}#{again}" if again > 1 else name
        self.names.setdefault(name, 1)
        return name
