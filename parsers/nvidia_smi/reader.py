"""Which lines of a file are rows, and of which header; what else stands there is damaged or left to the line parsers."""

import re
from collections.abc import Sequence

import polars as pl

from ncclscope.reading import Found

from .cells import Cells, lines_of, load, whole
from .fields import HEADER_LINE, PREFIX, Table, command_of, header_of
from .guess import guess
from .positions import SAMPLE_ROWS
from .report import Report

QUERY = "--query-"
# What a row of ours looks like even when torn: its beginning, or a cell that only nvidia-smi prints.
ROW_START = (
    r"^(?:20[0-9]{2}/[0-9]{2}/[0-9]{2}(?: [0-9:.]*)?|[0-9]{1,3}|GPU-[0-9a-f-]*|[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f.]*)"
    r"(?:,|$)"
)
ROW_CELL = (
    r"(?:^|, ?)(?:[0-9]+(?:\.[0-9]+)? (?:W|MHz|MiB|%)|0x[0-9a-f]{16}|[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-9]"
    r"|GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+)(?:,|$)"
)
ROW_TIME = r"^20[0-9]{2}/[0-9]{2}/[0-9]{2} [0-9:.]{8,12}, "


class Reader:
    """What must be remembered from one chunk of a file to the next."""

    def __init__(self) -> None:
        self.table: Table | None = None
        self.headers: dict[str, Table | None] = {}
        self.by_host: dict[str, Table] = {}
        self.guessed: dict[int, Table | None] = {}
        self.report = Report()

    def chunk(self, first: int, count: int, data: bytes) -> Found:
        """Rows of `count` whole lines; `first` is the number of the first."""
        if first == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")
        if self.table is not None and not self.by_host:
            frame = self._plain(self.table, data, count)
            if frame is not None:
                numbers = pl.arange(first, first + count, eager=True, dtype=pl.UInt64)
                cells = Cells.of(self.table, frame)
                if cells.bad is None:
                    yield from self.report.rows(self.table, cells, numbers, None)
                    return
        yield from self._mixed(first, data)

    def _plain(self, table: Table, data: bytes, count: int) -> pl.DataFrame | None:
        """The chunk as one table, or None if a line of it is something else than a row."""
        typed = list(table.typed)
        frame = load(table, data)
        if table.typed != typed and table.first and f"\n{table.first}".encode() in data:
            # It was a repeated header that is no number, not a cell.
            table.typed = typed
            return None
        if frame is None or frame.height != count or not whole(table, frame).all():
            return None
        start = frame["0"]
        strange = start.dtype == pl.String and table.names[0] != "hostname" and start.str.contains("^[a-z]").any()
        return None if strange else frame

    def _mixed(self, first: int, data: bytes) -> Found:
        """Rows of a chunk in which headers, other formats or torn lines stand between."""
        texts = lines_of(data)
        frame = pl.DataFrame({"no": pl.arange(first, first + len(texts), eager=True, dtype=pl.UInt64), "text": texts})
        frame = frame.filter(pl.col("text").str.strip_chars() != "")
        maybe = frame["text"].str.contains(HEADER_LINE) | frame["text"].str.contains(QUERY, literal=True)
        tables, marks = [self.table] if self.table else [], {}
        for text in frame["text"].filter(maybe).unique(maintain_order=True).to_list():
            table, host = self._header(text)
            if table is not None:
                marks[text] = (len(tables), host)
                tables.append(table)
        if any(host for _, host in marks.values()) or self.by_host:
            yield from self._prefixed(frame, marks, tables)
            return
        which = pl.lit(None, pl.Int32)
        if marks:
            ids = {text: at for text, (at, _) in marks.items()}
            which = pl.col("text").replace_strict(ids, default=None, return_dtype=pl.Int32)
        frame = frame.with_columns(mark=which)
        begin = pl.lit(0 if self.table else None, pl.Int32)
        frame = frame.with_columns(table=pl.col("mark").forward_fill().fill_null(begin))
        # A command is no header: it stays for the line parsers.
        command = pl.col("text").str.contains(QUERY, literal=True)
        rows = frame.filter(pl.col("mark").is_null() | command)
        for (at,), group in rows.group_by("table", maintain_order=True):
            if at is None:
                yield from self._headless(group)
            else:
                yield from self._group(tables[at], group)
        if marks:
            self.table = tables[frame["table"][-1]]

    def _header(self, text: str) -> tuple[Table | None, str]:
        """The table a line announces and the host that pdsh or srun put before it; the same object for the same header."""
        if text in self.headers:
            return self.headers[text], ""
        table = command_of(text) if QUERY in text else header_of(text)
        host = ""
        if table is None and (found := re.match(PREFIX, text)):
            host, table = found[1], header_of(found[2])
        if table is not None:
            same = [old for old in self.headers.values() if old and (old.names, old.units) == (table.names, table.units)]
            table = same[0] if same else table
        if not host or table is None:
            self.headers[text] = table
            return table, ""
        return table, host

    def _prefixed(self, frame: pl.DataFrame, marks: dict[str, tuple[int, str]], tables: Sequence[Table]) -> Found:
        """Rows behind `host: `, as pdsh, clush and srun --label print them."""
        said = frame["text"].str.extract_groups(PREFIX).struct.unnest()
        frame = frame.with_columns(said["1"].alias("host"), said["2"].alias("row"))
        yield from unread(frame.filter(pl.col("host").is_null())["no"])
        for (host,), group in frame.filter(pl.col("host").is_not_null()).group_by("host", maintain_order=True):
            heads = [text for text, (_, owner) in marks.items() if owner == host]
            if heads:
                self.by_host[str(host)] = tables[marks[heads[-1]][0]]
            table = self.by_host.get(str(host))
            rows = group.filter(~pl.col("text").is_in(heads)).drop("text").rename({"row": "text"})
            if table is None:
                yield from unread(rows["no"])
            else:
                yield from self._group(table, rows, str(host))

    def _group(self, table: Table, group: pl.DataFrame, host: str | None = None) -> Found:
        """Rows under one header, in order."""
        commas = group["text"].str.count_matches(",", literal=True)
        fits = commas == len(table.names) - 1
        yield from judge(group.filter(~fits))
        rows = group.filter(fits)
        if rows.is_empty():
            return
        frame = load(table, "\n".join(rows["text"].to_list()).encode("utf-8", "replace"))
        if frame is None or frame.height != rows.height:
            yield from judge(rows)
            return
        cells = Cells.of(table, frame)
        if cells.bad is not None:
            yield from judge(rows.filter(cells.bad))
            good = ~cells.bad
            rows, cells = rows.filter(good), cells.filter(good)
        if rows.height:
            yield from self.report.rows(table, cells, rows["no"], host)

    def _headless(self, group: pl.DataFrame) -> Found:
        """Rows before any header: their columns are guessed from the shapes of the cells."""
        likely = group["text"].str.contains(ROW_CELL) | group["text"].str.contains(ROW_TIME)
        yield from unread(group.filter(~likely)["no"])
        group = group.filter(likely).with_columns(commas=pl.col("text").str.count_matches(",", literal=True))
        for (commas,), rows in group.group_by("commas", maintain_order=True):
            if commas not in self.guessed:
                self.guessed[commas] = guess(rows["text"].head(SAMPLE_ROWS).to_list())
            table = self.guessed[commas]
            if table is None:
                yield from unread(rows["no"])
                continue
            yield from self.report.guessed(rows["no"][0], table.names)
            self.table = self.table or table
            yield from self._group(table, rows.drop("commas"))


def judge(group: pl.DataFrame) -> Found:
    """Lines that are no good row: torn ones are damaged, others belong to other parsers."""
    if group.is_empty():
        return
    # Torn in the middle a row keeps its beginning or a cell that nothing else prints.
    ours = group["text"].str.contains(ROW_START) | group["text"].str.contains(ROW_CELL)
    if ours.any():
        yield "damaged", group.filter(ours).select(line=pl.col("no"))
    yield from unread(group.filter(~ours)["no"])


def unread(numbers: pl.Series) -> Found:
    """Hands lines on to the line parsers."""
    if len(numbers):
        yield "unread", pl.DataFrame({"line": numbers.cast(pl.UInt64)})
