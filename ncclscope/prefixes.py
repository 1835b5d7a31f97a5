"""Peels what launchers, containers, loggers and NCCL put in front of a message, and keeps what it says.

Whole columns at a time for the lines of a parcel; one text at a time for the few lines inside multi-line records. Both
use the same declarations in the same order, so they agree.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from ncclscope.groups import Groups
from ncclscope.packs import Line

DEPTH = 6
# Literals such as `: ` and `]:`.
SHORT = 3
# Filled by whoever is innermost, except the rank, where the first that names it is the launcher that knows.
_FIRST_WINS = frozenset({"rank", "time_outer"})


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The declarations, compiled once in a worker."""

    front: tuple[Line, ...]
    split: tuple[Line, ...]
    json: tuple[Line, ...]
    literals: tuple[str, ...]

    @classmethod
    def of(cls, lines: Sequence[Line]) -> "Prefixes":
        """Sorted into the three forms, order kept."""
        front = tuple(line for line in lines if not line.split and not line.json)
        return cls(
            front=front,
            split=tuple(line for line in lines if line.split),
            json=tuple(line for line in lines if line.json),
            literals=tuple(sorted({literal for line in front for literal in line.literals})),
        )


@dataclass(frozen=True, slots=True)
class Said:
    """Texts taken apart. `rows` are their positions, since those with the same form stand together; `rest` is the message,
    `sev` its level where one stands beside the message, `said` its row in `context`, one column for each group."""

    rows: pl.Series
    rest: pl.Series
    sev: pl.Series
    said: pl.Series
    context: pl.DataFrame


def read(prefixes: Prefixes, texts: pl.Series) -> Said:
    """What prefixes say of each text."""
    pieces: list[Said] = []
    rows = pl.arange(0, len(texts), eager=True, dtype=pl.UInt32)
    for line in prefixes.split:
        where = texts.str.contains(line.split, literal=True)
        if where.any():
            pieces.append(_split(line, prefixes, rows.filter(where), texts.filter(where)))
            rows, texts = rows.filter(~where), texts.filter(~where)
    if len(texts) or not pieces:
        context = peel(prefixes, texts)
        rest = context["rest"]
        said = pl.arange(0, len(texts), eager=True, dtype=pl.UInt32)
        pieces.append(Said(rows, rest, _nothing(len(texts), pl.Int8()), said, context.drop("rest")))
    return pieces[0] if len(pieces) == 1 else _together(pieces)


def _together(pieces: Sequence[Said]) -> Said:
    said, begin = [], 0
    for piece in pieces:
        said.append(piece.said + begin)
        begin += piece.context.height
    return Said(
        rows=pl.concat([piece.rows for piece in pieces]),
        rest=pl.concat([piece.rest for piece in pieces]),
        sev=pl.concat([piece.sev for piece in pieces]),
        said=pl.concat(said),
        context=pl.concat([piece.context for piece in pieces], how="diagonal"),
    )


def _nothing(height: int, dtype: pl.DataType) -> pl.Series:
    return pl.repeat(None, height, dtype=dtype, eager=True)


@dataclass(slots=True)
class _Found:
    """Columns that fill up while declarations take texts apart: rows and values, in the order they were found."""

    height: int
    columns: dict[str, list[tuple[pl.Series, pl.Series]]] = field(default_factory=dict)

    def add(self, line: Line, rows: pl.Series, groups: pl.DataFrame) -> None:
        """What one declaration found in these rows."""
        for name in line.groups:
            if name != "sev":
                self._put(name, rows, groups[name])
        if line.severity and "sev" in groups.columns:
            levels = groups["sev"].replace_strict(dict(line.severity), default=None, return_dtype=pl.Int8)
            self._put("sev", rows, levels)
        if line.other:
            self.put_all(line, rows)

    def put_all(self, line: Line, rows: pl.Series) -> None:
        """Rows that are this declaration's even if no event wants them."""
        for name, value in (("other", line.other), ("parser", line.parser)):
            self._put(name, rows, pl.repeat(value, len(rows), eager=True))

    def _put(self, name: str, rows: pl.Series, values: pl.Series) -> None:
        if values.null_count():
            known = values.is_not_null()
            rows, values = rows.filter(known), values.filter(known)
        if len(rows):
            self.columns.setdefault(name, []).append((rows, values))

    def frame(self) -> pl.DataFrame:
        """One column for each name, null where nothing was said; `sev` is always there."""
        if "time" in self.columns:
            self.columns["time_outer"] = self.columns["time"]
        found = {name: self._column(name) for name in self.columns}
        return pl.DataFrame({"sev": _nothing(self.height, pl.Int8())} | found)

    def _column(self, name: str) -> pl.Series:
        chunks = self.columns[name]
        rows, values = (pl.concat([chunk[i] for chunk in chunks]) for i in (0, 1))
        if len(chunks) > 1:
            kept = rows.is_first_distinct() if name in _FIRST_WINS else rows.is_last_distinct()
            rows, values = rows.filter(kept), values.filter(kept)
        place = _nothing(self.height, pl.UInt32()).scatter(rows, pl.arange(0, len(rows), eager=True, dtype=pl.UInt32))
        return values.gather(place)


def peel(prefixes: Prefixes, texts: pl.Series) -> pl.DataFrame:
    """Columns `rest`, `sev`, `other` and one for each group seen, as text, in the order of `texts`."""
    found = _Found(len(texts))
    rest = _peel_all(prefixes, texts, found)
    return found.frame().with_columns(rest.alias("rest"))


