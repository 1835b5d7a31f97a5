"""The filter: a line of words such as `rank:512-519 host:node064 kind:nccl.net.* sev>=warning after:03:10 text`."""

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ncclscope import schema

FIELDS = ("rank", "host", "kind", "source", "sev", "after", "before", "file", "comm", "text")
_WORD = re.compile(r"(?P<no>[-!]?)(?P<field>[a-z]+)(?P<op>:|>=)(?P<value>.+)", re.DOTALL)
_CLOCK = re.compile(r"(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d?):(\d\d)(?::(\d\d(?:\.\d{1,6})?))?Z?$")


class FilterError(ValueError):
    """A word that means nothing; one sentence."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Words, and the condition over events that they make, with its parameters."""

    text: str = ""
    where: str = "true"
    parameters: tuple[object, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)


def parse(text: str) -> Filter:
    """A filter from its words; all must hold, and values of one field separated by commas are alternatives."""
    conditions: list[str] = []
    parameters: list[object] = []
    for word in words(text):
        condition, values = _condition(word)
        conditions.append(condition)
        parameters += values
    return Filter(text.strip(), " AND ".join(conditions) or "true", tuple(parameters))


def words(text: str) -> list[str]:
    """The words of a filter; quotes keep blanks. Raises FilterError."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise FilterError(f"a quote is not closed: {text}") from error


def about(text: str, fields: Sequence[str]) -> str:
    """The words of a filter that are about these fields."""
    kept = [word for word in words(text) if (match := _WORD.fullmatch(word)) and match["field"] in fields]
    return shlex.join(kept)


def add(text: str, word: str) -> str:
    """The filter with one more word, once."""
    quoted = shlex.quote(word) if re.search(r"[\s'\"\\]", word) else word
    return text if word in words(text) else f"{text} {quoted}".strip()


def _condition(word: str) -> tuple[str, list[object]]:
    match = _WORD.fullmatch(word)
    if match is None or match["field"] not in FIELDS:
        text = word[1:] if word[:1] == "!" and len(word) > 1 else word
        return _not(word[:1] == "!" and len(word) > 1, "contains(lower(message), lower(?))"), [text]
    field, value = match["field"], match["value"]
    if match["op"] == ">=" and field != "sev":
        raise FilterError(f"only sev has >=, as in sev>=warning: {word}")
    condition, values = _FIELDS[field](value) if field in _FIELDS else _like(field, value)
    return _not(bool(match["no"]), condition), values


def _not(negated: bool, condition: str) -> str:
    return f"NOT coalesce({condition}, false)" if negated else f"({condition})"


def _ranks(value: str) -> tuple[str, list[object]]:
    parts, values = [], list[object]()
    for item in value.split(","):
        first, _, last = item.partition("-")
        if not (first.isdigit() and (last or first).isdigit()) or len(first + last) > 18:
            raise FilterError(f"a rank is a number or a range, as in rank:512-519: {value}")
        parts.append("rank BETWEEN ? AND ?")
        values += [int(first), int(last or first)]
    return " OR ".join(parts), values


def _severity(value: str) -> tuple[str, list[object]]:
    near = [n for n, name in enumerate(schema.SEVERITIES) if name.startswith(value.lower())]
    if len(near) != 1:
        raise FilterError(f"a severity is one of {', '.join(schema.SEVERITIES)}: {value}")
    return "severity >= ?", list[object](near)


def _like(field: str, value: str) -> tuple[str, list[object]]:
    """Names with `*` for anything; letters of either case."""
    column = {"file": "name"}.get(field, field)
    patterns = [_pattern(item, field) for item in value.split(",") if item]
    return " OR ".join([f"{column} ILIKE ? ESCAPE '\\'"] * len(patterns)) or "true", list[object](patterns)


def _pattern(item: str, field: str) -> str:
    escaped = re.sub(r"([%_\\])", r"\\\1", item).replace("*", "%")
    return f"%{escaped}%" if field == "file" and "*" not in item else escaped


def _text(value: str) -> tuple[str, list[object]]:
    return "contains(lower(message), lower(?))", [value]


def _when(operator: str) -> "_Reader":
    def read(value: str) -> tuple[str, list[object]]:
        match = _CLOCK.match(value)
        if match is None or int(match[2]) > 23 or int(match[3]) > 59:
            raise FilterError(f"a time is written 03:10, 03:10:30 or 2026-11-30T03:10: {value}")
        day, hour, minute, second = match[1], int(match[2]), int(match[3]), match[4] or "0"
        clock = f"{hour:02d}:{minute:02d}:{float(second):09.6f}"
        if day:
            return f"ts {operator} ?::TIMESTAMP", [f"{day} {clock}"]
        return f"CAST(ts AS TIME) {operator} ?::TIME", [clock]

    return read


_Reader = Callable[[str], tuple[str, list[object]]]
_FIELDS: "dict[str, _Reader]" = {
    "rank": _ranks,
    "sev": _severity,
    "text": _text,
    "after": _when(">="),
    "before": _when("<"),
}
