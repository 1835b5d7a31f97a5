"""The cells of rows under one header: loaded as columns, and read."""

import re
from dataclasses import dataclass

import polars as pl

from .convert import numbers_of, times, words
from .fields import Table, is_identity


@dataclass(slots=True)
class Cells:
    """The cells of rows under one header, read: `bad` marks rows that are none."""

    table: Table
    texts: dict[int, pl.Series]
    values: dict[int, pl.Series]
    faults: dict[int, pl.Series]
    index: pl.Series | None
    uuid: pl.Series | None
    bdf: pl.Series | None
    pid: pl.Series | None
    ts: pl.Series | None
    ts_clock: pl.Series | None
    bad: pl.Series | None

    @classmethod
    def of(cls, table: Table, frame: pl.DataFrame) -> "Cells":
        """Reads every column once."""
        texts, values, faulty = {}, {}, {}
        bad: list[pl.Series] = []
        for at, name in enumerate(table.names):
            column = frame[str(at)]
            if at in table.states:  # a damaged file may hold numbers alone where words belong
                column = column.cast(pl.String)
            if is_identity(name) or at in table.states:
                # Times differ from row to row: looking for words among them would cost more than reading them.
                texts[at], fault = (column.str.strip_chars(), None) if name == "timestamp" else words(column)
                if fault is not None:
                    faulty[at] = fault
                continue
            values[at], fault, strange = numbers_of(table, at, column)
            if fault is not None:
                faulty[at] = fault
                texts[at] = column.str.strip_chars()
            if strange is not None:
                bad.append(strange)
        self = cls(table, texts, values, faulty, None, None, None, None, None, None, None)
        bad += self._known()
        if bad:
            marks = bad[0]
            for more in bad[1:]:
                marks = marks | more
            self.bad = marks if marks.any() else None
        return self

    def _known(self) -> list[pl.Series]:
        """Fills the columns that every row shares; returns marks of rows where they make no sense."""
        bad = []
        stamps = self.named("timestamp")
        if stamps is not None:
            self.ts, self.ts_clock = times(stamps)
            bad.append(self.ts.is_null())
        index = self.named("index")
        if index is not None:
            plain = index.str.strip_prefix("GPU") if index.dtype == pl.String else index
            self.index = plain.cast(pl.Int32, strict=False)
            bad.append(self.index.is_null() & index.is_not_null())
        pid = self.named("pid")
        if pid is not None:
            self.pid = pid.cast(pl.Int32, strict=False)
            bad.append(self.pid.is_null() & pid.is_not_null())
        self.uuid = self.named("uuid")
        bus = self.named("pci.bus_id")
        if bus is not None:
            # As the kernel writes it: 0000:9a:00.0.
            long = bus.str.len_bytes().min() == 16 and bus.str.starts_with("0000").all()
            self.bdf = (bus.str.slice(4) if long else bus).str.to_lowercase()
        if stamps is None and index is None and self.uuid is None and bus is None and pid is None:
            # Without a column of known shape prose with as many commas would pass: some cell must be a number.
            anything = [values.is_not_null() for values in self.values.values()] + list(self.faults.values())
            some = anything[0] if anything else None
            for more in anything[1:]:
                some = some | more
            if some is not None:
                bad.append(~some)
        return bad

    def named(self, name: str) -> pl.Series | None:
        """The texts of a field, or None."""
        at = self.table.at(name)
        return None if at is None else self.texts[at]

    def filter(self, keep: pl.Series) -> "Cells":
        """The same for some of the rows."""
        cut = {name: getattr(self, name) for name in ("index", "uuid", "bdf", "pid", "ts", "ts_clock")}
        cut = {name: None if column is None else column.filter(keep) for name, column in cut.items()}
        maps = [{at: column.filter(keep) for at, column in part.items()} for part in (self.texts, self.values, self.faults)]
        return Cells(self.table, *maps, **cut, bad=None)


def load(table: Table, data: bytes) -> pl.DataFrame | None:
    """Cells as columns "0", "1" ..., and "over" for what a row has too many; None if the bytes are no text."""
    plain = not packed(data)
    while True:
        schema: dict[str, pl.DataType | type[pl.DataType]] = {
            str(i): pl.Float64 if typed else pl.String for i, typed in enumerate(table.typed)
        }
        try:
            frame = pl.read_csv(
                data if plain else b"\n" + data,
                has_header=False,
                schema={**schema, "over": pl.String},
                quote_char=None,
                missing_columns="insert",
                extra_columns="ignore",
            )
            return frame if plain else frame.slice(1)
        except (pl.exceptions.PolarsError, OSError) as error:
            found = re.search(r"at column '([0-9]+)'", str(error))
            if found and table.typed[int(found[1])]:
                table.typed[int(found[1])] = False
            elif any(table.typed):
                table.typed = [False] * len(table.typed)
            else:
                return None


def whole(table: Table, frame: pl.DataFrame) -> pl.Series:
    """Which rows have as many cells as the header."""
    return frame[str(len(table.names) - 1)].is_not_null() & frame["over"].is_null()


def packed(data: bytes) -> bool:
    """Would polars take the bytes for gzip, zlib or zstd, and unpack them?"""
    return data[:1] in (b"\x1f", b"x", b"(")


def lines_of(data: bytes) -> pl.Series:
    """Texts of lines, undecodable bytes replaced."""
    if not data:
        return pl.Series(dtype=pl.String)
    try:
        plain = not packed(data)
        texts = pl.read_lines(data if plain else b"\n" + data)["line"].str.strip_suffix("\r")
        return texts if plain else texts.slice(1)
    except (pl.exceptions.PolarsError, OSError):
        lines = data.decode("utf-8", "replace").split("\n")
        if lines[-1] == "":
            lines.pop()
        return pl.Series(lines, dtype=pl.String).str.strip_suffix("\r")
