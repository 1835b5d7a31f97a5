"""What surrounds a reader, the Python half of a parser: its module, the bytes it gets, and the rows it gives."""

import hashlib
import importlib.machinery
import importlib.util
import io
import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from ncclscope import rows, schema
from ncclscope.parquet import INTERNAL


@lru_cache(maxsize=64)
def load_module(path: str) -> ModuleType:
    """The Python half of a reader: NAME.py, or NAME/__init__.py, whose files import each other and their neighbours relatively."""
    file = Path(path)
    reader = file.parent if file.stem == "__init__" else file.with_suffix("")
    importlib.invalidate_caches()
    return importlib.import_module(f"{_package(str(reader.parent))}.{reader.name}")


@lru_cache(maxsize=64)
def _package(folder: str) -> str:
    """Makes a pack's folder a package, under a name that no other folder has."""
    name = f"ncclscope_readers_{hashlib.sha256(folder.encode()).hexdigest()[:12]}"
    spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [folder]
    sys.modules[name] = importlib.util.module_from_spec(spec)
    return name


class Taken:
    """Which lines of a source a reader took, a bit each: its rows are many, and several of them come from one line."""

    GATHERED = 4_000_000

    def __init__(self) -> None:
        self.marks = pl.Series([], dtype=pl.Boolean)
        self.held: list[pl.Series] = []
        self.waiting = 0

    def add(self, lines: pl.Series) -> None:
        """Numbers of lines, any number of times each."""
        self.held.append(lines.cast(pl.Int64).drop_nulls())
        self.waiting += len(lines)
        if self.waiting >= self.GATHERED:
            self._mark()

    def _mark(self) -> None:
        for lines in self.held:
            last = lines.max()
            if isinstance(last, int) and last >= len(self.marks):
                self.marks.append(pl.repeat(False, last + 1 - len(self.marks), eager=True))
            self.marks.scatter(lines, True)
        self.held, self.waiting = [], 0

    def __len__(self) -> int:
        self._mark()
        return int(self.marks.sum())


class Counter(io.RawIOBase):
    """Counts the lines that pass, and keeps the bytes while a second look may be needed."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.newlines = 0
        self.tail = b"\n"
        self.keep = False
        self.kept = bytearray()
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """What `io` calls to read."""
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
        """Reads what is left."""
        while self.read(1 << 20):
            pass

    @property
    def lines(self) -> int:
        """Lines so far; the last may lack its newline."""
        return self.newlines + (self.tail != b"\n")


# No GPU draws so much: under a unit of W such a number is mW, which some drivers and exporters print below a header that says W.
MOST_WATTS = 5_000.0


def complete(table: schema.Table, parser: str, frame: pl.DataFrame) -> pl.DataFrame:
    """A reader's frame with every column of the table, power in watts."""
    if table.name == "metrics" and "unit" in frame.columns:
        frame = in_watts(frame)
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


def in_watts(frame: pl.DataFrame) -> pl.DataFrame:
    """Metrics with the power of GPUs in W, whether they came in mW by name or by size. What says another name keeps its number."""
    power = pl.col("name").str.starts_with("power.") | pl.col("name").is_in(
        ["enforced.power.limit", "module.power.draw", "module.power.limit"]
    )
    milli = power & ((pl.col("unit") == "mW") | (pl.col("unit") == "W") & (pl.col("value") > MOST_WATTS)).fill_null(False)
    if not frame.select(milli.any()).item():
        return frame
    return frame.with_columns(
        value=pl.when(milli).then(pl.col("value") / 1000).otherwise(pl.col("value")),
        unit=pl.when(milli).then(pl.lit("W")).otherwise(pl.col("unit")),
    )


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
