"""Lines of a batch plus declarations give typed rows. See `parts`, `prefixes`, `records` and `rows` for the steps."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from ncclscope import prefixes as px
from ncclscope import records, rows, text
from ncclscope.groups import Groups
from ncclscope.lines import lines_of
from ncclscope.literals import Literals
from ncclscope.packs import Event, Pack
from ncclscope.parts import parts_of
from ncclscope.peeler import Peeler, compiled
from ncclscope.rows import Rows

__all__ = ["Engine", "Parsed", "lines_of", "parse"]

# With fewer lines it is not worth looking for a flood; so many lines are looked at.
FLOOD_LINES = 10_000
SAMPLE_LINES = 1_000
# A hostile file could ask for a rejoin on every line.
MAX_REJOINS = 20_000


@dataclass(frozen=True, slots=True)
class Engine:
    """Declarations compiled for one process; `wanted` are the literals without which no declaration wants a text."""

    prefixes: px.Prefixes
    peeler: Peeler
    events: tuple[Event, ...]
    by_literal: Mapping[str, Sequence[int]]
    wanted: Literals

    @classmethod
    def of(cls, pack: Pack) -> "Engine":
        """An engine for the parsers of a pack."""
        prefixes = px.Prefixes.of(pack.lines)
        events = sorted(map(rows.trimmed, pack.events), key=lambda event: (not event.dense, event.block is None))
        by_literal: dict[str, list[int]] = {}
        for number, event in enumerate(events):
            for literal in event.literals:
                by_literal.setdefault(literal, []).append(number)
        wanted = Literals({*by_literal, *(line.split for line in prefixes.split)})
        return cls(prefixes, Peeler.of(prefixes), tuple(events), by_literal, wanted)


@dataclass(slots=True)
class Parsed:
    """Rows by table, and the rows of the batch that something recognised."""

    tables: dict[str, list[Rows]] = field(default_factory=dict)
    matched: list[pl.Series] = field(default_factory=list)

    def known(self, lines: pl.DataFrame) -> pl.Series:
        """For each line: did something recognise it?"""
        known = pl.repeat(False, lines.height, eager=True)
        for found in self.matched:
            known.scatter(found, True)
        return known


@dataclass(slots=True)
class _Batch:
    """The texts of a batch on their way: `parts` are those that some pattern could want."""

    engine: Engine
    lines: pl.DataFrame
    parts: pl.DataFrame
    context: pl.DataFrame
    claimed: pl.Series
    pieces: dict[str, list[pl.DataFrame]] = field(default_factory=dict)
    matched: list[pl.Series] = field(default_factory=list)

    def add(self, event: Event, where: pl.Series, found: pl.DataFrame, record: Sequence[pl.Series] = ()) -> None:
        """Keeps what a pattern took, and the text and size of records of several lines."""
        self.claimed.scatter(where, True)
        piece = rows.piece(event, found, where, self.context, self.parts["said"])
        self.pieces.setdefault(event.table, []).append(piece.with_columns(record) if record else piece)


def parse(engine: Engine, lines: pl.DataFrame, wanted: pl.Series | None = None) -> Parsed:
    """Every recognised record of a batch of lines, once; `wanted` says which lines hold a literal, where that is known."""
    if lines.is_empty() or not engine.wanted:
        return Parsed()
    wanted = lines["own"] & (engine.wanted.stand_in(lines["raw"]) if wanted is None else wanted)
    if not wanted.any():
        return Parsed()
    texts = lines["raw"].filter(wanted)
    batch = _take_apart(engine, lines, parts_of(engine.prefixes.split, engine.wanted, wanted.arg_true(), texts))
    _match(batch)
    _others(batch)
    tables = {name: rows.table(name, pieces, batch.parts, batch.context, lines) for name, pieces in batch.pieces.items()}
    matched = [found.frame["row"] for found in tables.values()]
    return Parsed({name: [found] for name, found in tables.items()}, matched + batch.matched)


def _take_apart(engine: Engine, lines: pl.DataFrame, parts: pl.DataFrame) -> _Batch:
    """Adds what prefixes say: `rest` is the message."""
    said = px.read(engine.prefixes, parts["text"])
    context = said.context.with_row_index("said")
    outer = said.context["sev"].gather(said.said)
    parts = parts.select(pl.all().gather(said.rows)).with_columns(
        said.rest.alias("rest"), said.said.alias("said"), said.sev.fill_null(outer).alias("sev")
    )
    return _Batch(engine, lines, parts, context, pl.repeat(False, parts.height, eager=True))


def _match(batch: _Batch) -> None:
    """Offers each message to the patterns whose literal its text holds; the first that matches claims it."""
    texts = batch.parts["text"]
    for event in _floods(batch.engine, texts):
        _offer(batch, event, texts.str.contains("|".join(map(re.escape, event.literals))).arg_true())
    left = (~batch.claimed).arg_true()
    groups = Groups.of(texts.gather(left), left, list(batch.engine.by_literal))
    for number in sorted({number for literal in groups.seen for number in batch.engine.by_literal[literal]}):
        event = batch.engine.events[number]
        _offer(batch, event, groups.having(event.literals))


def _floods(engine: Engine, texts: pl.Series) -> list[Event]:
    """Events that most lines of a flood are: taken first, their lines need no look for other literals, which costs more."""
    if len(texts) < FLOOD_LINES:
        return []
    sample = texts.gather_every(len(texts) // SAMPLE_LINES)
    often = len(sample) // 16
    dense = [event for event in engine.events if event.dense]
    return [event for event in dense if sample.str.contains_any(list(event.literals)).sum() >= often]


def _offer(batch: _Batch, event: Event, where: pl.Series) -> None:
    """The parts at `where` that are not claimed and that the pattern matches become rows."""
    where = where.filter(~batch.claimed.gather(where))
    if where.is_empty():
        return
    if event.block is not None:
        _offer_block(batch, event, where)
        return
    found, hit = _extract(event, batch.parts["rest"].gather(where))
    missed = len(hit) - int(hit.sum())
    if missed < len(where):
        took = where.filter(hit) if missed else where
        batch.add(event, took, found.filter(hit) if missed else found)
    if event.wrap and missed:
        _offer_wrapped(batch, event, where.filter(~hit))


def _extract(event: Event, texts: pl.Series) -> tuple[pl.DataFrame, pl.Series]:
    """The groups of the pattern in each text, and which texts it takes."""
    found = texts.str.extract_groups(event.pattern).struct.unnest()
    hit = found["_"].is_not_null()
    return found, hit & ~texts.str.contains(event.but) if event.but else hit


def _offer_block(batch: _Batch, event: Event, where: pl.Series) -> None:
    line_at = _reader(batch.lines)
    mine = batch.parts.select(pl.all().gather(where))
    made = [records.assemble(event, row, rest, line_at, batch.engine.peeler) for row, rest in mine.select("row", "rest").iter_rows()]
    _records(batch, event, where, made)


def _offer_wrapped(batch: _Batch, event: Event, where: pl.Series) -> None:
    """What a terminal has broken matches when the next lines are joined."""
    line_at = _reader(batch.lines)
    where = where.head(MAX_REJOINS)
    texts = batch.parts.select(pl.col("row", "rest").gather(where)).iter_rows()
    made = [
        next(
            (r for r in records.rejoin(row, rest, line_at, batch.engine.peeler) if compiled(event.pattern).search(r.text)),
            None,
        )
        for row, rest in texts
    ]
    kept = pl.Series([record is not None for record in made], dtype=pl.Boolean)
    if kept.any():
        _records(batch, event, where.filter(kept), [record for record in made if record is not None])


def _records(batch: _Batch, event: Event, where: pl.Series, made: Sequence[records.Record]) -> None:
    """Rows for records of several lines, all of whose lines count as recognised."""
    texts = pl.Series("record", [record.text for record in made], dtype=pl.String)
    sizes = pl.Series("n_lines", [len(record.lines) for record in made], dtype=pl.UInt32)
    found, hit = _extract(event, texts)
    if not hit.any():
        return
    batch.add(event, where.filter(hit), found.filter(hit), (texts.filter(hit), sizes.filter(hit)))
    covered = [row for record, ok in zip(made, hit, strict=True) if ok for row in record.lines]
    batch.matched.append(pl.Series(covered, dtype=pl.UInt32))


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


def _others(batch: _Batch) -> None:
    """Messages nobody described yet, behind a prefix that is: they still have a host, a process and a level."""
    for (kind, parser), where in _unclaimed(batch):
        batch.pieces.setdefault("events", []).append(rows.other(kind, parser, where))


def _unclaimed(batch: _Batch) -> Iterator[tuple[tuple[str, str], pl.Series]]:
    left = (~batch.claimed).arg_true()
    if "other" not in batch.context.columns or left.is_empty():
        return
    said = batch.parts["said"].gather(left)
    names = batch.context.select(pl.col("other", "parser").gather(said)).with_columns(where=left)
    grouped = names.drop_nulls("other").group_by("other", "parser", maintain_order=True).agg("where")
    for kind, parser, where in zip(grouped["other"], grouped["parser"], grouped["where"], strict=True):
        yield (kind, parser), where
