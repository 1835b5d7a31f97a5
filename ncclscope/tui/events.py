"""The log: what the sources say, merged in time order."""

import os
import shlex
import subprocess
from typing import Any, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from ncclscope import schema
from ncclscope.tui import pages, paint, stories
from ncclscope.tui.desk import Desk
from ncclscope.tui.filters import Filter
from ncclscope.tui.lines import Lines
from ncclscope.tui.pages import Page, Place, Record
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.screen import CaseScreen
from ncclscope.tui.view import Key


class Events(CaseScreen):
    """A window onto the log, and the record under the cursor."""

    PLACE = 3
    ABOUT = (
        "Every record by time. ~ is before a time carried from a line above, < before the time at which a line arrived, "
        "- where none is known, * before a marked line."
    )
    HINTS: ClassVar = (("/", "search"), ("n", "next"), ("e", "error"), ("f", "filter"), ("i", "only"), ("x", "hide"), ("o", "pager"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "error(1)", "next error", id="events.error_next", show=False),
        Binding("E", "error(-1)", "previous error", id="events.error_previous", show=False),
        Binding("o", "pager", "open the file in $PAGER at the line", id="events.pager", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.items: list[int | str] = []
        self.first_number: int | None = None
        self.asked: object = None
        self.record_text: list[Line] = []

    def panes(self) -> list[Widget]:
        """The log, and a record."""
        return [Lines("events"), Lines("record")]

    def lay_out(self, width: int, height: int) -> None:
        """The record has a third; a low terminal shows it on `enter` only."""
        record = self.query_one("#record", Lines)
        record.display = height >= 12 or self.focused is record
        record.styles.height = max(height // 3, 3)

    def show(self) -> None:
        """The page round the cursor's record or time."""
        pane = self.query_one("#events", Lines)
        if self.focused is None:
            pane.focus()
        here = self._row()
        sought = self.looking.key
        wanted = (self.scope.generation, sought, self.looking.moment_us if sought is None else None)
        if wanted == self.asked and self.page.rows:
            pane.refresh()
            return
        if self.asked is not None and self.asked[0] == self.scope.generation and here is not None and pages.key(here) == sought:  # type: ignore[index]
            return
        self.asked = wanted
        self.look_up("page", _page, self.looking.filter, sought, self.looking.moment_us)

    def answer_page(self, value: tuple[Page, Place | None]) -> None:
        """A page is here."""
        self.page, at = value
        self._fill(at)
        self._number()

    def _fill(self, at: Place | None) -> None:
        self.items = pages.with_gaps(self.page.rows)
        pane = self.query_one("#events", Lines)
        pane.empty = "no record passes the filter" if self.looking.filter else "no line of the input was recognised"
        pane.fill(len(self.items), self._line, cursor=self._item_of(at))
        self._look()

    def _item_of(self, at: Place | None) -> int:
        """The item of the first record that is not before a place."""
        if at is None:
            return 0
        for number, item in enumerate(self.items):
            if isinstance(item, int) and pages.place(self.page.rows[item]) >= at:
                return number
        return len(self.items) - 1

    def _line(self, index: int, width: int) -> Line:
        item = self.items[index]
        if isinstance(item, str):
            return paint.line(Span(item, "dim"))
        row = self.page.rows[item]
        return pages.line(row, pages.key(row) in self.looking.marks, width, 18 if width < 110 else 28)

    def _row(self) -> dict[str, Any] | None:
        """The record under the cursor, or the one after a gap."""
        cursor = self.query_one("#events", Lines).cursor
        return next((self.page.rows[item] for item in self.items[cursor : cursor + 2] if isinstance(item, int)), None)

    def _look(self) -> None:
        row = self._row()
        if row is None:
            return
        self.looking.key = pages.key(row)
        if row["at_us"] >= 0:
            self.looking.moment_us = row["at_us"]
        self._title()
        self.look_up("record", pages.record, row)

    def answer_record(self, record: Record) -> None:
        """The fields of the record."""
        facts = self.scope.facts
        pane = self.query_one("#record", Lines)
        self.record_text = pages.record_lines(record, schema.SEVERITIES, facts.findings if facts else (), self.size.width)
        pane.fill(len(self.record_text), lambda index, width: self.record_text[index], "record", cursor=0)

    # -- moving -------------------------------------------------------------------------------------------------------

    @on(Lines.Moved, "#events")
    def _moved(self) -> None:
        self._look()

    @on(Lines.Beyond, "#events")
    def _beyond(self, message: Lines.Beyond) -> None:
        """More of the log, or its very end."""
        rows = self.page.rows
        if message.is_far and not (self.page.is_first if message.by < 0 else self.page.is_last):
            self.look_up("page", _end, self.looking.filter, message.by)
        elif rows and message.by < 0 and not self.page.is_first:
            self.look_up("more", _earlier, self.looking.filter, self.page)
        elif rows and message.by > 0 and not self.page.is_last:
            self.look_up("more", _later, self.looking.filter, self.page)

    def answer_more(self, page: Page) -> None:
        """The page has grown; the cursor stays on its record."""
        row = self._row()
        self.page = page
        self._fill(pages.place(row) if row else None)
        self._number()

    def _number(self) -> None:
        self.first_number = None
        if self.page.rows:
            self.look_up("number", pages.number, self.looking.filter, pages.place(self.page.rows[0]))

    def answer_number(self, value: int) -> None:
        """How many records come before the page."""
        self.first_number = value
        self._title()

    def _title(self) -> None:
        pane = self.query_one("#events", Lines)
        cursor = pane.cursor
        index = next((item for item in self.items[cursor : cursor + 2] if isinstance(item, int)), 0)
        total = self.scope.counted[0]
        of = f" of {total:,}" if total is not None else ""
        place = f" -- row {self.first_number + index + 1:,}{of}" if self.first_number is not None else ""
        pane.rename(f"events, merged by time{place}")

    def action_error(self, by: int) -> None:
        """The next error in time."""
        self._find(by, "severity >= 3", ())

    def search(self, pattern: str, by: int) -> None:
        """The next record whose message matches, in DuckDB, whose time is linear in the text."""
        condition = "regexp_matches(message, ?, 'i')"
        self._find(by, condition, (pattern,))
        self.look_up("hits", pages.hits, self.looking.filter, condition, (pattern,))

    def _find(self, by: int, condition: str, given: tuple[object, ...]) -> None:
        row = self._row()
        if row is not None:
            self.look_up("found", pages.find, self.looking.filter, pages.place(row), by, condition, given)

    def answer_found(self, at: Place | None) -> None:
        """To the record that was looked for."""
        if at is None:
            self.scope.say("nothing that way")
            return
        if "hits" in self._waited:
            self.scope.say("counting hits; esc stops")
        known = [pages.place(row) for row in self.page.rows]
        if at in known:
            self.query_one("#events", Lines).go(self.items.index(known.index(at)))
        else:
            self.look_up("page", _at, self.looking.filter, at)

    def answer_hits(self, count: int) -> None:
        """How many there are."""
        self.scope.say(f"{count:,} hits for {self.looking.search}")

    # -- other keys ---------------------------------------------------------------------------------------------------

    @on(Lines.Opened)
    def _opened(self, message: Lines.Opened) -> None:
        message.stop()
        record = self.query_one("#record", Lines)
        record.display = True
        record.focus()

    def back(self) -> bool:
        """From the record to the log."""
        if self.focused is self.query_one("#record"):
            self.query_one("#events", Lines).focus()
            self.frame()
            return True
        return False

    def _proof(self) -> stories.Proof | None:
        row = self._row()
        return stories.Proof(pages.key(row), row["name"] or "?", "", row) if row else None

    def copied(self) -> tuple[str, str]:
        """The record, and where it stands."""
        proof = self._proof()
        return (paint.safe(proof.text, limit=4000).text, stories.citation(proof)) if proof else ("", "")

    def mark(self) -> None:
        """Marks the record."""
        proof = self._proof()
        if proof is not None:
            self.scope.toggle_mark(proof.key, stories.citation(proof))
            self.query_one("#events", Lines).refresh()

    def subject(self) -> list[str]:
        """Its kind, then its rank and host."""
        row = self._row()
        if row is None:
            return []
        words = [f"kind:{row['kind']}"]
        words += [f"rank:{row['rank']}"] if row["rank"] is not None else []
        return [*words, *([f"host:{row['host']}"] if row["host"] else [])]

    def action_pager(self) -> None:
        """The original file, at the line."""
        row, facts = self._row(), self.scope.facts
        file = next((f for f in facts.files if row and f["file_id"] == row["file_id"]), None) if facts else None
        if row is None or file is None:
            return
        if file["member"] or not os.path.isfile(file["location"]):
            self.scope.say(f"{row['name']} is no plain file here")
            return
        pager = shlex.split(os.environ.get("PAGER") or "less")
        with self.app.suspend():
            subprocess.run([*pager, f"+{row['line']}", file["location"]], check=False)


def _page(desk: Desk, wanted: Filter, sought: Key | None, moment_us: int | None) -> tuple[Page, Place | None]:
    """The page round a record, or where that is not known, round a time."""
    at = pages.locate(desk, sought) if sought is not None else None
    if at is None:
        at = (moment_us, 0, 0, 0) if moment_us is not None else pages.FIRST
    return pages.around(desk, wanted, at), at


def _at(desk: Desk, wanted: Filter, at: Place) -> tuple[Page, Place | None]:
    return pages.around(desk, wanted, at), at


def _end(desk: Desk, wanted: Filter, by: int) -> tuple[Page, Place | None]:
    at = pages.FIRST if by < 0 else pages.LAST
    page = pages.around(desk, wanted, at)
    return page, at


def _earlier(desk: Desk, wanted: Filter, page: Page) -> Page:
    rows = pages.before(desk, wanted, pages.place(page.rows[0]))
    return Page([*rows, *page.rows], len(rows) < pages.PAGE, page.is_last)


def _later(desk: Desk, wanted: Filter, page: Page) -> Page:
    rows = pages.after(desk, wanted, pages.place(page.rows[-1]), ">")
    return Page([*page.rows, *rows], page.is_first, len(rows) < pages.PAGE)
