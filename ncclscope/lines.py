"""Bytes become lines: one frame for all blocks of a batch, with true sizes and offsets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from ncclscope import text
from ncclscope.margins import Margin

# `no` counts from 1 in the piece; `own` is false for lines that only finish a record which began before; a null `raw`
# separates chunks, so that no record runs from one source into the next.
SCHEMA = {
    "src": pl.UInt32,
    "no": pl.UInt64,
    "offset": pl.UInt64,
    "size": pl.UInt32,
    "raw": pl.String,
    "bad": pl.Boolean,
    "own": pl.Boolean,
}
# How far lines after a chunk are looked at, to finish its last records.
AFTER_BYTES = 256 << 10
LARGE_BYTES = 1 << 20
# Where some bytes are no text, this much around them is looked at line by line.
WINDOW_BYTES = 64 << 10
# First bytes by which polars takes a buffer for a compressed one (gzip, zlib, zstd) and unpacks it.
_LIKE_COMPRESSED = (b"\x1f", b"x", b"(")


@dataclass(frozen=True)
class Chunk:
    """Whole lines of a source; `first` is the number of the first, `after` what follows them in the source, which has a
    `margin` if somebody copied it."""

    src: int
    data: bytes
    offset: int
    first: int
    after: bytes = b""
    margin: Margin | None = None

    @cached_property
    def lines(self) -> int:
        """Lines in the data; the last may lack its newline."""
        return self.split.height if self.large else count(self.data)

    @cached_property
    def large(self) -> bool:
        """Is it split where it is? To copy so much costs more than a call. Of lines as short as these nobody knows how many
        there are, and each takes a hundred bytes in memory."""
        short = self.data.count(b"\n", 0, LARGE_BYTES) > LARGE_BYTES // 16
        return len(self.data) >= LARGE_BYTES and not short and not _unfinished(self.data)

    @cached_property
    def split(self) -> pl.DataFrame:
        """The lines, as `split_lines` gives them."""
        return split_lines(self.data)


@dataclass(frozen=True, slots=True)
class Run:
    """Chunks that follow each other in one source, and so are one text; it begins at byte `begin` of the batch."""

    chunks: Sequence[Chunk]
    begin: int

    @property
    def after(self) -> bytes:
        """What follows the last."""
        return self.chunks[-1].after

    @property
    def end(self) -> int:
        """Where the next run begins."""
        return self.begin + sum(len(chunk.data) for chunk in self.chunks) + len(self.after)

    @property
    def unfinished(self) -> bool:
        """Is the last line without its newline?"""
        return _unfinished(self.after or self.chunks[-1].data)


def runs_of(chunks: Sequence[Chunk]) -> list[Run]:
    """The chunks of a batch, neighbours together."""
    runs: list[Run] = []
    held: list[Chunk] = []
    for chunk, following in zip(chunks, [*chunks[1:], None], strict=True):
        held.append(chunk)
        if following is None or (chunk.src, chunk.offset + len(chunk.data)) != (following.src, following.offset):
            runs.append(Run(held, runs[-1].end if runs else 0))
            held = []
    return runs


def cut(chunk: Chunk, most_lines: int = 1 << 20) -> Iterator[Chunk]:
    """The chunk in parts of at most so many lines: a line of two bytes takes a hundred in memory."""
    middle = chunk.data.find(b"\n", len(chunk.data) // 2) + 1
    if chunk.lines <= most_lines or not 0 < middle < len(chunk.data):
        yield chunk
        return
    data, rest = chunk.data[:middle], chunk.data[middle:]
    after = rest[: rest.rfind(b"\n", 0, AFTER_BYTES) + 1] if len(rest) > AFTER_BYTES else rest + chunk.after
    head = replace(chunk, data=data, after=after)
    yield from cut(head, most_lines)
    yield from cut(replace(chunk, data=rest, offset=chunk.offset + middle, first=chunk.first + head.lines), most_lines)


def count(data: bytes) -> int:
    """Lines in some bytes."""
    return data.count(b"\n") + _unfinished(data)


def _unfinished(data: bytes) -> bool:
    return bool(data) and not data.endswith(b"\n")


def lines_of(src: int, data: bytes, offset: int, first: int, after: bytes = b"") -> pl.DataFrame:
    """Lines of one chunk."""
    return frame_of([Chunk(src, data, offset, first, after)])


def frame_of(chunks: Sequence[Chunk]) -> pl.DataFrame:
    """Lines of several chunks, one after the other, as SCHEMA says."""
    runs = runs_of(chunks)
    frame = _beside(_split_all(runs), _layout(runs)).with_row_index("row")
    nth = pl.col("row") - pl.col("begin")
    end = nth == pl.col("lines") - 1
    # Separators and newlines that were added take no room in the source.
    size = pl.col("size") - end - ((nth == pl.col("lines") - 2) & pl.col("unfinished"))
    frame = frame.with_columns(size=size, own=nth < pl.col("own"), raw=pl.when(~end).then("raw"), no=nth + pl.col("first"))
    for margin in {chunk.margin for chunk in chunks if chunk.margin}:
        copied = frame["src"].is_in([chunk.src for chunk in chunks if chunk.margin == margin])
        frame = frame.with_columns(margin.taken_off(frame["raw"]).zip_with(copied, frame["raw"]))
    return frame.with_columns(offset=pl.col("size").cum_sum() - pl.col("size") + pl.col("shift")).select(
        pl.col(name).cast(dtype) for name, dtype in SCHEMA.items()
    )


def _beside(lines: pl.DataFrame, layout: pl.DataFrame) -> pl.DataFrame:
    """The lines with what the layout says of their run."""
    if layout.height == 1:
        return lines.with_columns(pl.lit(value[0], dtype=value.dtype).alias(value.name) for value in layout)
    run = pl.arange(0, layout.height, eager=True, dtype=pl.UInt32).repeat_by(layout["lines"]).explode()
    return pl.concat([lines, layout.select(pl.all().gather(run))], how="horizontal")


def _split_all(runs: Sequence[Run]) -> pl.DataFrame:
    """Small texts are split together."""
    frames, held = [], list[bytes]()
    for run in runs:
        for chunk in run.chunks:
            if chunk.large:
                frames += [split_lines(b"".join(held)), chunk.split]
                held = []
            else:
                held.append(chunk.data)
        held += [run.after, b"\n\n" if run.unfinished else b"\n"]
    frames.append(split_lines(b"".join(held)))
    return pl.concat(frames, rechunk=True)


def _layout(runs: Sequence[Run]) -> pl.DataFrame:
    """One row a run: lines with the separator, own lines, lines before, and what leads from bytes of the batch to the source's."""
    rows, begin = [], 0
    for run in runs:
        first, own = run.chunks[0], sum(chunk.lines for chunk in run.chunks)
        lines = own + count(run.after) + 1
        rows.append((first.src, lines, own, begin, first.first, first.offset - run.begin, run.unfinished))
        begin += lines
    numbers = ("lines", "own", "begin", "first", "shift")
    schema = {"src": pl.UInt32(), **dict.fromkeys(numbers, pl.Int64()), "unfinished": pl.Boolean()}
    return pl.DataFrame(rows, schema, orient="row")


