"""The timeline: who did what when, and who stopped first."""

from typing import Any, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from ncclscope import timeline
from ncclscope.timeline import Axis
from ncclscope.tui import cells, grids, paint, stages, zone
from ncclscope.tui.cells import Cell
from ncclscope.tui.grid import LABEL, Grid
from ncclscope.tui.grids import GridRow, Making, Picture
from ncclscope.tui.lines import Lines
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.screen import CaseScreen
from ncclscope.tui.stages import Stages
from ncclscope.tui.view import ROWS, Key

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
        ("a", "axis"),
        ("t", "clock"),
        ("enter", "events"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus,equals_sign", "zoom(1)", "zoom in around the cursor", id="timeline.zoom_in", show=False),
        Binding("minus", "zoom(-1)", "zoom out", id="timeline.zoom_out", show=False),
        Binding("0", "fit", "the whole case", id="timeline.fit", show=False),
        Binding("v", "rows", "rows: herd, host, communicator, rank", id="timeline.rows", show=False),
        Binding("a", "axis", "columns: time, or phases and operations", id="timeline.axis", show=False),
        Binding("c", "group", "operations of the next group", id="timeline.group", show=False),
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
        self.is_answered = False
        self.cell_lines: list[Line] = []

    def panes(self) -> list[Widget]:
        """Grid, and cell."""
        return [Grid("grid"), Lines("cell")]

    def head_lines(self, width: int, height: int) -> list[Any]:
        """What a row, a column and the window are."""
        lines = super().head_lines(width, height)
        axis = self.picture.axis if self.picture else None
        if axis is None:
            nothing = "no line of a rank has a time or an order, so there is nothing to draw"
            return [*lines, paint.line(Span(nothing, "dim"))] if self.is_answered else lines
        if isinstance(axis, Stages):
            return [*lines, paint.line(paint.safe(f"rows: {self.looking.rows}   {stages.title(axis)}", "dim"))]
        zero = self.looking.zero_us
        size = min(axis.width_us, 1_000_000)
        shift = zone.shown().offset_us
        window = f"{timeline.clock(axis.began_us + shift, size)}-{timeline.clock(axis.ended_us + shift, size)}"
        at = f"   T is {timeline.clock(zero + shift)}" if zero is not None else ""
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
        wanted = (facts.path, self.scope.generation, self.looking.attempt, self.size.width, self.looking.look)
        if wanted == self.asked and self.picture is not None:
            self.answer_picture(self.picture)
            return
        self.asked = wanted
        grid.is_stale = True
        grid.refresh()
        verdict = facts.verdict(self.looking.attempt)
        given = (self.looking.attempt, verdict, self.size.width - LABEL, self.looking.look)
        self.look_up("picture", grids.picture, *given)

    def answer_picture(self, picture: Picture | None) -> None:
        """The picture is here."""
        self.picture, self.is_answered = picture, True
        facts = self.scope.facts
        grid = self.query_one(Grid)
        if picture is None or facts is None:
            grid.empty = "no line of a rank has a time or an order"
            grid.fill(0, lambda index, width: paint.EMPTY, "timeline")
            return
        looking = self.looking
        making = Making(max(self.size.height - 10, 6), looking.ranks, looking.rows, frozenset(looking.unfolded), looking.hosts)
        rows = grids.rows(picture, facts, making)
        rows.sort(key=lambda row: row.name not in self.looking.pinned)
        zero = None if self.looking.by_clock else self.looking.zero_us
        if not grid.rows:
            grid.cursor = next((i for i, row in enumerate(rows) if row.is_chosen), 0)
        grid.paint_rows(picture.axis, rows, zero, self._moment(), LEGEND)
        self.frame()
        self.scope.drawn = self.copied()[1]
        self._ask_cell()

    def _moment(self) -> int | None:
        """Where the cursor goes: the time that is looked at, or else T."""
        return self.looking.zero_us if self.looking.moment_us is None else self.looking.moment_us

    def _ask_cell(self) -> None:
        grid = self.query_one(Grid)
        row, axis, facts = grid.here, grid.axis, self.scope.facts
        if row is None or axis is None or facts is None:
            return
        self.query_one("#cell", Lines).rename(cells.title(row, axis, grid.column))
        self.look_up("cell", cells.look, self.looking.attempt, row, axis, grid.column)

    def answer_cell(self, cell: Cell) -> None:
        """What is in the cell."""
        pane = self.query_one("#cell", Lines)
        self.cell_lines = cells.lines(cell, LABEL)
        pane.fill(len(self.cell_lines), lambda index, width: self.cell_lines[index], cursor=0)

    @on(Lines.Moved, "#grid")
    def _moved(self) -> None:
        grid = self.query_one(Grid)
        self.looking.moment_us = grid.moment_us
        self.looking.key = None
        self._ask_cell()

    @on(Grid.Dragged)
    def _dragged(self, message: Grid.Dragged) -> None:
        message.stop()
        axis = self.query_one(Grid).axis
        if isinstance(axis, Axis):
            self._window(timeline.fit(axis.start(message.first), axis.start(message.last + 1) - 1, self.size.width - LABEL))

    @on(Lines.Opened)
    def _opened(self, message: Lines.Opened) -> None:
        message.stop()
        grid = self.query_one(Grid)
        row, axis = grid.here, grid.axis
        if message.lines is grid and row is not None and row.folds:
            self.looking.unfolded ^= {row.folds}
            self.show()
        elif isinstance(axis, Stages) and row is not None:
            self.look_up("first", stages.first, self.looking.attempt, row.members, axis.phase(grid.column))
        else:
            self._to_events(None)

    def answer_first(self, key: Key | None) -> None:
        """The first line of the row in this phase."""
        if key is None:
            self.scope.say("no line of this row is kept")
        else:
            self._to_events(key)

    def _to_events(self, key: Key | None) -> None:
        self.looking.moment_us = self.query_one(Grid).moment_us
        self.looking.key = key
        self.scope.go("events")

    def action_zoom(self, steps: int) -> None:
        """Narrower or wider columns around the cursor."""
        grid = self.query_one(Grid)
        if isinstance(grid.axis, Stages):
            number = grid.axis.number(grid.column)
            around = number if number is not None else grid.axis.zero if grid.axis.zero is not None else grid.axis.high
            self.looking.stages = stages.zoom(grid.axis, around, steps, self.size.width - LABEL)
            self.show()
        elif grid.axis is not None and grid.moment_us is not None:
            self._window(timeline.zoom(grid.axis, grid.moment_us, steps, self.size.width - LABEL))

    def action_fit(self) -> None:
        """The whole case."""
        self._window(None)

    def action_cut(self, end: int) -> None:
        """An end of the window comes to the cursor."""
        grid = self.query_one(Grid)
        at = grid.moment_us
        if isinstance(grid.axis, Axis) and at is not None:
            began, ended = (grid.axis.began_us, at + grid.axis.width_us - 1) if end else (at, grid.axis.ended_us - 1)
            self._window(timeline.fit(began, ended, self.size.width - LABEL))

    def _window(self, axis: Axis | None) -> None:
        self.looking.axis, self.looking.stages = axis, None
        self.show()

    def action_axis(self) -> None:
        """From time to order and back."""
        if self.picture is not None:
            by_order = isinstance(self.picture.axis, Stages)
            self.looking.by_order, self.looking.stages = not by_order, None
            self.show()
            self.scope.say("columns: time" if by_order else "columns: phases of start-up, then operations by number")

    def action_group(self) -> None:
        """The operations of another group."""
        self.look_up("groups", stages.groups, self.looking.attempt)

    def answer_groups(self, found: list[dict[str, Any]]) -> None:
        """Which groups there are."""
        names = [row["comm"] for row in found]
        axis = self.picture.axis if self.picture else None
        if len(names) < 2 and isinstance(axis, Stages):
            self.scope.say(f"operations are numbered in {'one group only' if names else 'no group'}")
            return
        here = names.index(axis.comm) if isinstance(axis, Stages) and axis.comm in names else -1
        self.looking.group = names[(here + 1) % len(names)] if names else ""
        self.looking.by_order, self.looking.stages = True, None
        self.show()

    def action_rows(self) -> None:
        """Another way of making rows."""
        self.looking.rows = ROWS[(ROWS.index(self.looking.rows) + 1) % len(ROWS)]
        self.query_one(Grid).cursor = 0
        self.looking.unfolded.clear()
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
