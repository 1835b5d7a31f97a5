"""Files: what was read, what was not, and what nobody understood."""

from typing import Any, ClassVar

from textual import on
from textual.widget import Widget

from ncclscope import sources
from ncclscope.text import decode
from ncclscope.tui import paint
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import when
from ncclscope.tui.lines import Lines
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.screen import CaseScreen

# Lines that are looked through, and of those shown that nothing recognised.
LOOKED, SHOWN = 20_000, 200
_KNOWN = """
SELECT line, 1 AS n FROM log WHERE file_id = $file AND line <= $most
UNION ALL SELECT line, 1 FROM metrics WHERE file_id = $file AND line <= $most
UNION ALL SELECT line, 1 FROM connections WHERE file_id = $file AND line <= $most
UNION ALL SELECT line, n_lines FROM events WHERE file_id = $file AND line <= $most AND n_lines > 1
"""
_STYLES = {"failed": "red", "partial": "yellow", "skipped": "yellow"}


class Files(CaseScreen):
    """Every source; beneath it the lines that nothing recognised."""

    PLACE = 5
    ABOUT = "Every source with its status and the share of lines that were recognised. enter shows those that were not."
    HINTS: ClassVar = (("enter", "unrecognised lines"), ("/", "search"), ("i", "only"), ("x", "hide"), ("y", "copy"))

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, Any]] = []
        self.strange: list[tuple[int, str]] = []

    def panes(self) -> list[Widget]:
        """Files, and lines."""
        return [Lines("files"), Lines("strange")]

    def lay_out(self, width: int, height: int) -> None:
        """The lines have a half when asked for."""
        strange = self.query_one("#strange", Lines)
        strange.display = bool(self.strange)
        strange.styles.height = height // 2

    def show(self) -> None:
        """Files that could not be read come first."""
        facts = self.scope.facts
        assert facts is not None
        pane = self.query_one("#files", Lines)
        if self.focused is None:
            pane.focus()
        bad = ("failed", "partial", "skipped", "unrecognised")
        self.rows = sorted(facts.files, key=lambda f: bad.index(f["status"]) if f["status"] in bad else len(bad))
        pane.above = [paint.line(Span(f"  {'status':<12} {'lines':>10} {'known':>6}  {'from':<8} {'to':<8}  file", "bold"))]
        unread = sum(f["status"] in ("failed", "partial", "skipped") for f in self.rows)
        title = f"files -- {len(self.rows):,} read" + (f", {unread:,} of them not whole" if unread else "")
        pane.fill(len(self.rows), lambda index, width: line(self.rows[index], width), title)

    def _here(self) -> dict[str, Any] | None:
        pane = self.query_one("#files", Lines)
        return self.rows[pane.cursor] if pane.cursor < len(self.rows) else None

    @on(Lines.Opened, "#files")
    def _opened(self, message: Lines.Opened) -> None:
        message.stop()
        row = self._here()
        if row is not None:
            self.scope.say("looking for lines that nothing recognised")
            self.look_up("strange", unrecognised, row)

    def answer_strange(self, found: list[tuple[int, str]]) -> None:
        """The lines are here."""
        self.strange = found
        self.scope.say("" if found else f"every one of the first {LOOKED:,} lines was recognised, or the file is gone")
        pane = self.query_one("#strange", Lines)
        self.frame()
        pane.fill(len(found), self._strange, f"lines that nothing recognised, the first {len(found)}", cursor=0)
        if found:
            pane.focus()

    def _strange(self, index: int, width: int) -> Line:
        del width
        number, text = self.strange[index]
        return paint.line("  ", Span(f"{number:>8}  ", "dim"), paint.safe(text))

    def back(self) -> bool:
        """Closes the lines."""
        if not self.strange:
            return False
        self.strange = []
        self.query_one("#files", Lines).focus()
        self.frame()
        return True

    def copied(self) -> tuple[str, str]:
        """A line, or a path."""
        if self.focused is self.query_one("#strange") and self.strange:
            number, text = self.strange[self.query_one("#strange", Lines).cursor]
            row = self._here()
            return paint.safe(text, limit=4000).text, f"{name(row)}:{number}" if row else ""
        row = self._here()
        return (name(row), paint.plain(line(row, 300)).strip()) if row else ("", "")

    def search(self, pattern: str, by: int) -> None:
        """Rows as they are shown."""
        pane = self.focused if isinstance(self.focused, Lines) else self.query_one("#files", Lines)
        self.scope.search_lines(pane, pattern, by)

    def subject(self) -> list[str]:
        """The file."""
        row = self._here()
        return [f"file:{name(row)}"] if row else []


def name(row: dict[str, Any]) -> str:
    """Path and member."""
    return paint.safe("/".join(part for part in (row["path"], row["member"]) if part)).text


def line(row: dict[str, Any], width: int) -> Line:
    """One source."""
    known = f"{100 * row['matched'] / row['lines']:.0f}%" if row["lines"] else "-"
    times = f"{when(row['began'])[:8]:<8} {when(row['ended'])[:8]:<8}" if width >= 60 else ""
    error = f"  {row['error']}" if row["error"] else ""
    head = Span(f"  {row['status']:<12} ", _STYLES.get(row["status"], ""))
    path = paint.tail(name(row), max(width - 54, 20))
    return paint.line(head, f"{row['lines'] or 0:>10,} {known:>6}  {times}  {path}", paint.safe(error, "dim"))


def unrecognised(desk: Desk, row: dict[str, Any]) -> list[tuple[int, str]]:
    """The first lines of a source that became no record, with their numbers."""
    known: set[int] = set()
    for found in desk.ask("strange", _KNOWN, {"file": row["file_id"], "most": LOOKED}):
        known.update(range(found["line"], found["line"] + found["n"]))
    out = []
    for number, text in _lines(row):
        if number not in known and text.strip():
            out.append((number, text))
        if number >= LOOKED or len(out) >= SHOWN:
            break
    return out


def _lines(row: dict[str, Any]) -> Any:
    """Numbered lines of a source, from its beginning; none if it is gone."""
    try:
        found = next(iter(sources.find([row["location"]])[0]), None)
        if found is None:
            return
        for member, blocks, _ in sources.read(sources.Parcel((sources.Piece(found),)), 1 << 20):
            if found.archive and (member.member or "") != (row["member"] or ""):
                continue
            number = 0
            for block in blocks:
                for data in block.data.removesuffix(b"\n").split(b"\n"):
                    number += 1
                    yield number, decode(data)
            return
    except (OSError, sources.SourceError):
        return
