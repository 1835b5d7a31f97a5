"""Peels what launchers, containers, loggers and NCCL put in front of a message, and keeps what it says.

Whole columns at a time for the lines of a parcel; one text at a time for the few lines inside multi-line records. Both
use the same declarations in the same order, so they agree.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import polars as pl

from ncclscope.packs import Line

DEPTH = 6
# Filled by whoever is innermost, except the rank, where the first that names it is the launcher that knows.
_FIRST_WINS = frozenset({"rank"})


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The declarations, compiled once in a worker."""

    front: tuple[Line, ...]
    split: tuple[Line, ...]
    json: tuple[Line, ...]

    @classmethod
    def of(cls, lines: Sequence[Line]) -> "Prefixes":
        """Sorted into the three forms, order kept."""
        return cls(
            front=tuple(line for line in lines if not line.split and not line.json),
            split=tuple(line for line in lines if line.split),
            json=tuple(line for line in lines if line.json),
        )

    @property
    def literals(self) -> list[str]:
        """Literals whose presence makes a line worth a look even if no event wants it."""
        return [line.split for line in self.split]


def peel(prefixes: Prefixes, texts: pl.Series) -> pl.DataFrame:
    """Columns `rest`, `sev`, `other` and one for each group seen, as text, in the order of `texts`."""
    frame = pl.DataFrame({"rest": texts})
    frame = _unwrap_json(prefixes, frame)
    for _ in range(DEPTH):
        before = frame["rest"]
        for line in prefixes.front:
            frame = _peel_one(line, frame)
        if frame["rest"].equals(before):
            break
    return frame


def _peel_one(line: Line, frame: pl.DataFrame) -> pl.DataFrame:
    rest = frame["rest"]
    if line.literals:
        where = rest.str.contains_any(list(line.literals))
        if not where.any():
            return frame
    else:
        where = pl.repeat(True, len(rest), eager=True)
    rows = where.arg_true()
    found = rest.gather(rows).str.extract_groups(_front_pattern(line)).struct.unnest()
    hit = found["rest_"].is_not_null()
    if not hit.any():
        return frame
    if not hit.all():
        rows, found = rows.filter(hit), found.filter(hit)
    return _merge(line, frame, rows, found)


def _merge(line: Line, frame: pl.DataFrame, rows: pl.Series, found: pl.DataFrame) -> pl.DataFrame:
    """Writes what one declaration found into the given rows."""
    said: dict[str, pl.Series] = {name: found[name] for name in line.groups if name != "sev"}
    if line.severity and "sev" in found.columns:
        said["sev"] = found["sev"].replace_strict(dict(line.severity), default=None, return_dtype=pl.Int8)
    if line.other:
        said["other"] = pl.repeat(line.other, len(rows), eager=True)
        said["parser"] = pl.repeat(line.parser, len(rows), eager=True)
    if "time" in said:
        said["time_outer"] = said["time"]
    if "rest_" in found.columns:
        said["rest"] = found["rest_"]
    whole = len(rows) == frame.height
    columns = []
    for name, values in said.items():
        dtype = pl.Int8 if name == "sev" else pl.String
        old = frame[name] if name in frame.columns else pl.repeat(None, frame.height, dtype=dtype, eager=True)
        new = values.cast(dtype) if whole else _scatter(old, rows, values.cast(dtype))
        keep_first = name in _FIRST_WINS or name == "time_outer"
        merged = old.fill_null(new) if keep_first else (new if name == "rest" else new.fill_null(old))
        columns.append(merged.alias(name))
    return frame.with_columns(columns)


def _scatter(old: pl.Series, rows: pl.Series, values: pl.Series) -> pl.Series:
    """`old` with `values` at `rows`, leaving the others null (or as they were, for `rest`)."""
    spread = pl.DataFrame({"i": rows.cast(pl.UInt32), "v": values})
    index = pl.DataFrame({"i": pl.arange(0, len(old), eager=True, dtype=pl.UInt32), "old": old})
    joined = index.join(spread, on="i", how="left", maintain_order="left")
    return joined["v"] if old.name != "rest" else joined.select(pl.coalesce("v", "old"))["v"]


def _front_pattern(line: Line) -> str:
    return f"^(?:{line.prefix})(?P<rest_>(?s:.*))$"


def split_off(line: Line, prefixes: Prefixes, texts: pl.Series) -> pl.DataFrame:
    """The same for texts that hold `line.split`: prefix from the left of it, message from the right.

    A log of two million lines has a few thousand distinct left sides: those are taken apart once and joined.
    """
    halves = texts.str.splitn(line.split, 2).struct.unnest()
    heads = halves["field_0"]
    rest = halves["field_1"]
    distinct = heads.unique(maintain_order=True)
    parsed = _heads(line, prefixes, distinct).with_columns(distinct.alias("head_"))
    joined = pl.DataFrame({"head_": heads, "rest": rest}).join(
        parsed, on="head_", how="left", maintain_order="left", nulls_equal=True
    )
    return _levels(line, joined.drop("head_"))


