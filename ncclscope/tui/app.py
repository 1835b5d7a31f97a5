"""The app: opens a case, holds what is looked at, and switches screens."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from ncclscope.case import CaseError
from ncclscope.formats import wording
from ncclscope.text import printable
from ncclscope.tui import actions, clip, facts, filters, paint, view
from ncclscope.tui.cases import Cases
from ncclscope.tui.desk import Desk
from ncclscope.tui.events import Events
from ncclscope.tui.facts import Facts
from ncclscope.tui.files import Files
from ncclscope.tui.help import Help
from ncclscope.tui.lines import Lines
from ncclscope.tui.opening import Scan, Wanted
from ncclscope.tui.paint import Line
from ncclscope.tui.prompt import Prompt
from ncclscope.tui.ranks import Ranks
from ncclscope.tui.screen import CaseScreen
from ncclscope.tui.timelines import Timeline
from ncclscope.tui.triage import Triage
from ncclscope.tui.view import Key, View

# Progress is a number that changes at most four times a second.
TELL_S = 0.25
FOLLOW_S = 5.0


class CaseOpened(Message):
    """A case is open."""

    def __init__(self, desk: Desk, found: Facts) -> None:
        super().__init__()
        self.desk, self.found = desk, found


class Told(Message):
    """How far a scan is, or why there is no case."""

    def __init__(self, text: str, is_over: bool = False) -> None:
        super().__init__()
        self.text, self.is_over = text, is_over


class Counted(Message):
    """How many records a filter leaves, of how many."""

    def __init__(self, shown: int, total: int, text: str) -> None:
        super().__init__()
        self.shown, self.total, self.text = shown, total, text


class Scope(App[int]):
    """ncclscope in a terminal."""

    TITLE = "ncclscope"
    MODES: ClassVar[dict[str, Any]] = {
        "triage": Triage,
        "timeline": Timeline,
        "events": Events,
        "ranks": Ranks,
        "files": Files,
        "cases": Cases,
    }
    CSS = "Screen { background: ansi_default; color: ansi_default; }"
    COMMAND_PALETTE_BINDING = "colon"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "go('triage')", "Triage", id="screen.triage", show=False),
        Binding("2", "go('timeline')", "Timeline", id="screen.timeline", show=False),
        Binding("3", "go('events')", "Events", id="screen.events", show=False),
        Binding("4", "go('ranks')", "Ranks", id="screen.ranks", show=False),
        Binding("5", "go('files')", "Files", id="screen.files", show=False),
        Binding("escape", "back", "one step back", id="back", show=False),
        Binding("q", "leave", "leave the screen; on Triage, quit", id="leave", show=False),
        Binding("question_mark", "help", "help", id="help", show=False),
        Binding("slash", "search", "search in this pane", id="search", show=False),
        Binding("n", "again(1)", "next hit", id="search.next", show=False),
        Binding("N", "again(-1)", "previous hit", id="search.previous", show=False),
        Binding("f", "filter", "edit the filter", id="filter.edit", show=False),
        Binding("i", "only", "only what is under the cursor", id="filter.only", show=False),
        Binding("x", "hide", "hide what is under the cursor", id="filter.hide", show=False),
        Binding("u", "undo", "undo the last change of the filter", id="filter.undo", show=False),
        Binding("U", "clear", "clear the filter", id="filter.clear", show=False),
        Binding("left_curly_bracket", "attempt(-1)", "previous job attempt", id="attempt.previous", show=False),
        Binding("right_curly_bracket", "attempt(1)", "next job attempt", id="attempt.next", show=False),
        Binding("m", "mark", "mark a line", id="mark", show=False),
        Binding("apostrophe", "marks", "list marks", id="marks", show=False),
        Binding("y", "copy", "copy the line", id="copy.line", show=False),
        Binding("Y", "cite", "copy a citation", id="copy.citation", show=False),
        Binding("w", "report", "write the report with the marked lines", id="report", show=False),
        Binding("t", "clock", "time relative to T, or by the clock", id="clock", show=False),
        Binding("L", "plain", "the visible lines outside the app", id="plain", show=False),
        # Textual's own keys for these are what multiplexers take.
        Binding("ctrl+c", "leave_at_once", "quit", id="quit", show=False, priority=True),
    ]

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
        self.note = ""
        self.counted: tuple[int | None, int | None] = (None, None)
        self.zero_us: int | None = None
        self.parting: list[str] = []
        self.theme = "ansi-dark"

    # -- opening ------------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """The first screen is there before anything is read."""
        if self.wanted.is_folder:
            self.switch_mode("cases")
            return
        self.switch_mode("triage")
        self.open(self.wanted.cases[0] if self.wanted.cases else None)

    def enter(self, path: Path) -> None:
        """From the list of cases into one."""
        self.facts, self.desk, self.waiting = None, None, "opening"
        self.switch_mode("triage")
        self.open(path)

    def open(self, path: Path | None) -> None:
        """Opens a case, or has one made of the evidence."""
        self.began = time.monotonic()
        if path is None:
            self.scan = Scan(self.wanted.evidence, self.wanted.options)
            self.waiting = f"reading {wording.names(self.wanted.evidence)}"
            self.run_worker(self._scan, thread=True, group="open")
        else:
            self.run_worker(lambda: self._open(path), thread=True, group="open", exclusive=True)

    def _scan(self) -> None:
        last = 0.0

        def tell(text: str) -> None:
            nonlocal last
            if time.monotonic() - last >= TELL_S:
                last = time.monotonic()
                self.post_message(Told(text))

        assert self.scan is not None
        try:
            self._open(self.scan.run(tell))
        except (CaseError, OSError) as error:
            self.post_message(Told(str(error), True))

    def _open(self, path: Path) -> None:
        try:
            desk = Desk(path.resolve())
            self.post_message(CaseOpened(desk, facts.read(desk)))
        except CaseError as error:
            self.post_message(Told(str(error), True))

    def on_case_opened(self, message: CaseOpened) -> None:
        """Everything is drawn from the case that is now there."""
        is_same = self.facts is not None and self.facts.path == message.found.path
        self.desk, self.facts = message.desk, message.found
        self.generation += 1
        if not is_same:
            self.looking = view.load(self.facts.path)
            self.looking.attempt = self.facts.verdicts[-1]["attempt"]
            if self.wanted.filter:
                self.narrow(self.wanted.filter)
        self.zero_us = min((us for f in self.facts.findings if (us := facts.us(f["began"])) is not None), default=None)
        self.waiting = ""
        self.redraw()
        self.count()
        if self.wanted.follow:
            self.set_timer(FOLLOW_S, lambda: self.open(None))

    def on_told(self, message: Told) -> None:
        """A scan goes on, or has failed."""
        self.waiting, self.failure = message.text, message.text if message.is_over else ""
        self.redraw()

    def progress_lines(self, width: int) -> list[Line]:
        """What is shown while there is no case yet."""
        if self.failure:
            text = [paint.line(one) for one in paint.wrap(printable(self.failure), width)]
            return [paint.line(paint.Span("FAILED", "red")), *text, paint.line("q leaves.")]
        elapsed = f"{time.monotonic() - self.began:.0f} s"
        return [paint.line(paint.safe(self.waiting)), paint.line(f"{elapsed}; q leaves, and what was read is kept")]

    def count(self) -> None:
        """Counts, beside everything else, what the filter leaves."""
        self.counted = (None, self.counted[1])
        desk, wanted = self.desk, self.looking.filter
        if desk is not None:
            self.run_worker(lambda: self._count(desk, wanted), thread=True, group="count", exclusive=True)

    def _count(self, desk: Desk, wanted: filters.Filter) -> None:
        query = f"SELECT count(*) AS total, count(*) FILTER (WHERE {wanted.where}) AS shown FROM log"
        row = actions.one(desk, "count", query, wanted.parameters)
        if row is not None:
            self.post_message(Counted(row["shown"], row["total"], wanted.text))

    def on_counted(self, message: Counted) -> None:
        """The last line but one says what is hidden."""
        if message.text == self.looking.filter.text:
            self.counted = (message.shown, message.total)
            self.frame()

    # -- screens ------------------------------------------------------------------------------------------------------

    @property
    def here(self) -> CaseScreen | None:
        """The screen of the case that is shown, if one is."""
        return self.screen if isinstance(self.screen, CaseScreen) else None

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

    def on_key(self) -> None:
        """What was said has been read."""
        if self.note:
            self.note = ""
            self.frame()

    def go(self, mode: str) -> None:
        """Shows another screen."""
        if self.facts is not None and not isinstance(self.screen, Help):
            self.switch_mode(mode)

    def action_go(self, mode: str) -> None:
        """A digit."""
        self.go(mode)

    async def action_back(self) -> None:
        """One step back; never quits."""
        if self.here is not None and not self.here.back() and self.current_mode not in ("triage", "cases"):
            self.switch_mode("triage")

    def action_leave(self) -> None:
        """Back to Triage, from there to the list of cases, from there out."""
        if self.current_mode == "cases" or (self.current_mode == "triage" and not self.wanted.is_folder):
            self.action_leave_at_once()
        else:
            self.switch_mode("cases" if self.current_mode == "triage" else "triage")

    def action_leave_at_once(self) -> None:
        """Out; what was marked and filtered is kept."""
        if self.scan is not None:
            self.scan.stop()
        if self.facts is not None:
            view.save(self.looking, self.facts.path)
        self.exit(0)

    def action_help(self) -> None:
        """What every key does."""
        if self.here is not None:
            self.push_screen(Help(self.here, self))

    # -- search and filter --------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Asks for a pattern; the last one is offered again."""
        if self.here is not None:
            self.here.query_one(Prompt).ask("search", self.looking.search)

    def action_filter(self) -> None:
        """Asks for the filter."""
        if self.here is not None and self.facts is not None:
            self.here.query_one(Prompt).ask("filter", self.looking.filter.text)

    @on(Prompt.Given)
    def _given(self, message: Prompt.Given) -> None:
        if message.purpose == "search":
            self.looking.search = message.text
            self.action_again(1)
        else:
            self.narrow(message.text)

    def narrow(self, text: str) -> None:
        """Another filter, if it means something."""
        try:
            self.looking.narrow(text)
        except filters.FilterError as error:
            self.say(str(error))
            return
        self.filter_changed()

    def filter_changed(self) -> None:
        """Every screen shows what the filter leaves."""
        self.generation += 1
        self.count()
        self.redraw()

    def action_again(self, by: int) -> None:
        """The next hit."""
        if self.here is not None and self.looking.search:
            self.here.search(self.looking.search, by)

    def search_lines(self, pane: Lines, pattern: str, by: int) -> None:
        """Finds a pattern in rows as they are shown."""
        try:
            hit = actions.find_line(pane, pattern, by)
        except ValueError as error:
            self.say(str(error))
            return
        if hit is None:
            self.say(f"no hit for {pattern}")
        else:
            pane.go(hit)

    def action_only(self) -> None:
        """Only what is under the cursor."""
        self._add("")

    def action_hide(self) -> None:
        """Everything else."""
        self._add("-")

    def _add(self, sign: str) -> None:
        words = self.here.subject() if self.here is not None else []
        if words:
            self.narrow(filters.add(self.looking.filter.text, sign + words[0]))
        else:
            self.say("nothing here to filter by")

    def action_undo(self) -> None:
        """The filter before."""
        if self.looking.widen():
            self.filter_changed()

    def action_clear(self) -> None:
        """No filter."""
        self.narrow("")

    # -- attempts, marks, copies, reports -----------------------------------------------------------------------------

    def action_attempt(self, by: int) -> None:
        """Another attempt of the job."""
        if self.facts is None:
            return
        numbers = [verdict["attempt"] for verdict in self.facts.verdicts]
        place = numbers.index(self.looking.attempt) + by
        if 0 <= place < len(numbers):
            self.looking.attempt = numbers[place]
            self.looking.finding_id, self.looking.axis = "", None
            self.redraw()

    def toggle_mark(self, key: Key, text: str) -> None:
        """Marks a line, or takes the mark away."""
        if self.looking.marks.pop(key, None) is None:
            self.looking.marks[key] = text
        self.say(wording.count(len(self.looking.marks), "line") + " marked")

    def action_mark(self) -> None:
        """Marks what is under the cursor."""
        if self.here is not None:
            self.here.mark()

    def action_marks(self) -> None:
        """The marked lines."""
        if self.here is not None:
            self.push_screen(Help(self.here, self, [*self.looking.marks.values()] or ["no line is marked; m marks one"]))

    def action_copy(self) -> None:
        """The line."""
        self._copy(0)

    def action_cite(self) -> None:
        """Where to find it again."""
        self._copy(1)

    def _copy(self, which: int) -> None:
        text = self.here.copied()[which] if self.here is not None else ""
        if text and self.facts is not None:
            self.copy_to_clipboard(text)
            kept = clip.keep(self.facts.path, text)
            self.say("sent to terminal clipboard" + (f"; kept in {clip.CLIP} of the case" if kept else ""))
            if kept and f"copied: {kept}" not in self.parting:
                self.parting.append(f"copied: {kept}")

    def action_report(self) -> None:
        """Writes Markdown beside the case."""
        if self.desk is not None and self.facts is not None:
            self.say("writing the report")
            desk, marks = self.desk, list(self.looking.marks.values())
            stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
            self.run_worker(lambda: self._report(lambda: clip.write_report(desk, marks, stamp)), thread=True, group="report")

    def _report(self, write: Callable[[], Path]) -> None:
        try:
            path = write()
        except (CaseError, OSError) as error:
            self.call_from_thread(self.say, f"no report: {error}")
            return
        self.call_from_thread(self.say, f"report: {path}")
        self.parting.append(f"report: {path}")

    def action_clock(self) -> None:
        """Relative to T, or by the clock."""
        self.looking.by_clock = not self.looking.by_clock
        self.redraw()

    def action_plain(self) -> None:
        """Lines for the terminal's own selection; any key returns."""
        if self.here is None:
            return
        lines = self.here.show_plain()
        with self.suspend():
            os.write(1, ("\n".join(lines) + "\n\n-- enter returns --").encode("utf-8", "backslashreplace"))
            input()

    def get_system_commands(self, screen: Screen[Any]) -> Any:
        """The palette: every action by name, then ranks, hosts and rules."""
        del screen
        for title, text, work in actions.commands(self):
            yield SystemCommand(title, text, work)
