"""What the app holds, whatever it does: the case, what is looked at, and what was said last."""

import time

from textual.app import App
from textual.message import Message

from ncclscope.text import printable
from ncclscope.tui import actions, filters, paint
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import Facts, title
from ncclscope.tui.opening import Scan, Wanted
from ncclscope.tui.paint import Line
from ncclscope.tui.screen import CaseScreen
from ncclscope.tui.tour import Tour
from ncclscope.tui.view import View

# To count takes both cores; the picture that the filter leaves comes first.
PICTURE_S = 0.15


class Counted(Message):
    """How many records a filter leaves, of how many."""

    def __init__(self, shown: int, total: int, text: str) -> None:
        super().__init__()
        self.shown, self.total, self.text = shown, total, text


class Base(App[int]):
    """An app with a case, or on the way to one."""

    def __init__(self, wanted: Wanted) -> None:
        super().__init__(ansi_color=True)
        self.wanted = wanted
        self.desk: Desk | None = None
        self.facts: Facts | None = None
        self.looking = View()
        self.generation = 0
        self.waiting = "opening"
        self.began = time.monotonic()
        self.scan: Scan | None = None
        self.failure = ""
        # The timeline as it was last drawn, as text: reports show it.
        self.drawn = ""
        # How far reading is that goes on beside a first verdict.
        self.progress = ""
        self._kept = ""
        # Lines of each source when it was read last, while files are followed.
        self._lines: dict[int, int] | None = None
        self.note = ""
        self.counted: tuple[int | None, int | None] = (None, None)
        self.zero_us: int | None = None
        self.parting: list[str] = []
        self.tour: Tour | None = Tour() if wanted.is_tour else None
        # The terminal keeps its own colours, on light backgrounds too.
        self.theme = "ansi-dark"

    @property
    def here(self) -> CaseScreen | None:
        """The screen of the case that is shown, if one is."""
        return self.screen if isinstance(self.screen, CaseScreen) else None

    @property
    def opened_name(self) -> str:
        """What is being opened, while there is no case yet."""
        return title(self.scan.evidence) if self.scan is not None else "opening"

    def redraw(self) -> None:
        """Draws the screen anew."""
        if isinstance(self.screen, CaseScreen):
            self.screen.redraw()

    def frame(self) -> None:
        """Draws only the lines around."""
        if isinstance(self.screen, CaseScreen):
            self.screen.frame()

    def say(self, text: str) -> None:
        """One sentence in the last line but one, until the next key."""
        self.note = printable(text)
        self.frame()

    def progress_lines(self, width: int) -> list[Line]:
        """What is shown while there is no case yet."""
        if self.failure:
            text = [paint.line(one) for one in paint.wrap(printable(self.failure), width)]
            return [paint.line(paint.Span("FAILED", "red")), *text, paint.line("q leaves.")]
        elapsed = f"{time.monotonic() - self.began:.0f} s"
        return [paint.line(paint.safe(self.waiting)), paint.line(f"{elapsed}; q leaves, and what was read is kept")]

    def count(self, total: int | None = None) -> None:
        """Counts, beside everything else, what the filter leaves, and how many there are where `total` does not say it."""
        desk, wanted = self.desk, self.looking.filter
        self.counted = (None if wanted else total, total or self.counted[1])
        if desk is not None and (wanted or total is None):
            self.run_worker(lambda: self._count(desk, wanted, total), thread=True, group="count", exclusive=True)

    def _count(self, desk: Desk, wanted: filters.Filter, total: int | None) -> None:
        query = f"SELECT count(*) AS total, count(*) FILTER (WHERE {wanted.where}) AS shown FROM log"
        if total is not None:
            time.sleep(PICTURE_S)
            query = f"SELECT count(*) AS shown FROM log WHERE {wanted.where}"
        row = actions.one(desk, "count", query, wanted.parameters)
        if row is not None:
            self.post_message(Counted(row["shown"], row["total"] if total is None else total, wanted.text))

    def on_counted(self, message: Counted) -> None:
        """The last line but one says what is hidden."""
        if message.text == self.looking.filter.text:
            self.counted = (message.shown, message.total)
            self.frame()