def _peel_all(prefixes: Prefixes, texts: pl.Series, found: _Found) -> pl.Series:
    """The texts without their prefixes, which go to `found`."""
    rest = _unwrap_json(prefixes, texts, found)
    every = pl.arange(0, len(rest), eager=True, dtype=pl.UInt32)
    groups = Groups.of(rest, every, prefixes.literals, SHORT)
    # What is peeled later is a part of the text, so who holds no literal now never will.
    candidates = [(line, groups.having(line.literals) if line.literals else every) for line in prefixes.front]
    candidates = [(line, rows) for line, rows in candidates if len(rows)]
    for _ in range(DEPTH):
        changed = pl.repeat(False, len(rest), eager=True)
        for line, rows in candidates:
            rest = _peel_one(line, rows, rest, changed, found)
        if not changed.any():
            break
        candidates = [(line, left) for line, rows in candidates if len(left := rows.filter(changed.gather(rows)))]
    return rest


def _peel_one(line: Line, rows: pl.Series, rest: pl.Series, changed: pl.Series, found: _Found) -> pl.Series:
    """The texts without this prefix; notes in `changed` which had it."""
    groups = rest.gather(rows).str.extract_groups(_front_pattern(line)).struct.unnest()
    after = groups["rest_"]
    if after.null_count() == len(after):
        return rest
    if after.null_count():
        hit = after.is_not_null()
        rows, groups = rows.filter(hit), groups.filter(hit)
    found.add(line, rows, groups)
    changed.scatter(rows, True)
    return rest.scatter(rows, groups["rest_"])


def _front_pattern(line: Line) -> str:
    return f"^(?:{line.prefix})(?P<rest_>(?s:.*))$"


def _split(line: Line, prefixes: Prefixes, rows: pl.Series, texts: pl.Series) -> Said:
    """Texts that hold `line.split`: prefix from the left of it, message from the right.

    A log of two million lines has a few thousand distinct left sides: those are taken apart once.
    """
    halves = texts.str.splitn(line.split, 2).struct.unnest()
    heads = halves["field_0"].alias("head")
    distinct = heads.unique(maintain_order=True)
    places = distinct.to_frame().with_row_index("said")
    said = heads.to_frame().join(places, on="head", how="left", maintain_order="left")["said"]
    rest, sev = _levels(line, halves["field_1"])
    return Said(rows, rest, sev, said, _heads(line, prefixes, distinct))


def _heads(line: Line, prefixes: Prefixes, heads: pl.Series) -> pl.DataFrame:
    """What distinct left sides say: their own prefix, and outer ones before it."""
    groups = heads.str.extract_groups(f"^(?P<left_>(?s:.*?))(?:{line.prefix})$").struct.unnest()
    found = _Found(len(heads))
    left = groups["left_"].fill_null(heads)
    if (left != "").any():
        _peel_all(prefixes, left, found)
    every = pl.arange(0, len(heads), eager=True, dtype=pl.UInt32)
    found.add(line, every, groups)
    found.put_all(line, every)
    return found.frame()


def _levels(line: Line, rest: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The text right after the cut that states a level is no part of the message."""
    levels = dict(line.level)
    severity, message = pl.lit(levels.get(""), dtype=pl.Int8), pl.col("rest")
    for text, level in levels.items():
        states = pl.col("rest").str.starts_with(text)
        if text:
            message = pl.when(states).then(pl.col("rest").str.strip_prefix(text)).otherwise(message)
        if level != levels.get(""):
            severity = pl.when(states).then(pl.lit(level, dtype=pl.Int8)).otherwise(severity)
    frame = rest.alias("rest").to_frame().select(rest=message, sev=severity)
    return frame["rest"], frame["sev"]


def _unwrap_json(prefixes: Prefixes, texts: pl.Series, found: _Found) -> pl.Series:
    """Lines that are one JSON object with the message inside: docker's json-file, journalctl -o json."""
    rest = texts.clone()
    for line in prefixes.json:
        rows = rest.str.contains_any(list(line.literals)).arg_true()
        decoded = [json_line(line, text) for text in rest.gather(rows)]
        good = [(row, said) for row, said in zip(rows.to_list(), decoded, strict=True) if said is not None]
        if not good:
            continue
        hit = pl.Series([row for row, _ in good], dtype=pl.UInt32)
        names = tuple(sorted({name for _, said in good for name in said}))
        groups = pl.DataFrame({name: [said.get(name) for _, said in good] for name in names}, dict.fromkeys(names, pl.String))
        found.add(replace(line, groups=tuple(name for name in names if name != "message")), hit, groups)
        rest.scatter(hit, groups["message"])
    return rest


def json_line(line: Line, text: str) -> dict[str, str] | None:
    """`message` and the other members that `line.json` names, as text; None when it is not such a line."""
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    said = {name: _text(row.get(member)) for name, member in line.json.items()}
    message = said.get("message")
    if message is None:
        return None
    return {name: value for name, value in said.items() if value is not None} | {"message": message.rstrip("\n")}


def _text(value: Any) -> str | None:
    """journald prints numbers as text and text that is not UTF-8 as a list of byte values."""
    if isinstance(value, list) and all(isinstance(item, int) and 0 <= item < 256 for item in value):
        return bytes(value).decode("utf-8", "backslashreplace")
    return None if value is None or isinstance(value, (dict, list)) else str(value)
