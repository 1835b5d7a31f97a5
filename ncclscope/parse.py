"""Lines of a batch plus declarations give typed rows, as polars frames. See `prefixes`, `records` and `rows` for the parts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from ncclscope import prefixes as px
from ncclscope import records, rows, text
from ncclscope.packs import Event, Pack
from ncclscope.rows import Rows

# A second prefix in the middle of a text: the progress bar or the other rank before it ended without a newline.
GLUE = (
    r"(\[rank[0-9]+\]:[ ]?(?:\[[EWIFV][0-9]{3,4} |Traceback |[A-Z])"
    r"|\[[EWIFV][0-9]{3,4} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6,9} [\w.+-]+:[0-9]+\])"
)


@dataclass(frozen=True, slots=True)
class Engine:
    """Declarations compiled for one process."""

    prefixes: px.Prefixes
    peeler: px.Peeler
    events: tuple[Event, ...]
    by_literal: dict[str, tuple[int, ...]]
    literals: list[str]

    @classmethod
    def of(cls, pack: Pack) -> "Engine":
        """An engine for the parsers of a pack."""
        prefixes = px.Prefixes.of(pack.lines)
        events = tuple(pack.events)
        by_literal: dict[str, tuple[int, ...]] = {}
        for index, event in enumerate(events):
            for literal in event.literals:
                by_literal[literal] = (*by_literal.get(literal, ()), index)
        literals = sorted({*by_literal, *prefixes.literals})
        return cls(prefixes, px.Peeler(prefixes), events, by_literal, literals)


# Columns of the lines of a batch: `row` is the position in the batch, `no` counts from 1 in the piece, `own` is false for
# lines that only finish a record which began before; a null `raw` separates sources.
LINE_SCHEMA = {
    "src": pl.UInt32,
    "no": pl.UInt64,
    "offset": pl.UInt64,
    "size": pl.UInt32,
    "raw": pl.String,
    "bad": pl.Boolean,
    "own": pl.Boolean,
}


@dataclass(slots=True)
class Parsed:
    """Rows by table, lines that something recognised, and times found at the start of lines."""

    tables: dict[str, list[Rows]] = field(default_factory=dict)
    matched: list[pl.DataFrame] = field(default_factory=list)

    def add(self, found: Rows) -> None:
        """Keeps rows of one pattern."""
        self.tables.setdefault(found.table, []).append(found)
        self.matched.append(found.frame.select("src", "no"))


def split_lines(data: bytes) -> tuple[pl.Series, pl.Series, pl.Series]:
    """Texts, sizes in bytes with the newline, and which held bytes that are no text.

    Sizes are those of the raw buffer whatever is stripped; an undecodable byte is kept as an escape.
    """
    crlf = b"\r\n" in data
    if crlf:
        # read_lines would swallow the CR and with it the true size.
        data = data.replace(b"\r\n", b"\r\r\n")
    if not data:
        empty = pl.Series(dtype=pl.String)
        return empty, empty.str.len_bytes(), empty.is_null()
    try:
        texts = _read_lines(data)
        sizes = texts.str.len_bytes() + 1
        bad = texts.str.contains("\x00", literal=True)
    except (pl.exceptions.PolarsError, OSError):
        pieces = data.split(b"\n")
        if pieces[-1] == b"":
            pieces.pop()
        decoded = [text.decode(piece) for piece in pieces]
        texts = pl.Series("line", decoded, dtype=pl.String)
        sizes = pl.Series([len(piece) + 1 for piece in pieces], dtype=pl.UInt32)
        bad = pl.Series([not valid(piece) for piece in pieces]) | texts.str.contains("\x00", literal=True)
    return (texts.str.strip_suffix("\r") if crlf else texts), sizes, bad


# First bytes by which polars takes a buffer for a compressed one (gzip, zlib, zstd) and unpacks it.
_LIKE_COMPRESSED = (b"\x1f", b"x", b"(")


def _read_lines(data: bytes) -> pl.Series:
    if data.startswith(_LIKE_COMPRESSED):
        return pl.read_lines(b"\n" + data)["line"].slice(1)
    return pl.read_lines(data)["line"]


def valid(piece: bytes) -> bool:
    """Is it UTF-8?"""
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


def lines_of(src: int, data: bytes, offset: int, first: int, after: bytes = b"") -> pl.DataFrame:
    """Lines of one block; `first` is the number of its first line, `after` what follows it in the source."""
    texts, sizes, bad = split_lines(data)
    own = len(texts)
    if after:
        more = split_lines(after)
        texts, sizes, bad = (pl.concat([a, b]) for a, b in zip((texts, sizes, bad), more, strict=True))
    sizes = sizes.cast(pl.UInt64)
    total = len(texts)
    frame = pl.DataFrame(
        {
            "src": pl.repeat(src, total, dtype=pl.UInt32, eager=True),
            "no": pl.arange(first, first + total, eager=True, dtype=pl.UInt64),
            "offset": sizes.cum_sum() - sizes + offset,
            "size": sizes.cast(pl.UInt32),
            "raw": texts,
            "bad": bad,
            "own": pl.arange(0, total, eager=True) < own,
        },
        schema=LINE_SCHEMA,
    )
    end = pl.DataFrame({name: [None] for name in LINE_SCHEMA}, schema=LINE_SCHEMA)
    return pl.concat([frame, end.with_columns(own=pl.lit(False))])


def parse(engine: Engine, lines: pl.DataFrame) -> Parsed:
    """Every recognised record of a batch of lines, once."""
    out = Parsed()
    if lines.is_empty() or not engine.literals:
        return out
    numbered = lines.with_row_index("row")
    hits = numbered.filter(pl.col("own") & pl.col("raw").str.contains_any(engine.literals))
    if hits.is_empty():
        return out
    parts = _with_messages(engine, _parts(engine, hits))
    claimed = _match(engine, numbered, parts, out)
    _others(parts, claimed, out)
    return out


def _parts(engine: Engine, hits: pl.DataFrame) -> pl.DataFrame:
    """One row a text: colours stripped, split at the lone CRs of progress bars and where two lines are glued."""
    frame = hits.rename({"raw": "text"})
    if frame["text"].str.contains("\x1b", literal=True).any():
        frame = frame.with_columns(pl.col("text").str.replace_all(text.ANSI, ""))
    cut = pl.lit(False)
    if frame["text"].str.contains("\r", literal=True).any():
        frame = frame.with_columns(pl.col("text").str.replace_all("\r", "\n", literal=True))
        cut = cut | pl.col("text").str.contains("\n", literal=True)
    glue = pl.col("text").str.contains(r"[^\s:>]" + GLUE) | pl.col("text").str.contains(r"[ ]{2}" + GLUE)
    twice = [pl.col("text").str.count_matches(line.split, literal=True) > 1 for line in engine.prefixes.split]
    frame = frame.with_columns(glue_=glue, twice_=pl.any_horizontal(*twice) if twice else pl.lit(False))
    if frame["glue_"].any():
        mended = pl.col("text").str.replace_all(r"([^\s:>]|[ ]{2})" + GLUE, "${1}\n${2}")
        frame = frame.with_columns(pl.when("glue_").then(mended).otherwise("text").alias("text"))
    if frame["twice_"].any():
        frame = frame.with_columns(
            pl.when("twice_").then(_unglue(engine, frame)).otherwise("text").alias("text"),
        )
    several = frame["text"].str.contains("\n", literal=True)
    if not several.any():
        return frame.with_columns(part=pl.lit(0, dtype=pl.UInt32)).drop("glue_", "twice_")
    return _explode(engine, frame.drop("glue_", "twice_"))


def _explode(engine: Engine, frame: pl.DataFrame) -> pl.DataFrame:
    frame = frame.with_columns(pl.col("text").str.split("\n"))
    frame = frame.with_columns(part=pl.int_ranges(0, pl.col("text").list.len(), dtype=pl.UInt32))
    frame = frame.explode("text", "part")
    return frame.filter(pl.col("text").str.contains_any(engine.literals))


def _unglue(engine: Engine, frame: pl.DataFrame) -> pl.Series:
    """Texts with a newline before each second prefix of the split form."""
    marks = {line.split: px.python_pattern(line.prefix) for line in engine.prefixes.split}
    texts = frame["text"].to_list()
    for row in frame["twice_"].arg_true().to_list():
        texts[row] = records.unglue(texts[row], marks)
    return pl.Series(texts, dtype=pl.String)


def _with_messages(engine: Engine, parts: pl.DataFrame) -> pl.DataFrame:
    """Adds what prefixes say: `rest` is the message."""
    pieces = []
    left = parts.with_row_index("rid")
    for line in engine.prefixes.split:
        where = left["text"].str.contains(line.split, literal=True)
        if where.any():
            mine = left.filter(where)
            said = px.split_off(line, engine.prefixes, mine["text"])
            pieces.append(pl.concat([mine, said], how="horizontal"))
            left = left.filter(~where)
    if left.height:
        said = px.peel(engine.prefixes, left["text"])
        pieces.append(pl.concat([left, said], how="horizontal"))
    return pl.concat(pieces, how="diagonal").sort("rid") if len(pieces) > 1 else pieces[0]


def _match(engine: Engine, lines: pl.DataFrame, parts: pl.DataFrame, out: Parsed) -> pl.Series:
    """Offers each message to the patterns whose literal it holds; returns the row ids that one claimed."""
    keys = parts["text"].str.extract_many(engine.literals, overlapping=True).list.join("\x1f")
    distinct = keys.unique(maintain_order=True)
    combo_of = pl.DataFrame({"key": distinct, "combo": pl.arange(0, len(distinct), eager=True, dtype=pl.UInt32)})
    parts = parts.with_columns(key=keys).join(combo_of, on="key", how="left", maintain_order="left").drop("key")
    wanted: dict[int, list[int]] = {}
    for combo, key in enumerate(distinct.to_list()):
        for index in {i for literal in key.split("\x1f") for i in engine.by_literal.get(literal, ())}:
            wanted.setdefault(index, []).append(combo)
    claimed: list[pl.Series] = []
    open_ = parts
    for index in sorted(wanted, key=lambda i: (engine.events[i].block is None, i)):
        event = engine.events[index]
        mine = open_.filter(pl.col("combo").is_in(wanted[index]))
        if mine.is_empty():
            continue
        took = _offer(engine, event, lines, mine, out)
        if took is None or took.is_empty():
            continue
        claimed.append(took)
        open_ = open_.filter(~pl.col("rid").is_in(took.implode()))
    return pl.concat(claimed) if claimed else pl.Series(dtype=pl.UInt32)


def _offer(engine: Engine, event: Event, lines: pl.DataFrame, mine: pl.DataFrame, out: Parsed) -> pl.Series | None:
    """Row ids that the pattern took."""
    if event.block is not None:
        return _offer_block(engine, event, lines, mine, out)
    found = mine["rest"].str.extract_groups(event.pattern).struct.unnest()
    hit = found["_"].is_not_null()
    took = mine["rid"].filter(hit)
    if len(took):
        out.add(rows.build(event, mine.filter(hit), found.filter(hit)))
    if event.wrap and len(took) < mine.height:
        rejoined = _offer_wrapped(engine, event, lines, mine.filter(~hit), out)
        took = pl.concat([took, rejoined])
    return took


def _offer_block(engine: Engine, event: Event, lines: pl.DataFrame, mine: pl.DataFrame, out: Parsed) -> pl.Series | None:
    line_at = _reader(lines)
    made = [
        records.assemble(event, row["row"], row["rest"], line_at, engine.peeler)
        for row in mine.select("row", "rest").iter_rows(named=True)
    ]
    return _records(event, lines, mine, made, out)


def _offer_wrapped(engine: Engine, event: Event, lines: pl.DataFrame, mine: pl.DataFrame, out: Parsed) -> pl.Series:
    line_at = _reader(lines)
    pattern = records.compiled(event.pattern)
    made, where = [], []
    for position, row in enumerate(mine.head(MAX_REJOINS).select("row", "rest").iter_rows(named=True)):
        for record in records.rejoin(row["row"], row["rest"], line_at, engine.peeler):
            if pattern.search(record.text):
                made.append(record)
                where.append(position)
                break
    if not made:
        return pl.Series(dtype=pl.UInt32)
    return _records(event, lines, mine[where], made, out)


# A hostile file could ask for a rejoin on every line.
MAX_REJOINS = 20_000


def _records(
    event: Event, lines: pl.DataFrame, mine: pl.DataFrame, made: Sequence[records.Record], out: Parsed
) -> pl.Series:
    """Rows for records of several lines, all of whose lines count as recognised."""
    texts = pl.Series([record.text for record in made], dtype=pl.String)
    found = texts.str.extract_groups(event.pattern).struct.unnest()
    hit = found["_"].is_not_null()
    mine = mine.with_columns(rest=texts, n_lines=pl.Series([len(record.lines) for record in made], dtype=pl.UInt32))
    kept = mine.filter(hit)
    if kept.height:
        out.add(rows.build(event, kept, found.filter(hit)))
        covered = [row for record, ok in zip(made, hit, strict=True) if ok for row in record.lines]
        out.matched.append(lines[covered].select("src", "no"))
    return kept["rid"]


def _reader(lines: pl.DataFrame) -> records.LineAt:
    """Random access to raw text by row, fetched in runs; None where a source ends."""
    raw = lines["raw"]
    cache: dict[int, list[str | None]] = {}
    run = 256

    def line_at(row: int) -> str | None:
        if not 0 <= row < len(raw):
            return None
        at = row // run
        if at not in cache:
            cache[at] = raw.slice(at * run, run).to_list()
        found = cache[at][row % run]
        return None if found is None else text.strip_ansi(found)

    return line_at


def _others(parts: pl.DataFrame, claimed: pl.Series, out: Parsed) -> None:
    """Messages nobody described yet, behind a prefix that is: they still have a host, a process and a level."""
    if "other" not in parts.columns:
        return
    rest = parts.filter(pl.col("other").is_not_null() & ~pl.col("rid").is_in(claimed.implode()))
    for kind, parser in rest.select("other", "parser").unique(maintain_order=True).iter_rows():
        out.add(rows.build_other(kind, rest.filter((pl.col("other") == kind) & (pl.col("parser") == parser)), parser))


def known(parsed: Iterable[Parsed]) -> pl.DataFrame:
    """Distinct (src, no) that something recognised."""
    frames = [frame for one in parsed for frame in one.matched]
    schema = {"src": pl.UInt32, "no": pl.UInt64}
    return pl.concat(frames).unique() if frames else pl.DataFrame(schema=schema)
