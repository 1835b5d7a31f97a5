"""One parcel of sources becomes Parquet files: what a worker process does, start to end."""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from ncclscope import jobs, margins, packs, parse, rows, schema, sources, text, times
from ncclscope.blocks import Block
from ncclscope.lines import Chunk, cut, frame_of
from ncclscope.packs import Reader
from ncclscope.parquet import Tables
from ncclscope.readers import Counter, Taken, complete, load_module
from ncclscope.summaries import PieceSummary, Summary

# A batch is what goes through polars at once: large enough to amortise its calls, small enough to bound memory.
BATCH_BYTES = 16 << 20
BATCH_LINES = 1 << 20
BATCH_SOURCES = 4096
# Of text with few records more goes through: little of it is kept, and the calls cost more than the lines.
SPARSE_SHARE = 1 / 8
SPARSE_WEIGHT = 1 / 4
SAMPLE_BYTES = 4 << 10


@lru_cache(maxsize=4)
def engine_for(extra: tuple[str, ...]) -> tuple[parse.Engine, tuple[Reader, ...], str]:
    """Engine, readers and the digest of what they come from, once for each process."""
    pack = packs.load(extra, rules=False)
    return parse.Engine.of(pack), tuple(pack.readers), packs.parsers_digest(extra)


def ingest(parcel: sources.Parcel, out: str, extra: tuple[str, ...] = ()) -> Summary:
    """Writes the parcel below `out` and says what is in it. A key that exists is complete: it is renamed into place."""
    with _working(out, extra) as worker:
        worker.run(parcel)
        return worker.place(out)


def ingest_trees(parcel: sources.Parcel, out: str, extra: tuple[str, ...] = ()) -> list[tuple[str, Summary]]:
    """The same for an archive of several jobs, in one pass: the members of each tree go below `out` under its name.

    A tree whose members do not follow each other has several summaries.
    """
    done: list[tuple[str, Summary]] = []
    readings = sources.read(parcel)
    reading = next(readings, None)
    while reading is not None:
        tree = jobs.tree_of(reading[0].member or "")
        place = os.path.join(out, jobs.slug(tree.replace("/", ".")) if tree else "", "parcels")
        os.makedirs(place, exist_ok=True)
        with _working(place, extra) as worker:
            while reading is not None and jobs.tree_of(reading[0].member or "") == tree:
                worker.take(*reading)
                reading = next(readings, None)
            worker.flush()
            done.append((tree, worker.place(place)))
    return done


@contextmanager
def _working(out: str, extra: tuple[str, ...]) -> Iterator["_Worker"]:
    """A worker with a directory of its own, which is gone afterwards unless it was renamed into place."""
    work = tempfile.mkdtemp(prefix=".parcel-", dir=out)
    try:
        yield _Worker(Path(work), extra)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def is_read_whole(source: sources.Source, extra: tuple[str, ...] = ()) -> bool:
    """Is it for a reader, whatever piece of it is asked for? False for what cannot be opened."""
    try:
        return _reader_for(engine_for(extra)[1], source, sources.head(source)) is not None
    except sources.SourceError:
        return False


def _reader_for(readers: Sequence[Reader], source: sources.Source, head: bytes) -> Reader | None:
    name = source.member or source.path
    sample = text.decode(head[: sources.HEAD_BYTES])
    for reader in readers:
        if reader.name and not _sniff(reader.name).search(name):
            continue
        if _sniff(reader.sniff).search(sample):
            return reader
    return None


