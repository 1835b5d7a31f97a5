"""What a copier put around the lines of a whole text: an indentation, a quotation mark, line numbers, HTML entities."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from ncclscope import text

# So much of the beginning tells.
HEAD_BYTES = 16 << 10
# A wrapper of Markdown or HTML around a log: no line of it.
_AROUND = re.compile(r"\s*(?:`{3,}\w*|~{3,}\w*|</?(?:details|summary|pre|code)\b.*|\*\*.*\*\*)?\s*$")
_QUOTE = r"> ?"
_NUMBERS = tuple(f" *([0-9]{{1,7}}){mark}" for mark in (": ", ":", "\\t", "  ", " "))
# Fewer numbers in order may be ranks that each said a line.
_NUMBERED_LINES = 8
_MOSTLY = 0.9
# Markdown's block of code; a part of a table or a stack, such as torchrun's, is often indented by less.
_INDENTED = 4
# What a margin, or a wrapper around it, begins with.
_FIRST = frozenset(bytes([byte]) for byte in b" \t>0123456789`~<*\r\n")
_DEPTH = 3
_ENTITIES = {"&gt;": ">", "&lt;": "<", "&quot;": '"', "&#34;": '"', "&#39;": "'", "&#x27;": "'", "&nbsp;": " ", "&amp;": "&"}
_ENTITY = re.compile("|".join(name for name in _ENTITIES if name != "&amp;"))


@dataclass(frozen=True, slots=True)
class Margin:
    """A pattern for what stands before every line, and whether entities stand for characters."""

    before: str
    is_escaped: bool

    def taken_off(self, raw: pl.Series) -> pl.Series:
        """The lines as they were before somebody copied them."""
        lines = raw.str.replace(self.before, "") if self.before else raw
        return lines.str.replace_many(_ENTITIES) if self.is_escaped else lines


def of(head: bytes) -> Margin | None:
    """The margin of a text, by its beginning; None for most."""
    head = head[:HEAD_BYTES]
    if head[:1] not in _FIRST and b"\n>" not in head and b"&" not in head:
        return None
    whole = head[: head.rfind(b"\n") + 1] or head
    lines = [line for line in text.decode(whole).splitlines() if not _AROUND.match(line)]
    before: list[str] = []
    while lines and len(before) < _DEPTH and (margin := _margin(lines)):
        before.append(margin)
        lines = [re.sub(f"^{margin}", "", line) for line in lines]
    is_escaped = any(_ENTITY.search(line) for line in lines) and not any(sign in line for line in lines for sign in "<>")
    pattern = "".join(f"(?:{margin})?" for margin in before)
    return Margin(f"^{pattern}" if pattern else "", is_escaped) if pattern or is_escaped else None


def _margin(lines: Sequence[str]) -> str:
    if lines[0][:1] in (" ", "\t"):
        indent = min((line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip()), key=len, default="")
        if len(indent.expandtabs()) >= _INDENTED and all(line.startswith(indent) for line in lines if line.strip()):
            return re.escape(indent)
    if _share(_QUOTE, lines) >= _MOSTLY:
        return _QUOTE
    if len(lines) >= _NUMBERED_LINES and lines[0].lstrip()[:1].isdigit():
        return next((number for number in _NUMBERS if re.match(number, lines[0]) and _counts(number, lines)), "")
    return ""


def _share(pattern: str, lines: Sequence[str]) -> float:
    return sum(bool(re.match(pattern, line)) for line in lines) / len(lines)


def _counts(number: str, lines: Sequence[str]) -> bool:
    """Do the lines begin with numbers that go up by one?"""
    numbers = [int(match[1]) if (match := re.match(number, line)) else -1 for line in lines]
    return sum(b == a + 1 for a, b in pairwise(numbers)) >= _MOSTLY * (len(lines) - 1)
