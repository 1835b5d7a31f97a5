"""One parcel of sources becomes Parquet files: what a worker process does, start to end."""

import hashlib
import importlib.util
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ncclscope import packs, parse, rows, schema, sources, text, times
from ncclscope.blocks import Block
from ncclscope.packs import Reader
from ncclscope.prefixes import compiled_sniff

# A batch is what goes through polars at once: large enough to amortise its calls, small enough to bound memory.
BATCH_BYTES = 32 << 20
BATCH_SOURCES = 4096
# A kind with at least this many rows gets row groups of its own, so that its view reads nothing else.
OWN_ROW_GROUP = 20_000
ROW_GROUP = 120_000
_PIECE = schema.Column("piece", "UBIGINT", "where in the source the piece begins that `line` counts from")
_CLOCK = schema.Column("ts_clock", "TINYINT", "0 UTC, 1 no zone, 2 no year, 3 seconds since boot; settled by the case's views")
# Columns of parcels that only the views of a case need.
INTERNAL = (_PIECE, _CLOCK)


@dataclass(slots=True)
class PieceSummary:
    """What a worker learnt of one piece of a source."""

    file_id: int
    argument: int
    path: str
    member: str | None
    location: str
    size: int
    mtime_ns: int
    start: int
    lines: int = 0
    matched: int = 0
    damaged: int = 0
    digest: str = ""
    size_bytes: int = 0
    status: str = "ok"
    error: str | None = None
    # One of each clock: [clock, min, max, first, last], ISO text.
    times: list[list[Any]] = field(default_factory=list)


@dataclass(slots=True)
class Summary:
    """A finished parcel: its directory's name and its pieces."""

    key: str
    pieces: list[PieceSummary]
    rows: dict[str, int]


@lru_cache(maxsize=4)
def engine_for(extra: tuple[str, ...]) -> tuple[parse.Engine, tuple[Reader, ...], str]:
    """Engine, readers and a digest of the declarations, once for each process."""
    pack = packs.load(extra, rules=False)
    digest = hashlib.sha256(str(schema.SCHEMA_VERSION).encode())
    for parser in pack.parsers.values():
        digest.update(parser.path.read_bytes())
        if parser.reader:
            digest.update(parser.reader.module.read_bytes())
    return parse.Engine.of(pack), tuple(pack.readers), digest.hexdigest()


def ingest(parcel: sources.Parcel, out: str, extra: tuple[str, ...] = ()) -> Summary:
    """Writes the parcel below `out` and says what is in it. A key that exists is complete: it is renamed into place."""
    work = tempfile.mkdtemp(prefix=".parcel-", dir=out)
    try:
        worker = _Worker(Path(work), extra)
        worker.run(parcel)
        summary = worker.finish()
        target = Path(out) / summary.key
        (Path(work) / "summary.json").write_text(json.dumps(asdict(summary)))
        try:
            os.rename(work, target)
        except OSError:
            if not (target / "summary.json").is_file():
                raise
        return summary
    finally:
        shutil.rmtree(work, ignore_errors=True)


