"""Foreign text made safe: the one door between what a log says and a terminal, a report or a file."""

import re
from typing import Final

# For Python's re and Rust's regex alike: `ESC [ 1;31 m`, `ESC ] 0;title BEL`, `ESC P ... ESC \`, `ESC ( B`, `ESC 7`.
# An OSC or DCS without its end only loses the two opening bytes, so nobody can hide the rest of a line behind one.
ANSI: Final = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*[0-~]"
)
_ANSI = re.compile(ANSI)

# C0, DEL and C1; bidirectional marks, embeddings, overrides and isolates; line and paragraph separators, which some
# programs treat as a newline; surrogates, which no encoder accepts; the byte-order mark, which nothing shows.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def printable(text: str, limit: int = 2000) -> str:
    """The text on one line without a character that a terminal would obey: ESC becomes `<1b>`, U+202E `<U+202E>`.

    A tab becomes a blank. What stands beyond `limit` characters is cut and counted: ` [+123 characters]`.
    """
    shown = text if len(text) <= limit else text[:limit]
    if _UNSAFE.search(shown):
        shown = _UNSAFE.sub(_stand_in, shown)
    return shown if len(text) <= limit else f"{shown} [+{len(text) - limit} characters]"


def decode(data: bytes) -> str:
    r"""The bytes as UTF-8; each byte that is not stays readable as an escape such as `\xff`. Never fails."""
    return data.decode("utf-8", "backslashreplace")


def strip_ansi(text: str) -> str:
    """The text without colours, cursor movements and titles. Still foreign: print it through `printable`."""
    return _ANSI.sub("", text)


def _stand_in(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\t":
        return " "
    code = ord(character)
    return f"<{code:02x}>" if code < 0x80 else f"<U+{code:04X}>"
