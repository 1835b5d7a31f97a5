"""The timeline's widget: rows of states under a ruler, with a cursor in both directions."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip

from ncclscope import timeline
from ncclscope.timeline import Axis
from ncclscope.tui import grids, paint, stages, zone
from ncclscope.tui.grids import GridRow
from ncclscope.tui.lines import Lines
from ncclscope.tui.stages import Stages

# Of the columns of a timeline, how many name the row.
LABEL = 20


def ruler(axis: Axis | Stages, zero_us: int | None) -> tuple[str, str]:
    """Labels and tick marks: distances from T, or where that is None the clock in the zone that is shown."""
    if isinstance(axis, Stages):
        return stages.ruler(axis)
    return timeline.ruler(axis if zero_us is not None else zone.shifted(axis), zero_us)


class Grid(Lines):
    """Rows of states; `column` is where the cursor stands in time."""

    ABOUT: ClassVar[str] = "rows of states"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "column(-1)", "earlier", id="grid.left", show=False),
        Binding("right,l", "column(1)", "later", id="grid.right", show=False),
        Binding("J", "column(-10)", "ten columns earlier", id="grid.far_left", show=False),
        Binding("K", "column(10)", "ten columns later", id="grid.far_right", show=False),
    ]

    class Dragged(Lines.Moved):
        """The mouse marked columns, from the first to the last."""

        def __init__(self, lines: Lines, first: int, last: int) -> None:
            super().__init__(lines)
            self.first, self.last = first, last

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.axis: Axis | Stages | None = None
        self.rows: Sequence[GridRow] = ()
        self.zero_us: int | None = None
        self.column = 0
        self.is_stale = False
        self._dragged: int | None = None

    def paint_rows(self, axis: Axis | Stages, rows: Sequence[GridRow], zero_us: int | None, moment_us: int | None, title: str) -> None:
        """Another picture; the cursor goes to `moment_us`, or without times stays, at first where somebody stopped."""
        is_new = type(axis) is not type(self.axis)
        self.axis, self.rows, self.zero_us = axis, rows, zero_us
        self.is_stale = False
        if isinstance(axis, Stages):
            first = axis.column(axis.zero) if axis.zero is not None else None
            place: int | None = (axis.after if first is None else first) if is_new else self.column
        else:
            place = axis.column(moment_us) if moment_us is not None else None
        self.column = max(min(place if place is not None else self.column, axis.columns - 1), 0)
        self._rule()
        self.fill(len(rows), lambda index, width: grids.line(self.rows[index], LABEL), title)

    def _rule(self) -> None:
        assert self.axis is not None
        labels, ticks = ruler(self.axis, self.zero_us)
        marks = list(ticks.ljust(self.axis.columns))
        marks[self.column] = "v"
        text = "".join(marks).rstrip()
        at = self.column
        self.above = [
            paint.line(" " * LABEL, paint.Span(labels, "dim")),
            paint.line(" " * LABEL, paint.Span(text[:at], "dim"), paint.Span("v", "bold"), paint.Span(text[at + 1 :], "dim")),
        ]

    @property
    def moment_us(self) -> int | None:
        """The beginning of the column under the cursor; None without times."""
        return self.axis.start(self.column) if isinstance(self.axis, Axis) else None

    @property
    def here(self) -> GridRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def action_column(self, by: int) -> None:
        """Earlier or later."""
        if self.axis is not None:
            self.go_column(self.column + by)

    def go_column(self, column: int) -> None:
        """The cursor to a column."""
        assert self.axis is not None
        self.column = max(min(column, self.axis.columns - 1), 0)
        self._rule()
        self.post_message(self.Moved(self))
        self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Dragging on the axis chooses a window."""
        self._dragged = event.x - LABEL if 0 < event.y <= len(self.above) and event.x >= LABEL else None

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Where it ends."""
        if self._dragged is not None and abs(event.x - LABEL - self._dragged) > 1:
            self.post_message(self.Dragged(self, *sorted((self._dragged, max(event.x - LABEL, 0)))))
        self._dragged = None

    def on_click(self, event: events.Click) -> None:
        """A click on a cell moves the cursor there in both directions."""
        super().on_click(event)
        if self.axis is not None and event.x >= LABEL:
            self.go_column(event.x - LABEL)

    def over(self, index: int) -> str:
        """The old picture is dim until the new one is there; the cursor is one cell, not a row."""
        return "dim" if self.is_stale else "bold" if index == self.cursor else ""

    def render_line(self, y: int) -> Strip:
        """The cell under the cursor is reversed."""
        strip = super().render_line(y)
        if y != 1 + len(self.above) + self.cursor - self.top or not self.rows or not self.has_focus:
            return strip
        at, width = LABEL + self.column, self.size.width
        if at >= width:
            return strip
        parts = list(strip.divide([at, at + 1, width]))
        return Strip.join([parts[0], parts[1].apply_style(paint.STYLES["reverse"]), *parts[2:]])
