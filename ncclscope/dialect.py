"""The one pattern dialect: what polars' Rust engine runs, with ASCII classes, checked when a pack is loaded."""

import re

# A class that spans all of Unicode is three times slower and never what a log means.
_OUTSIDE = {
    "d": "[0-9]",
    "D": "[^0-9]",
    "w": "[0-9A-Za-z_]",
    "W": "[^0-9A-Za-z_]",
    "s": r"[\t-\r\x20]",
    "S": r"[^\t-\r\x20]",
    "b": r"(?-u:\b)",
    "B": r"(?-u:\B)",
}
_INSIDE = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t-\r\x20", "S": None, "D": None, "W": None}
# A `]` right behind the `[` of a class, or behind its `^`, is a member.
_TOKEN = re.compile(r"\\.|\[\^?\]?|\]|\(\?<?[=!]|\(\?P=|[^\\\[\](]+|.", re.S)
_GROUP = re.compile(r"\(\?P<([A-Za-z_]\w*)>")


class DialectError(ValueError):
    """A pattern that the engine cannot or must not run."""


def ascii_pattern(pattern: str) -> str:
    r"""The pattern with `\d \w \s \S \b` made ASCII. Raises DialectError for look-around and back-references."""
    out: list[str] = []
    in_class = False
    for token in _TOKEN.findall(pattern):
        if token[0] == "\\" and len(token) > 1:
            out.append(_escape(token[1], in_class, pattern))
            continue
        if in_class:
            in_class = "]" not in token
        elif token in ("(?=", "(?!", "(?<=", "(?<!"):
            raise DialectError("look-around is not supported: the engine never backtracks")
        elif token == "(?P=":
            raise DialectError("back-references are not supported: the engine never backtracks")
        else:
            in_class = token[0] == "["
        out.append(token)
    return "".join(out)


def _escape(char: str, in_class: bool, pattern: str) -> str:
    if not in_class and char in "123456789":
        raise DialectError("back-references are not supported: the engine never backtracks")
    table = _INSIDE if in_class else _OUTSIDE
    if char not in table:
        return "\\" + char
    known = table[char]
    if known is None:
        raise DialectError(f"\\{char} inside a class of {pattern!r}: write the characters out")
    return known


def groups(pattern: str) -> list[str]:
    """Names of the groups, in order. Raises DialectError when one stands twice."""
    names = _GROUP.findall(pattern)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise DialectError(f"group {sorted(twice)[0]!r} stands twice; use two names and coalesce")
    return names


def marked(pattern: str) -> str:
    """The pattern with a last group `_` that is empty when it matched and null when it did not."""
    flags = re.match(r"\(\?([a-z]+)\)", pattern)
    if flags is None:
        return f"(?:{ascii_pattern(pattern)})(?P<_>)"
    # Flags are scoped, since Python takes global ones only at the very start; a verbose pattern may end in a comment.
    end = "\n" if "x" in flags[1] else ""
    return f"(?{flags[1]}:{ascii_pattern(pattern[flags.end():])}{end})(?P<_>)"
