"""What the screens of a case have in common: the lines around, questions answered in threads, search and filter."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from ncclscope.case import CaseError, QueryError
from ncclscope.tui import head, pages, paint
from ncclscope.tui.desk import Abandoned, Desk
from ncclscope.tui.filters import Filter
from ncclscope.tui.lines import Block, Lines
from ncclscope.tui.prompt import Prompt
from ncclscope.tui.view import Key, View

if TYPE_CHECKING:
    from ncclscope.tui.app import Scope

SMALLEST = (40, 12)


class Answer(Message):
    """What a thread found out."""

    def __init__(self, topic: str, ticket: int, value: object) -> None:
        super().__init__()
        self.topic, self.ticket, self.value = topic, ticket, value


class CaseScreen(Screen[None]):
    """One of the screens that show the same case."""

    CSS = "Block { height: 1; } .hidden { visibility: hidden; }"
    ABOUT: ClassVar[str] = ""
    HINTS: ClassVar[tuple[tuple[str, str], ...]] = ()
    PLACE: ClassVar[int] = 0
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "focus_pane(1)", "next pane", id="pane.next", show=False),
        Binding("shift+tab", "focus_pane(-1)", "previous pane", id="pane.previous", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._tickets: dict[str, int] = {}
        self._waited: set[str] = set()

    @property
    def scope(self) -> "Scope":
        """The app, as what it is."""
        return self.app  # type: ignore[return-value]

    @property
    def looking(self) -> View:
        """What the person is looking at."""
        return self.scope.looking

    def compose(self) -> ComposeResult:
        """The lines around the panes."""
        yield Block(id="head")
        yield from self.panes()
        yield Prompt()
        yield Block(id="tour")
        yield Block(id="filter")
        yield Block(id="keys")

    def panes(self) -> list[Widget]:
        """What stands between."""
        return []

    def head_lines(self, width: int, height: int) -> list[Any]:
        """The lines at the top."""
        del height
        # Fleet is there only where there are cases to compare.
        screens = len(head.SCREENS) + self.scope.wanted.is_folder
        return [head.title(self.scope.facts, self.looking, self.PLACE, width, self.scope.opened_name, screens)]

    def lay_out(self, width: int, height: int) -> None:
        """Gives panes their heights; `height` is what the lines around leave."""

    def show(self) -> None:
        """Draws the case anew; there is one."""

    # -- drawing ------------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """The first picture."""
        self.redraw()

    def on_resize(self, event: events.Resize) -> None:
        """Another size."""
        self.call_after_refresh(self.redraw)

    def on_screen_resume(self) -> None:
        """Shown again: what changed elsewhere changes here."""
        self.redraw()

    def redraw(self) -> None:
        """Draws everything."""
        if not self.is_mounted or not self.size.width:
            return
        self.frame()
        if self.scope.facts is not None:
            self.show()

    def frame(self) -> None:
        """Draws the lines around."""
        width, height = self.size
        lines = self.head_lines(width, height)
        if width < SMALLEST[0] or height < SMALLEST[1]:
            lines = [paint.line(f"ncclscope needs {SMALLEST[0]} x {SMALLEST[1]}")]
        top = self.query_one("#head", Block)
        top.styles.height = len(lines)
        top.show(lines)
        tour = self.query_one("#tour", Block)
        hint = head.tour(self.scope.tour, width) if self.scope.tour is not None else []
        tour.display, tour.styles.height = bool(hint), len(hint)
        tour.show(hint)
        self.lay_out(width, height - len(lines) - 2 - len(hint))
        shown, total = self.scope.counted
        self.query_one("#filter", Block).show([head.filter_line(self.looking, shown, total, width, self.scope.note)])
        self.query_one("#keys", Block).show([head.keys(self.HINTS, width)])

    def action_focus_pane(self, by: int) -> None:
        """The next pane that is there."""
        found = [pane for pane in self.query(Lines) if pane.display]
        if found:
            here = found.index(self.focused) if self.focused in found else -1
            found[(here + by) % len(found)].focus()

    # -- questions ----------------------------------------------------------------------------------------------------

    def look_up(self, topic: str, question: Callable[..., object], *given: object) -> None:
        """Asks in a thread; the answer goes to `on_<topic>` unless a later question overtakes it."""
        self._tickets[topic] = self._tickets.get(topic, 0) + 1
        desk = self.scope.desk
        if desk is not None:
            self._waited.add(topic)
            desk.expect(self._owner(topic), self._tickets[topic])
            work = partial(self._work, topic, self._tickets[topic], desk, question, given)
            self.run_worker(work, thread=True, group=topic, exclusive=True)

    def _owner(self, topic: str) -> str:
        """Questions of one screen about one topic overtake each other, and no others."""
        return f"{type(self).__name__}.{topic}"

    def stop(self, topic: str) -> bool:
        """Nobody waits for the answer any more; False if nobody did."""
        desk = self.scope.desk
        if desk is None or topic not in self._waited:
            return False
        self._tickets[topic] += 1
        self._waited.discard(topic)
        desk.stop(self._owner(topic))
        return True

    def stop_search(self) -> bool:
        """Ends a search that goes on; False if none does."""
        return bool(sum([self.stop(topic) for topic in ("found", "hits")]))

    def seek_error(self, by: int) -> None:
        """The next error anywhere, from the time or the record that is looked at."""
        self.look_up("error", _error, self.looking.filter, self.looking.key, self.looking.moment_us, by)

    def answer_error(self, key: Key | None) -> None:
        """To its record."""
        if key is None:
            self.scope.say("no error that way")
        else:
            self.looking.key = key
            self.scope.go("events")

    def _work(self, topic: str, ticket: int, desk: Desk, question: Callable[..., object], given: tuple[object, ...]) -> None:
        try:
            with desk.serving(self._owner(topic), ticket):
                value = question(desk, *given)
        except Abandoned:
            return
        except (CaseError, QueryError) as error:
            value = CaseError(str(error))
        self.post_message(Answer(topic, ticket, value))

    @on(Answer)
    def _answered(self, message: Answer) -> None:
        message.stop()
        if message.ticket != self._tickets.get(message.topic):
            return
        self._waited.discard(message.topic)
        if isinstance(message.value, CaseError):
            self.scope.say(f"a query failed: {str(message.value).splitlines()[0]}")
            return
        getattr(self, f"answer_{message.topic}")(message.value)

    # -- what the app's keys ask of a screen --------------------------------------------------------------------------

    def copied(self) -> tuple[str, str]:
        """The line under the cursor, and its citation."""
        return "", ""

    def mark(self) -> None:
        """Marks what is under the cursor."""

    def search(self, pattern: str, by: int) -> None:
        """Looks for a pattern in the focused pane."""
        del pattern, by

    def subject(self) -> list[str]:
        """Filter words that mean what is under the cursor, the most exact first."""
        return []

    def back(self) -> bool:
        """One step back; False if there is none."""
        return False

    def show_plain(self) -> list[str]:
        """The visible lines as plain text."""
        lines: list[str] = []
        for pane in self.query(Lines):
            if pane.display:
                lines += ["".join(s.text for s in pane.render_line(y)).rstrip() for y in range(pane.size.height)]
        return lines


def _error(desk: Desk, wanted: Filter, key: Key | None, moment_us: int | None, by: int) -> Key | None:
    """The record of the next error after, or the last one before, what is looked at."""
    at = pages.locate(desk, key) if key is not None else None
    if at is None:
        at = pages.FIRST if moment_us is None else (moment_us, 0, 0, 0)
    found = pages.find(desk, wanted, at, by, "severity >= 3", ())
    return found[1:] if found else None