class _Worker:
    """State of one parcel while it is read: the open batch, the writers, the pieces."""

    def __init__(self, work: Path, extra: tuple[str, ...]) -> None:
        self.engine, self.readers, self.declarations = engine_for(extra)
        self.tables = _Tables(work)
        self.pieces: list[PieceSummary] = []
        self.outcomes: list[tuple[PieceSummary, Any]] = []
        self.batch: list[pl.DataFrame] = []
        self.batch_bytes = 0
        self.before: list[pl.DataFrame] = []

    def run(self, parcel: sources.Parcel) -> None:
        starts = {piece.source.file_id: piece for piece in parcel.pieces}
        for source, blocks, outcome in sources.read(parcel):
            piece = starts.get(source.file_id)
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
        self._flush()

    def _source(self, src: int, source: sources.Source, blocks: Iterator[Block], start: int, sliced: bool) -> None:
        first = next(blocks, None)
        if first is None:
            return
        head = first.data if start == 0 else sources.head(source)
        reader = self._reader_for(source, head)
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
        if first.before:
            stamp = times.last_stamp(src, parse.lines_of(src, first.before, 0, 1))
            if stamp is not None:
                self.before.append(stamp)
        number = 1
        for block in _chain(first, blocks):
            lines = parse.lines_of(src, block.data, block.offset, number, block.after)
            owned = lines["own"].sum()
            self.pieces[src].lines += owned
            number += owned
            self._add(lines, len(block.data))

    def _reader_for(self, source: sources.Source, head: bytes) -> Reader | None:
        name = source.member or source.path
        sample = text.decode(head[: sources.HEAD_BYTES])
        for reader in self.readers:
            if reader.name and not compiled_sniff(reader.name).search(name):
                continue
            if compiled_sniff(reader.sniff).search(sample):
                return reader
        return None

    def _add(self, lines: pl.DataFrame, size: int) -> None:
        self.batch.append(lines)
        self.batch_bytes += size
        if self.batch_bytes >= BATCH_BYTES or len(self.batch) >= BATCH_SOURCES:
            self._flush()

    def _flush(self) -> None:
        if not self.batch:
            return
        lines = pl.concat(self.batch)
        self.batch, self.batch_bytes = [], 0
        parsed = parse.parse(self.engine, lines)
        found = [rows for several in parsed.tables.values() for rows in several]
        before = pl.concat(self.before) if self.before else None
        timed = times.resolve(found, lines, before)
        self._carry_on(timed.stamps)
        self._count(lines, parse.known([parsed]), timed.stamps)
        self.tables.write(timed.rows, *self._ids())

    def _carry_on(self, stamps: pl.DataFrame) -> None:
        """The next batch may go on with the last source: its lines carry the last time of this one."""
        last = stamps.group_by("src", maintain_order=True).tail(1)
        zero = pl.lit(0, dtype=pl.UInt64)
        self.before = [last.filter(pl.col("src") == len(self.pieces) - 1).with_columns(no=zero)]

    def _ids(self) -> tuple[pl.Series, pl.Series]:
        ids = [piece.file_id for piece in self.pieces]
        starts = [piece.start for piece in self.pieces]
        return pl.Series(ids, dtype=pl.UInt64), pl.Series(starts, dtype=pl.UInt64)

    def _count(self, lines: pl.DataFrame, known: pl.DataFrame, stamps: pl.DataFrame) -> None:
        mine = lines.filter("own")
        blank = mine.filter(pl.col("raw").str.strip_chars() == "").select("src", "no")
        matched = pl.concat([known, blank]).unique()
        damaged = mine.filter("bad").select("src", "no").join(matched, on=("src", "no"), how="anti")
        for counted, name in ((matched, "matched"), (damaged, "damaged")):
            for src, count in counted.group_by("src").len().iter_rows():
                setattr(self.pieces[src], name, getattr(self.pieces[src], name) + count)
        for src, clock, *found in (
            stamps.filter(pl.col("no") > 0)
            .group_by("src", "stamp_clock", maintain_order=True)
            .agg(pl.min("stamp"), pl.max("stamp").alias("max"), pl.first("stamp").alias("a"), pl.last("stamp").alias("z"))
            .iter_rows()
        ):
            _add_times(self.pieces[src].times, clock, found)

    def _read(self, src: int, reader: Reader, source: sources.Source, stream: BinaryIO) -> None:
        self._flush()
        piece = self.pieces[src]
        counter = _Counter(stream)
        seen: list[pl.DataFrame] = []
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
                    seen.append(frame.select(pl.col("line").cast(pl.UInt64)).unique())
                    self._write_read(src, reader, table, frame)
        except (pl.exceptions.PolarsError, ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            piece.status, piece.error = "partial", f"{reader.parser}: {type(error).__name__}: {str(error)[:160]}"
        counter.drain()
        piece.digest = counter.digest.hexdigest()
        piece.lines += counter.lines
        piece.matched += pl.concat(seen).unique().height if seen else 0
        if unread and keep:
            self._reparse(src, bytes(counter.kept), pl.concat(unread))

    def _reparse(self, src: int, data: bytes, unread: pl.Series) -> None:
        """Lines a reader has no use for go through the ordinary parsers."""
        lines = parse.lines_of(src, data, 0, 1).with_columns(own=pl.col("no").is_in(unread.implode()).fill_null(False))
        self._add(lines, 0)
        self._flush()

    def _write_read(self, src: int, reader: Reader, table: str, frame: pl.DataFrame) -> None:
        frame = _complete(schema.BY_NAME[table], reader.parser, frame)
        frame = frame.with_columns(src=pl.lit(src, dtype=pl.UInt32), no=pl.col("line"))
        known = frame.filter(pl.col("ts").is_not_null()).group_by("ts_clock").agg(
            pl.min("ts"), pl.max("ts").alias("max"), pl.first("ts").alias("a"), pl.last("ts").alias("z")
        )
        for clock, *found in known.iter_rows():
            _add_times(self.pieces[src].times, clock, found)
        self.tables.write([rows.Rows(table, frame)], *self._ids())

    def finish(self) -> Summary:
        written = self.tables.close()
        digest = hashlib.sha256(self.declarations.encode())
        for piece in self.pieces:
            digest.update(f"{piece.file_id} {piece.start} {piece.digest}\n".encode())
        return Summary(digest.hexdigest()[:32], self.pieces, written)


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


class _Counter(io.RawIOBase):
    """Counts the lines that pass, and keeps the bytes while a second look may be needed."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.newlines = 0
        self.tail = b"\n"
        self.keep = False
        self.kept = bytearray()
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.inner.read(len(buffer))
        buffer[: len(data)] = data
        if data:
            self.digest.update(data)
            self.newlines += data.count(b"\n")
            self.tail = data[-1:]
            if self.keep:
                self.kept += data
        return len(data)

    def drain(self) -> None:
        while self.read(1 << 20):
            pass

    @property
    def lines(self) -> int:
        return self.newlines + (self.tail != b"\n")


@lru_cache(maxsize=64)
def load_module(path: str) -> ModuleType:
    """The Python half of a reader."""
    spec = importlib.util.spec_from_file_location(f"ncclscope_reader_{Path(path).stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _complete(table: schema.Table, parser: str, frame: pl.DataFrame) -> pl.DataFrame:
    """A reader's frame with every column of the table."""
    if "fields" in frame.columns:
        frame = _as_lists(frame)
    if table is schema.EVENTS and "source" not in frame.columns:
        frame = frame.with_columns(source=pl.lit(parser))
    if "ts" in frame.columns:
        frame = frame.with_columns(pl.col("ts").cast(pl.Datetime("us")))
        if "ts_max" not in frame.columns:
            frame = frame.with_columns(ts_max=pl.col("ts") + pl.duration(microseconds=1))
        if "ts_clock" not in frame.columns:
            frame = frame.with_columns(ts_clock=pl.lit(1, dtype=pl.Int8))
        frame = frame.with_columns(ts_from=pl.when(pl.col("ts").is_not_null()).then(pl.lit("line")))
    defaults = {"severity": 1, "n_lines": 1, "part": 0, "offset": 0, "length": 0}
    columns = []
    for column in (*table.columns, *INTERNAL):
        if column.name in frame.columns or column.name in ("file_id", "fields", "piece"):
            continue
        columns.append(pl.lit(defaults.get(column.name), dtype=rows.dtype(column.type)).alias(column.name))
    return frame.with_columns(columns)


def _as_lists(frame: pl.DataFrame) -> pl.DataFrame:
    kind = frame.schema["fields"]
    if isinstance(kind, pl.Struct):
        names = [one.name for one in kind.fields]
        keys = pl.Series("keys", [names] * frame.height, dtype=pl.List(pl.String))
        values = pl.concat_list([pl.col("fields").struct.field(name).cast(pl.String) for name in names])
        return frame.with_columns(keys, values.alias("values")).drop("fields")
    entry = pl.element().struct
    return frame.with_columns(
        pl.col("fields").list.eval(entry.field("key")).alias("keys"),
        pl.col("fields").list.eval(entry.field("value")).cast(pl.List(pl.String)).alias("values"),
    ).drop("fields")


class _Tables:
    """Open Parquet files, one for each table of the parcel."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.writers: dict[str, pq.ParquetWriter] = {}
        self.written: dict[str, int] = {}

    def write(self, found: list[rows.Rows], ids: pl.Series, starts: pl.Series) -> None:
        by_table: dict[str, list[pl.DataFrame]] = {}
        for one in found:
            by_table.setdefault(one.table, []).append(_arranged(one, ids, starts))
        for name, frames in by_table.items():
            frame = pl.concat(frames, how="vertical")
            self._write(name, frame)

    def _write(self, name: str, frame: pl.DataFrame) -> None:
        order = ("kind", "ts", "file_id", "line", "part") if name == "events" else ("ts", "file_id", "line", "part")
        frame = frame.sort(*order, nulls_last=True)
        if name not in self.writers:
            path = self.work / f"{name}.parquet"
            self.writers[name] = pq.ParquetWriter(
                path, arrow_schema(schema.BY_NAME[name]), compression="zstd", compression_level=1
            )
        self.written[name] = self.written.get(name, 0) + frame.height
        for piece in _groups(name, frame):
            self.writers[name].write_table(_to_arrow(schema.BY_NAME[name], piece), row_group_size=ROW_GROUP)

    def close(self) -> dict[str, int]:
        for writer in self.writers.values():
            writer.close()
        return self.written


def _groups(name: str, frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Cut at the kinds that are numerous; the rare ones share."""
    if name != "events":
        yield frame
        return
    counts = frame.group_by("kind", maintain_order=True).len()
    big = counts.filter(pl.col("len") >= OWN_ROW_GROUP)["kind"]
    if len(big) == 0:
        yield frame
        return
    rest = frame.filter(~pl.col("kind").is_in(big.implode()))
    if rest.height:
        yield rest
    for kind in big:
        yield frame.filter(pl.col("kind") == kind)


def _arranged(one: rows.Rows, ids: pl.Series, starts: pl.Series) -> pl.DataFrame:
    """Columns of the Parquet file, in its order; `fields` still as two lists."""
    table = schema.BY_NAME[one.table]
    frame = one.frame.with_columns(file_id=ids.gather(one.frame["src"]), piece=starts.gather(one.frame["src"]))
    frame = frame.with_columns(line=pl.col("no").cast(pl.UInt64))
    if "size" in frame.columns:
        frame = frame.with_columns(length=pl.col("size"))
    wanted: list[pl.Expr] = []
    for column in (*table.columns, *INTERNAL):
        if column.name == "fields":
            for half in ("keys", "values"):
                present = half in frame.columns
                wanted.append(pl.col(half) if present else pl.lit(None, dtype=pl.List(pl.String)).alias(half))
        else:
            wanted.append(pl.col(column.name).cast(rows.dtype(column.type), strict=False))
    return frame.select(wanted)


_ARROW = {
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "UBIGINT": pa.uint64(),
    "UINTEGER": pa.uint32(),
    "TINYINT": pa.int8(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "TIMESTAMP": pa.timestamp("us"),
    "BOOLEAN": pa.bool_(),
    "VARCHAR[]": pa.list_(pa.string()),
    "MAP(VARCHAR, VARCHAR)": pa.map_(pa.string(), pa.string()),
}


@lru_cache(maxsize=32)
def arrow_schema(table: schema.Table) -> pa.Schema:
    """The Parquet schema of a table that parcels write; units and meanings are field metadata."""
    return pa.schema(
        [
            pa.field(column.name, _ARROW[column.type], metadata={"doc": column.doc, "unit": column.unit})
            for column in (*table.columns, *INTERNAL)
        ]
    )


def _to_arrow(table: schema.Table, frame: pl.DataFrame) -> pa.Table:
    target = arrow_schema(table)
    arrays = []
    for column in target:
        if column.name == "fields":
            arrays.append(_map(frame))
        else:
            arrays.append(frame[column.name].to_arrow().cast(column.type))
    return pa.Table.from_arrays(arrays, schema=target)


def _map(frame: pl.DataFrame) -> pa.Array:
    empty = pl.lit([], dtype=pl.List(pl.String))
    halves = frame.select(pl.col("keys").fill_null(empty), pl.col("values").fill_null(empty))
    keys = halves["keys"].to_arrow().cast(pa.list_(pa.string()))
    values = halves["values"].to_arrow().cast(pa.list_(pa.string()))
    return pa.MapArray.from_arrays(keys.offsets, keys.flatten(), values.flatten())
