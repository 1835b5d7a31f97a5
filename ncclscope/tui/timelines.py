"""The timeline: who did what when, and who stopped first."""

from typing import Any, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from ncclscope import timeline
from ncclscope.timeline import Axis
from ncclscope.tui import cells, grids, paint
from ncclscope.tui.cells import Cell
from ncclscope.tui.grid import LABEL, Grid
from ncclscope.tui.grids import GridRow, Picture
from ncclscope.tui.lines import Lines
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.screen import CaseScreen
from ncclscope.tui.view import ROWS

LEGEND = "timeline -- = working ? waiting > starting . alive X error ! warning # ended"


class Timeline(CaseScreen):
    """Rows of states, and what is in the cell under the cursor."""

    PLACE = 2
    ABOUT = "One character for each row and column: the most telling state. Ranks with the same story are one row."
    HINTS: ClassVar = (
        ("hjkl", "move"),
        ("+-", "zoom"),
        ("0", "fit"),
        ("v", "rows"),
        ("p", "pin"),
        ("t", "clock"),
        ("enter", "events"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus,equals_sign", "zoom(1)", "zoom in around the cursor", id="timeline.zoom_in", show=False),
        Binding("minus", "zoom(-1)", "zoom out", id="timeline.zoom_out", show=False),
        Binding("0", "fit", "the whole case", id="timeline.fit", show=False),
        Binding("v", "rows", "rows: herd, host, rank", id="timeline.rows", show=False),
        Binding("p", "pin", "pin the row to the top", id="timeline.pin", show=False),
        Binding("left_square_bracket", "cut(0)", "the window begins at the cursor", id="timeline.from", show=False),
        Binding("right_square_bracket", "cut(1)", "the window ends at the cursor", id="timeline.to", show=False),
        Binding("e", "error(1)", "next error", id="timeline.error_next", show=False),
        Binding("E", "error(-1)", "previous error", id="timeline.error_previous", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.picture: Picture | None = None
        self.asked: object = None
        self.cell_lines: list[Line] = []

    def panes(self) -> list[Widget]:
        """Grid, and cell."""
        return [Grid("grid"), Lines("cell")]

    def head_lines(self, width: int, height: int) -> list[Any]:
        """What a row, a column and the window are."""
        lines = super().head_lines(width, height)
        axis = self.picture.axis if self.picture else None
        if axis is None:
            return [*lines, paint.line(Span("no line of a rank has a time, so there is nothing to draw", "dim"))] if self.asked else lines
        zero = self.looking.zero_us
        size = min(axis.width_us, 1_000_000)
        window = f"{timeline.clock(axis.began_us, size)}-{timeline.clock(axis.ended_us, size)}"
        at = f"   T is {timeline.clock(zero)}" if zero is not None else ""
        text = f"rows: {self.looking.rows}   column: {timeline.duration(axis.width_us)}   window {window}{at}"
        return [*lines, paint.line(Span(text, "dim"))]

    def lay_out(self, width: int, height: int) -> None:
        """The cell has a third; a low terminal has none."""
        pane = self.query_one("#cell", Lines)
        pane.display = height >= 12
        rows = len(self.query_one(Grid).rows) + 4
        pane.styles.height = max(height // 3, height - rows) if rows else height // 3

    def show(self) -> None:
        """The picture for this attempt and width; an old one stays until then."""
        grid = self.query_one(Grid)
        if self.focused is None:
            grid.focus()
        facts = self.scope.facts
        assert facts is not None
        wanted = (facts.path, self.scope.generation, self.looking.attempt, self.size.width, self.looking.axis)
        if wanted == self.asked and self.picture is not None:
            self.answer_picture(self.picture)
            return
        self.asked = wanted
        grid.is_stale = True
        grid.refresh()
        verdict = facts.verdict(self.looking.attempt)
        given = (self.looking.attempt, verdict, self.size.width - LABEL, self.looking.axis, self.looking.filter.text)
        self.look_up("picture", grids.picture, *given)

    def answer_picture(self, picture: Picture | None) -> None:
        """The picture is here."""
        self.picture = picture
        facts = self.scope.facts
        grid = self.query_one(Grid)
        if picture is None or facts is None:
            grid.empty = "no line of a rank has a time"
            grid.fill(0, lambda index, width: paint.EMPTY, "timeline")
            return
        rows = grids.rows(picture, facts, max(self.size.height - 10, 6), self.looking.ranks, self.looking.rows)
        rows.sort(key=lambda row: row.name not in self.looking.pinned)
        zero = None if self.looking.by_clock else self.looking.zero_us
        if not grid.rows:
            grid.cursor = next((i for i, row in enumerate(rows) if row.is_chosen), 0)
        grid.paint_rows(picture.axis, rows, zero, self._moment(), LEGEND)
        self.frame()
        self._ask_cell()

    def _moment(self) -> int | None:
        """Where the cursor goes: the time that is looked at, or else T."""
        return self.looking.zero_us if self.looking.moment_us is None else self.looking.moment_us

    def _ask_cell(self) -> None:
        grid = self.query_one(Grid)
        row, axis, facts = grid.here, grid.axis, self.scope.facts
        if row is None or axis is None or facts is None:
            return
        began = axis.start(grid.column)
        hosts = {facts.hosts.get(member, "") for member in row.members} or {row.name}
        host = hosts.pop() if len(hosts) == 1 else ""
        self.query_one("#cell", Lines).rename(cells.title(row, began, began + axis.width_us))
        self.look_up("cell", cells.look, self.looking.attempt, row, host, began, began + axis.width_us)

    def answer_cell(self, cell: Cell) -> None:
        """What is in the cell."""
        pane = self.query_one("#cell", Lines)
        self.cell_lines = cells.lines(cell, self.size.width)
        pane.fill(len(self.cell_lines), lambda index, width: self.cell_lines[index], cursor=0)

    @on(Lines.Moved, "#grid")
    def _moved(self) -> None:
        grid = self.query_one(Grid)
        self.looking.moment_us = grid.moment_us
        self.looking.key = None
        self._ask_cell()

    @on(Lines.Opened)
    def _opened(self, message: Lines.Opened) -> None:
        message.stop()
        self.looking.moment_us = self.query_one(Grid).moment_us
        self.looking.key = None
        self.scope.go("events")

    def action_zoom(self, steps: int) -> None:
        """Narrower or wider columns around the cursor."""
        grid = self.query_one(Grid)
        if grid.axis is not None and grid.moment_us is not None:
            self._window(timeline.zoom(grid.axis, grid.moment_us, steps, self.size.width - LABEL))

    def action_fit(self) -> None:
        """The whole case."""
        self._window(None)

    def action_cut(self, end: int) -> None:
        """An end of the window comes to the cursor."""
        grid = self.query_one(Grid)
        at = grid.moment_us
        if grid.axis is not None and at is not None:
            began, ended = (grid.axis.began_us, at + grid.axis.width_us - 1) if end else (at, grid.axis.ended_us - 1)
            self._window(timeline.fit(began, ended, self.size.width - LABEL))

    def _window(self, axis: Axis | None) -> None:
        self.looking.axis = axis
        self.show()

    def action_rows(self) -> None:
        """Another way of making rows."""
        self.looking.rows = ROWS[(ROWS.index(self.looking.rows) + 1) % len(ROWS)]
        self.query_one(Grid).cursor = 0
        self.show()

    def action_pin(self) -> None:
        """Pins the row, or lets it go."""
        row = self.query_one(Grid).here
        if row is not None:
            self.looking.pinned ^= {row.name}
            self.show()

    def action_error(self, by: int) -> None:
        """The next column in which a row has an error."""
        grid = self.query_one(Grid)
        columns = sorted({i for row in grid.rows for i, state in enumerate(row.cells) if state == "X"})
        ahead = [c for c in columns if (c - grid.column) * by > 0]
        if ahead:
            grid.go_column(ahead[0] if by > 0 else ahead[-1])
        else:
            self.scope.say("no error that way")

    def copied(self) -> tuple[str, str]:
        """A row, or the whole picture."""
        grid = self.query_one(Grid)
        pictured = [*grid.above, *(grids.line(row, LABEL) for row in grid.rows)]
        here = grid.here
        return paint.plain(grids.line(here, LABEL)) if here else "", paint.text_of(pictured)

    def search(self, pattern: str, by: int) -> None:
        """Rows by name."""
        self.scope.search_lines(self.query_one(Grid), pattern, by)

    def subject(self) -> list[str]:
        """The ranks of the row, or its host."""
        row: GridRow | None = self.query_one(Grid).here
        if row is None:
            return []
        return [f"rank:{timeline.ranges(row.members).replace(' ', ',')}"] if row.members else [f"host:{row.name}"]


