"""Lines of text with named styles: what the panes of the app are made of. Knows no screen and no widget."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from ncclscope.text import printable

# The terminal's own colours only: they suit dark and light backgrounds, and 16 are enough.
STYLES = {
    "": Style(),
    "bold": Style(bold=True),
    "dim": Style(dim=True),
    "red": Style(color="red", bold=True),
    "yellow": Style(color="yellow"),
    "green": Style(color="green"),
    "cyan": Style(color="cyan"),
    "magenta": Style(color="magenta"),
    "reverse": Style(reverse=True),
}
STATE_STYLES = {"X": "red", "#": "bold", "!": "yellow", "?": "magenta", ">": "cyan", "=": "green", ".": "dim", " ": ""}
SEVERITY_STYLES = {"critical": "red", "high": "red", "medium": "yellow", "info": "cyan"}
# Characters of a line that are worth looking at: wider than any terminal.
LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Span:
    """Text in one style. Foreign text becomes a span through `safe` only."""

    text: str
    style: str = ""


Line = tuple[Span, ...]
EMPTY: Line = ()


def line(*parts: "str | Span") -> Line:
    """A line of our own words and spans."""
    return tuple(Span(part) if isinstance(part, str) else part for part in parts)


def safe(text: object, style: str = "", limit: int = LONGEST) -> Span:
    """Foreign text as a span that only prints."""
    return Span(printable("" if text is None else str(text), limit), style)


def plain(spans: Line) -> str:
    """The text alone."""
    return "".join(span.text for span in spans)


def pad(text: str, width: int) -> str:
    """Exactly `width` cells: cut with `>`, or filled with blanks."""
    if width <= 0:
        return ""
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + ">"
    return set_cell_size(text, width)


def tail(text: str, width: int) -> str:
    """At most `width` cells: of a longer path its end, after `<`."""
    if cell_len(text) <= width:
        return text
    rest = text[-max(width - 1, 0) :] if width > 1 else ""
    while cell_len(rest) > max(width - 1, 0):
        rest = rest[1:]
    return "<" + rest if width > 0 else ""


def spread(left: Line, right: Line, width: int) -> Line:
    """Two ends of a line; the left one gives way."""
    room = width - sum(cell_len(span.text) for span in right) - 1
    return (*cut(left, room), Span(" "), *right) if room > 0 else cut(left, width)


def cut(spans: Line, width: int) -> Line:
    """Exactly `width` cells: cut with `>` or filled with blanks."""
    out: list[Span] = []
    left = width
    for number, span in enumerate(spans):
        size = cell_len(span.text)
        more = any(later.text for later in spans[number + 1 :])
        if size > left or (size == left and more):
            return (*out, Span(pad(span.text + ">", left) if size >= left else span.text, span.style))
        out.append(span)
        left -= size
    return (*out, Span(" " * left)) if left else tuple(out)


def rule(title: str, width: int, is_focused: bool = False) -> Line:
    """`-- findings ------`; with `==` where keys go."""
    mark = "=" if is_focused else "-"
    text = f"{mark * 2} {title} " if title else ""
    size = cell_len(text)
    return (Span(pad(text, width) if size > width else text + mark * (width - size), "bold" if is_focused else "dim"),)


def grid(cells: str) -> Line:
    """States in their colours, equal neighbours as one span."""
    out: list[Span] = []
    begin = 0
    for end in range(1, len(cells) + 1):
        if end == len(cells) or cells[end] != cells[begin]:
            out.append(Span(cells[begin:end], STATE_STYLES[cells[begin]]))
            begin = end
    return tuple(out)


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most `width` cells, broken at blanks where there are any."""
    out: list[str] = []
    rest = text
    room = max(width - len(indent), 1)
    while cell_len(rest) > room:
        head = set_cell_size(rest, room).rstrip()
        at = head.rfind(" ") if len(rest) > len(head) and rest[len(head)] != " " else len(head)
        at = at if at > room // 3 else max(len(head), 1)
        out.append(indent + rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*out, indent + rest]


def segments(spans: Line, width: int, over: str = "") -> list[Segment]:
    """Segments of exactly `width` cells; each has a style, or NO_COLOR would end the app."""
    extra = STYLES[over]
    return [Segment(span.text, STYLES[span.style] + extra if over else STYLES[span.style]) for span in cut(spans, width)]


def text_of(lines: Iterable[Line]) -> str:
    """Lines as plain text."""
    return "\n".join(plain(one).rstrip() for one in lines)
