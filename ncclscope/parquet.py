"""Writes the rows of a parcel as Parquet files, one a table."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ncclscope import rows, schema

# A kind with at least this many rows gets row groups of its own, so that its view reads nothing else.
OWN_ROW_GROUP = 20_000
ROW_GROUP = 120_000
_PIECE = schema.Column("piece", "UBIGINT", "where in the source the piece begins that `line` counts from")
_CLOCK = schema.Column("ts_clock", "TINYINT", "0 UTC, 1 no zone, 2 no year, 3 seconds since boot; settled by the case's views")
# Columns of parcels that only the views of a case need.
INTERNAL = (_PIECE, _CLOCK)


class Tables:
    """Open Parquet files, one for each table of the parcel."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.writers: dict[str, pq.ParquetWriter] = {}
        self.written: dict[str, int] = {}
        # Encoding and compressing need no Python: another core does them while this one reads on, unless a worker works there.
        self.aside = ThreadPoolExecutor(1) if parent_process() is None else None
        self.pending: Future[None] | None = None

    def write(self, found: list[rows.Rows], ids: pl.Series, starts: pl.Series) -> None:
        """Appends rows, whose `src` is a position in `ids` and `starts`, sorted among themselves."""
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
            self.writers[name] = pq.ParquetWriter(path, arrow_schema(schema.BY_NAME[name]), **_encodings(schema.BY_NAME[name]))
        self.written[name] = self.written.get(name, 0) + frame.height
        made = [_to_arrow(schema.BY_NAME[name], piece) for piece in _groups(name, frame)]
        if self.aside is None:
            _append(self.writers[name], made)
            return
        self._settle()
        self.pending = self.aside.submit(_append, self.writers[name], made)

    def _settle(self) -> None:
        """Waits for what is being written, which bounds what is held. Raises what went wrong there."""
        if self.pending is not None:
            self.pending.result()
            self.pending = None

    def close(self) -> dict[str, int]:
        """Finishes the files; how many rows each has."""
        self._settle()
        if self.aside is not None:
            self.aside.shutdown()
        for writer in self.writers.values():
            writer.close()
        return self.written


def _append(writer: pq.ParquetWriter, made: Sequence[pa.Table]) -> None:
    for table in made:
        writer.write_table(table, row_group_size=ROW_GROUP)


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
    "VARCHAR": pa.string_view(),  # as polars keeps it: nothing is copied
    "TIMESTAMP": pa.timestamp("us"),
    "BOOLEAN": pa.bool_(),
    "VARCHAR[]": pa.list_(pa.string()),
    "MAP(VARCHAR, VARCHAR)": pa.map_(pa.large_string(), pa.large_string()),
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


def _encodings(table: schema.Table) -> dict[str, Any]:
    """How columns are written: half the time and size of the defaults, which build a dictionary for each number too."""
    columns = {column.name: column.type for column in (*table.columns, *INTERNAL)}
    texts = [name for name, kind in columns.items() if kind == "VARCHAR" and name != "message"]
    numbers = [name for name, kind in columns.items() if kind in _COUNTING]
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": [*texts, *(["fields.key_value.key"] if "fields" in columns else [])],
        "column_encoding": dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        "write_statistics": [name for name in _PRUNED if name in columns],
    }


_COUNTING = frozenset({"BIGINT", "INTEGER", "UBIGINT", "UINTEGER", "TIMESTAMP"})
# Columns by which a query may leave out row groups.
_PRUNED = ("file_id", "line", "ts", "kind", "name", "rank", "severity")


def _to_arrow(table: schema.Table, frame: pl.DataFrame) -> pa.Table:
    target = arrow_schema(table)
    arrays = [_map(frame) if column.name == "fields" else _array(frame[column.name], column.type) for column in target]
    return pa.Table.from_arrays(arrays, schema=target)


def _array(values: pl.Series, kind: pa.DataType) -> pa.Array:
    if values.null_count() == len(values):
        return _nulls(1 << len(values).bit_length(), kind).slice(0, len(values))
    array = values.to_arrow(compat_level=pl.CompatLevel.newest())
    # To cast, pyarrow first loads its functions, which takes longer than a small case.
    return array if array.type == kind else array.cast(kind)


@lru_cache(maxsize=128)
def _nulls(count: int, kind: pa.DataType) -> pa.Array:
    """Most columns of most rows: not filled anew each time."""
    return pa.nulls(count, kind)


def _map(frame: pl.DataFrame) -> pa.Array:
    empty = pl.lit([], dtype=pl.List(pl.String))
    halves = frame.select(pl.col("keys").fill_null(empty), pl.col("values").fill_null(empty))
    counts = halves["keys"].list.len()
    offsets = pl.concat([pl.Series([0], dtype=pl.Int32), counts.cum_sum().cast(pl.Int32)])
    flat = halves.filter(counts > 0)
    return pa.MapArray.from_arrays(offsets.to_arrow(), *(flat[half].explode().to_arrow() for half in ("keys", "values")))
