"""The widgets that draw lines: `Block` for fixed ones, `Lines` for a list of any length with a cursor."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ncclscope.tui import paint
from ncclscope.tui.paint import EMPTY, Line


class Block(Widget):
    """Lines that are only looked at."""

    DEFAULT_CSS = "Block { height: 1; }"

    def __init__(self, lines: Sequence[Line] = (), id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines = list(lines)

    def show(self, lines: Sequence[Line]) -> None:
        """Draws other lines."""
        self.lines = list(lines)
        self.refresh()

    def render(self) -> RenderResult:
        """Drawn line by line."""
        return ""

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        found = self.lines[y] if y < len(self.lines) else EMPTY
        return Strip(paint.segments(found, self.size.width), self.size.width)


class Lines(Widget, can_focus=True):
    """A titled list: its count, and a function from index and width to a line."""

    DEFAULT_CSS = "Lines { height: 1fr; }"
    ABOUT: ClassVar[str] = "a list"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "down", id="list.down", show=False),
        Binding("up,k", "move(-1)", "up", id="list.up", show=False),
        Binding("space,pagedown", "page(1)", "page down", id="list.page_down", show=False),
        Binding("b,pageup", "page(-1)", "page up", id="list.page_up", show=False),
        Binding("g,home", "top", "top", id="list.top", show=False),
        Binding("G,end", "bottom", "bottom", id="list.bottom", show=False),
        Binding("enter", "open", "go deeper", id="list.open", show=False),
    ]

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, lines: "Lines") -> None:
            super().__init__()
            self.lines = lines

        @property
        def control(self) -> "Lines":
            """Whose cursor."""
            return self.lines

    class Opened(Moved):
        """`enter` on a row."""

    class Beyond(Moved):
        """The cursor wants to go beyond the rows that are there, by `by`; `far` for the very end."""

        def __init__(self, lines: "Lines", by: int, is_far: bool) -> None:
            super().__init__(lines)
            self.by, self.is_far = by, is_far

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.title = id
        self.count = 0
        self.cursor = 0
        self.top = 0
        # Lines between the title and the rows, and, where there is room, after the rows.
        self.above: list[Line] = []
        self.below: list[Line] = []
        self.empty = ""
        self.get: Callable[[int, int], Line] = lambda index, width: EMPTY

    def fill(self, count: int, get: Callable[[int, int], Line], title: str | None = None, cursor: int | None = None) -> None:
        """Other rows; the cursor stays where it was unless told."""
        self.count, self.get = count, get
        if title is not None:
            self.title = title
        self.cursor = max(min(self.cursor if cursor is None else cursor, count - 1), 0)
        self._follow()
        self.refresh()

    @property
    def room(self) -> int:
        """Rows that fit."""
        return max(self.size.height - 1 - len(self.above), 0)

    def rename(self, title: str) -> None:
        """Another title."""
        self.title = title
        self.refresh()

    def go(self, index: int) -> None:
        """Moves the cursor."""
        index = max(min(index, self.count - 1), 0)
        if index != self.cursor:
            self.cursor = index
            self.post_message(self.Moved(self))
        self._follow()
        self.refresh()

    def _follow(self) -> None:
        room = max(self.room, 1)
        if self.cursor < self.top:
            self.top = self.cursor
        elif self.cursor >= self.top + room:
            self.top = self.cursor - room + 1
        self.top = max(min(self.top, self.count - room), 0)

    def action_move(self, by: int) -> None:
        """Up or down."""
        if not 0 <= self.cursor + by < self.count:
            self.post_message(self.Beyond(self, by, False))
        self.go(self.cursor + by)

    def action_page(self, by: int) -> None:
        """A page up or down."""
        self.action_move(by * max(self.room - 1, 1))

    def action_top(self) -> None:
        """To the first row."""
        self.post_message(self.Beyond(self, -1, True))
        self.go(0)

    def action_bottom(self) -> None:
        """To the last row."""
        self.post_message(self.Beyond(self, 1, True))
        self.go(self.count - 1)

    def action_open(self) -> None:
        """Deeper."""
        if self.count:
            self.post_message(self.Opened(self))

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor, a double click opens."""
        row = self.top + event.y - 1 - len(self.above)
        if event.y > len(self.above) and 0 <= row < self.count:
            self.go(row)
            if event.chain == 2:
                self.action_open()

    def on_mouse_scroll_down(self) -> None:
        """The wheel moves the cursor, three rows at a time."""
        self.action_move(3)

    def on_mouse_scroll_up(self) -> None:
        """The same upwards."""
        self.action_move(-3)

    def on_resize(self) -> None:
        """The cursor stays in sight."""
        self._follow()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """The title shows where keys go."""
        self.refresh()

    def render(self) -> RenderResult:
        """Drawn line by line."""
        return ""

    def render_lines(self, crop: Region) -> list[Strip]:
        """The cursor is in sight whatever the size has become."""
        self._follow()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """The title, what stands above the rows, or a row."""
        width = self.size.width
        if y == 0:
            return Strip(paint.segments(paint.rule(self.title, width, self.has_focus), width), width)
        if y <= len(self.above):
            return Strip(paint.segments(self.above[y - 1], width), width)
        index = self.top + y - 1 - len(self.above)
        if index >= self.count:
            return Strip(paint.segments(self.after(index - self.count), width), width)
        return Strip(paint.segments(self.row(index, width), width, self.over(index)), width)

    def after(self, number: int) -> Line:
        """A line after the last row."""
        if self.count == 0 and self.empty:
            return paint.line(paint.Span(f"  {self.empty}", "dim")) if number == 0 else EMPTY
        return self.below[number] if number < len(self.below) else EMPTY

    def row(self, index: int, width: int) -> Line:
        """A row with the cursor's mark in its first cell."""
        content = self.get(index, width)
        if index != self.cursor or not content:
            return content
        first = content[0]
        return (paint.Span(">" + first.text[1:], first.style), *content[1:])

    def over(self, index: int) -> str:
        """The style laid over a row."""
        return ("reverse" if self.has_focus else "bold") if index == self.cursor else ""