def _heads(line: Line, prefixes: Prefixes, heads: pl.Series) -> pl.DataFrame:
    """What distinct left sides say: their own prefix, and outer ones before it."""
    pattern = f"^(?P<left_>(?s:.*?))(?:{line.prefix})$"
    found = heads.str.extract_groups(pattern).struct.unnest()
    matched = found["left_"].is_not_null()
    left = found["left_"].fill_null(heads)
    outer = peel(prefixes, left)
    if matched.any():
        rows = matched.arg_true()
        outer = _merge(line, outer, rows, found.filter(matched).drop("left_"))
    said = {"other": line.other, "parser": line.parser}
    return outer.drop("rest").with_columns(pl.lit(value).alias(name) for name, value in said.items())


def _levels(line: Line, frame: pl.DataFrame) -> pl.DataFrame:
    severity, rest = pl.lit(None, dtype=pl.Int8), pl.col("rest")
    for text, level in line.level:
        severity = pl.when(pl.col("rest").str.starts_with(text)).then(pl.lit(level, dtype=pl.Int8)).otherwise(severity)
        rest = pl.when(pl.col("rest").str.starts_with(text)).then(pl.col("rest").str.strip_prefix(text)).otherwise(rest)
    inner = pl.coalesce(severity, pl.col("sev")) if "sev" in frame.columns else severity
    return frame.with_columns(inner.alias("sev"), rest.alias("rest"))


def _unwrap_json(prefixes: Prefixes, frame: pl.DataFrame) -> pl.DataFrame:
    """Lines that are one JSON object with the message inside: docker's json-file, journalctl -o json."""
    for line in prefixes.json:
        rows = frame["rest"].str.contains_any(list(line.literals)).arg_true()
        if rows.is_empty():
            continue
        decoded = [json_line(line, text) for text in frame["rest"].gather(rows)]
        good = [(row, said) for row, said in zip(rows.to_list(), decoded, strict=True) if said is not None]
        if not good:
            continue
        names = sorted({name for _, said in good for name in said if name != "message"})
        found = pl.DataFrame(
            {name: [said.get(name) for _, said in good] for name in names}
            | {"rest_": [said["message"] for _, said in good]},
            schema=dict.fromkeys([*names, "rest_"], pl.String),
        )
        view = _as_front(line, tuple(names))
        frame = _merge(view, frame, pl.Series([row for row, _ in good], dtype=pl.UInt32), found)
    return frame


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


def _as_front(line: Line, names: tuple[str, ...]) -> Line:
    return Line(line.parser, "", names, (), "", (), line.other, line.severity, line.types, line.wrapper, {})


@dataclass(slots=True)
class Peeler:
    """The same for one text at a time, for the lines that continue a record."""

    prefixes: Prefixes
    _front: list[tuple[Line, re.Pattern[str]]] = field(init=False)
    _known: dict[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._front = [(line, re.compile(python_pattern(line.prefix))) for line in self.prefixes.front if line.prefix]

    def peel(self, text: str) -> tuple[str, Mapping[str, str]]:
        """The message and who speaks: labels only, without times and severities."""
        # Interleaved records scan past the same lines again and again.
        if text not in self._known:
            if len(self._known) >= MEMO_LINES:
                self._known.clear()
            self._known[text] = self._peel(text)
        return self._known[text]

    def _peel(self, text: str) -> tuple[str, Mapping[str, str]]:
        said: dict[str, str] = {}
        for _ in range(DEPTH):
            before = text
            for line, pattern in self._front:
                if line.literals and not any(literal in text for literal in line.literals):
                    continue
                if match := pattern.match(text):
                    said.update((k, v) for k, v in match.groupdict().items() if v and k in SPEAKER_GROUPS)
                    text = text[match.end() :]
            if text == before:
                break
        return text, said


MEMO_LINES = 50_000
# Groups that tell one speaker from another; times, severities and source lines change from line to line.
SPEAKER_GROUPS = frozenset(
    {"rank", "host", "pid", "local_rank", "task", "label_host", "worker", "worker_pid", "worker_ip", "role", "pod", "program"}
)


def python_pattern(pattern: str) -> str:
    """A marked pattern as Python's `re` takes it."""
    return pattern.replace(r"(?-u:\b)", r"\b").replace(r"(?-u:\B)", r"\B").replace("(?P<_>)", "")


@lru_cache(maxsize=256)
def compiled_sniff(pattern: str) -> re.Pattern[str]:
    """A reader's pattern for the head or the name of a source."""
    return re.compile(pattern)


__all__ = ["DEPTH", "Peeler", "Prefixes", "compiled_sniff", "json_line", "peel", "python_pattern", "split_off"]