class _Worker:
    """State of one parcel while it is read: the open batch, the writers, the pieces."""

    def __init__(self, work: Path, extra: tuple[str, ...]) -> None:
        self.engine, self.readers, self.declarations = engine_for(extra)
        self.work = work
        self.tables = Tables(work)
        self.pieces: list[PieceSummary] = []
        self.outcomes: list[tuple[PieceSummary, Any]] = []
        self.batch: list[Chunk] = []
        self.batch_bytes = self.batch_lines = self.batch_sparse = 0
        self.before: list[pl.DataFrame] = []  # the last times of what precedes the batch
        self.slices: dict[int, Callable[[], pl.DataFrame]] = {}  # of what precedes a slice, which mostly nobody asks for

    def run(self, parcel: sources.Parcel) -> None:
        starts = {piece.source.file_id: piece for piece in parcel.pieces}
        for source, blocks, outcome in sources.read(parcel):
            self.take(source, blocks, outcome, starts.get(source.file_id))
        self.flush()

    def take(self, source: sources.Source, blocks: Iterator[Block], outcome: sources.Outcome, piece: sources.Piece | None = None) -> None:
        """Reads one source, or a piece of it."""
        start = piece.start if piece else 0
        summary = PieceSummary(
            *(source.file_id, source.argument, source.path, source.member),
            *(source.location, source.size, source.mtime_ns, start),
        )
        self.pieces.append(summary)
        try:
            self._source(len(self.pieces) - 1, source, blocks, start, sliced=bool(piece and piece.end is not None))
        except sources.SourceError as error:  # it was there a moment ago
            summary.status, summary.error = "failed", str(error)
        summary.digest, summary.size_bytes = summary.digest or outcome.sha256, outcome.size_bytes
        if outcome.status != "ok" or summary.status == "ok":
            summary.status, summary.error = outcome.status, outcome.error

    def _source(self, src: int, source: sources.Source, blocks: Iterator[Block], start: int, sliced: bool) -> None:
        first = next(blocks, None)
        if first is None:
            return
        head = first.data if start == 0 else sources.head(source)
        reader = _reader_for(self.readers, source, head)
        if reader is not None:
            if start == 0 and sliced:
                with sources.open_stream(source) as whole:
                    self._read(src, reader, source, whole)
            elif start == 0:
                self._read(src, reader, source, sources.stream(_chain(first, blocks)))
            # The first piece reads and counts the whole file; of its own slice and the others only the digest is wanted.
            for _ in blocks:
                pass
            return
        margin = margins.of(head)
        if first.before:
            above = Chunk(src, first.before, first.offset - len(first.before), 1, margin=margin)
            self.slices[src] = partial(self._look_back, above)
        number = 1
        for block in _chain(first, blocks):
            chunk = Chunk(src, block.data, block.offset, number, block.after, margin)
            number += chunk.lines
            for part in cut(chunk):
                self._add(part)

    def _look_back(self, chunk: Chunk) -> pl.DataFrame:
        """The last time before a slice, for its first lines to carry."""
        lines = frame_of([chunk])
        wanted = self.engine.wanted.stand_in_lines([chunk], lines)
        rows = wanted.arg_true()
        last = times.resolve([], lines.slice(rows[-1] + 1 if len(rows) else 0)).last
        return times.resolve(_rows(parse.parse(self.engine, lines, wanted)), lines).last if last.is_empty() else last

    def _add(self, chunk: Chunk) -> None:
        self.pieces[chunk.src].lines += chunk.lines
        self.batch.append(chunk)
        sparse = self._is_sparse(chunk.data)
        self.batch_bytes += len(chunk.data)
        self.batch_sparse += len(chunk.data) * sparse
        self.batch_lines += chunk.lines
        filled = self.batch_bytes - int(self.batch_sparse * (1 - SPARSE_WEIGHT))
        if filled >= BATCH_BYTES or self.batch_lines >= BATCH_LINES or len(self.batch) >= BATCH_SOURCES:
            self.flush()

    def _is_sparse(self, data: bytes) -> bool:
        """Whether few lines of a large chunk are wanted, by what its beginning, middle and end hold."""
        if len(data) < 64 * SAMPLE_BYTES:
            return False
        places = (0, len(data) // 2, len(data) - SAMPLE_BYTES)
        sample = b"\n".join(data[at : at + SAMPLE_BYTES] for at in places)
        return self.engine.wanted.share(sample) < SPARSE_SHARE

    def flush(self) -> None:
        """Parses what has been taken so far."""
        if not self.batch:
            return
        lines, wanted = frame_of(self.batch), None
        if self.batch_sparse > self.batch_bytes / 2:
            wanted = self.engine.wanted.stand_in_lines(self.batch, lines)
        self.batch, self.batch_bytes, self.batch_lines, self.batch_sparse = [], 0, 0, 0
        self._parse(lines, wanted)

    def _parse(self, lines: pl.DataFrame, wanted: pl.Series | None = None) -> None:
        parsed = parse.parse(self.engine, lines, wanted)
        timed = times.resolve(_rows(parsed), lines, self._before)
        self._carry_on(timed.last)
        self._count(lines, parsed.known(lines), timed.stamps)
        self.tables.write(timed.rows, *self._ids())

    def _before(self) -> pl.DataFrame | None:
        self.before += [look_back() for look_back in self.slices.values()]
        self.slices.clear()
        return pl.concat(self.before) if self.before else None

    def _carry_on(self, last: pl.DataFrame) -> None:
        """The next batch may go on with the last source: its lines carry the last times of this one."""
        src = len(self.pieces) - 1
        older = [frame.filter((pl.col("src") == src) & ~pl.col("stated").is_in(last["stated"].implode())) for frame in self.before]
        self.before = [pl.concat([last, *older])]
        # What precedes a slice is farther off than any time in it.
        self.slices = {} if last["stated"].not_().any() else {mine: look for mine, look in self.slices.items() if mine == src}

    def _ids(self) -> tuple[pl.Series, pl.Series]:
        ids = [piece.file_id for piece in self.pieces]
        starts = [piece.start for piece in self.pieces]
        return pl.Series(ids, dtype=pl.UInt64), pl.Series(starts, dtype=pl.UInt64)

    def _count(self, lines: pl.DataFrame, known: pl.Series, stamps: pl.DataFrame) -> None:
        mine = lines.select("src", "own", "bad", known=known | _blank(lines["raw"])).filter("own")
        damaged = (pl.col("bad") & ~pl.col("known")).sum()
        for src, matched, torn in mine.group_by("src").agg(pl.col("known").sum(), damaged).iter_rows():
            self.pieces[src].matched += matched
            self.pieces[src].damaged += torn
        for src, clock, *found in (
            stamps.group_by("src", "stamp_clock", maintain_order=True)
            .agg(pl.min("stamp"), pl.max("stamp").alias("max"), pl.first("stamp").alias("a"), pl.last("stamp").alias("z"))
            .iter_rows()
        ):
            _add_times(self.pieces[src].times, clock, found)

    def _read(self, src: int, reader: Reader, source: sources.Source, stream: BinaryIO) -> None:
        piece = self.pieces[src]
        counter = Counter(stream)
        taken = Taken()
        unread: list[pl.Series] = []
        keep = counter.keep = source.size <= 2 * sources.PARCEL_BYTES
        try:
            for table, frame in load_module(str(reader.module)).read(counter, source):
                if frame.is_empty():
                    continue
                if table == "unread":
                    unread.append(frame["line"].cast(pl.UInt64))
                elif table == "damaged":
                    piece.damaged += frame["line"].n_unique()
                else:
                    taken.add(frame["line"])
                    self._write_read(src, reader, table, frame)
        except (pl.exceptions.PolarsError, ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            piece.status, piece.error = "partial", f"{reader.parser}: {type(error).__name__}: {str(error)[:160]}"
        counter.drain()
        piece.digest = counter.digest.hexdigest()
        piece.lines += counter.lines
        piece.matched += len(taken)
        if unread and keep:
            self._reparse(src, bytes(counter.kept), pl.concat(unread))

    def _reparse(self, src: int, data: bytes, unread: pl.Series) -> None:
        """Lines a reader has no use for go through the ordinary parsers."""
        self.flush()
        lines = parse.lines_of(src, data, 0, 1)
        self._parse(lines.with_columns(own=pl.col("own") & pl.col("no").is_in(unread.implode())))

    def _write_read(self, src: int, reader: Reader, table: str, frame: pl.DataFrame) -> None:
        frame = complete(schema.BY_NAME[table], reader.parser, frame)
        frame = frame.with_columns(src=pl.lit(src, dtype=pl.UInt32), no=pl.col("line"))
        known = (
            frame.filter(pl.col("ts").is_not_null())
            .group_by("ts_clock")
            .agg(pl.min("ts"), pl.max("ts").alias("max"), pl.first("ts").alias("a"), pl.last("ts").alias("z"))
        )
        for clock, *found in known.iter_rows():
            _add_times(self.pieces[src].times, clock, found)
        self.tables.write([rows.Rows(table, frame)], *self._ids())

    def place(self, out: str) -> Summary:
        """Finishes the files and renames their directory to its key."""
        written = self.tables.close()
        digest = hashlib.sha256(self.declarations.encode())
        for piece in self.pieces:
            digest.update(f"{piece.file_id} {piece.start} {piece.digest}\n".encode())
        summary = Summary(digest.hexdigest()[:32], self.pieces, written)
        (self.work / "summary.json").write_text(json.dumps(asdict(summary)))
        self.work.chmod(Path(out).stat().st_mode & 0o777)  # whoever may read the case may read its parcels
        target = Path(out) / summary.key
        try:
            self.work.rename(target)
        except OSError:
            if not (target / "summary.json").is_file():
                raise
        return summary


def _blank(raw: pl.Series) -> pl.Series:
    """For each line: is there nothing in it? To compare takes a tenth of the time of a pattern."""
    maybe = ((raw < "!") | (raw > "~")).arg_true()
    blank = raw.gather(maybe).str.contains(r"^\s*$")
    return pl.repeat(False, len(raw), eager=True).scatter(maybe.filter(blank), True)


def _rows(parsed: parse.Parsed) -> list[rows.Rows]:
    return [found for several in parsed.tables.values() for found in several]


@lru_cache(maxsize=256)
def _sniff(pattern: str) -> re.Pattern[str]:
    """A reader's pattern for the head or the name of a source."""
    return re.compile(pattern)


def _chain(first: Block, rest: Iterator[Block]) -> Iterator[Block]:
    yield first
    yield from rest


def _add_times(known: list[list[Any]], clock: int, found: Sequence[datetime]) -> None:
    low, high, first, last = (value.isoformat() for value in found)
    for row in known:
        if row[0] == clock:
            row[1], row[2], row[4] = min(row[1], low), max(row[2], high), last
            return
    known.append([clock, low, high, first, last])