def split_lines(data: bytes) -> pl.DataFrame:
    """`raw`, `size` in bytes with the newline, and `bad` where a line holds bytes that are no text.

    Sizes are those of the buffer whatever is stripped; an undecodable byte is kept as an escape.
    """
    try:
        return _read(data)
    except (pl.exceptions.PolarsError, OSError):
        mended, sizes = _mended(data)
        frame = _read(mended)
        rows = pl.Series(list(sizes), dtype=pl.UInt32)
        bad = frame["bad"].scatter(rows, True)
        return frame.with_columns(bad, frame["size"].scatter(rows, pl.Series(list(sizes.values()), dtype=pl.Int64)))


def _read(data: bytes) -> pl.DataFrame:
    # To look for two bytes takes 20 times as long as for one.
    crlf = b"\r" in data and (b"\r\n" in data or data.endswith(b"\r"))
    if crlf:
        # read_lines would swallow the CR and with it the true size.
        data = data.replace(b"\r\n", b"\r\r\n") + (b"\r" if data.endswith(b"\r") else b"")
    raw = _read_lines(data)
    nul = raw.str.contains("\x00", literal=True) if b"\0" in data else pl.repeat(False, len(raw), eager=True)
    stripped = raw.str.strip_suffix("\r") if crlf else raw
    return pl.DataFrame({"raw": stripped, "size": raw.str.len_bytes().cast(pl.Int64) + 1, "bad": nul})


def _read_lines(data: bytes) -> pl.Series:
    if not data:
        return pl.Series(dtype=pl.String)
    if data.startswith(_LIKE_COMPRESSED):
        return pl.read_lines(b"\n" + data)["line"].slice(1)
    return pl.read_lines(data)["line"]


def _mended(data: bytes) -> tuple[bytes, dict[int, int]]:
    """The bytes with escapes where they were no UTF-8, and the true sizes of those lines by index."""
    pieces: list[bytes] = []
    sizes: dict[int, int] = {}
    at = index = 0
    while at < len(data):
        end = data.find(b"\n", at + WINDOW_BYTES) + 1 or len(data)
        window = data[at:end]
        if not valid(window):
            window = b"\n".join(_escaped(window.split(b"\n"), index, sizes))
        pieces.append(window)
        index += window.count(b"\n")
        at = end
    return b"".join(pieces), sizes


def _escaped(lines: list[bytes], index: int, sizes: dict[int, int]) -> Iterator[bytes]:
    for number, line in enumerate(lines, index):
        if valid(line):
            yield line
        else:
            sizes[number] = len(line) + 1
            yield text.decode(line).encode()


def valid(data: bytes) -> bool:
    """Is it UTF-8?"""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
