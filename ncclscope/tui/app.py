"""The app: opens a case, holds what is looked at, and switches screens."""

import time
from pathlib import Path
from typing import Any, ClassVar

from textual import events
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from ncclscope.case import CaseError
from ncclscope.formats import wording
from ncclscope.tui import actions, arrivals, facts, last, stories, view
from ncclscope.tui.cases import Cases
from ncclscope.tui.desk import Desk
from ncclscope.tui.events import Events
from ncclscope.tui.facts import Facts
from ncclscope.tui.files import Files
from ncclscope.tui.fleets import Fleet
from ncclscope.tui.handing import Handing
from ncclscope.tui.help import Help
from ncclscope.tui.narrowing import Narrowing
from ncclscope.tui.opening import Scan
from ncclscope.tui.prompt import Prompt
from ncclscope.tui.ranks import Ranks
from ncclscope.tui.timelines import Timeline
from ncclscope.tui.triage import Triage

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


class Scope(Handing, Narrowing):
    """ncclscope in a terminal."""

    TITLE = "ncclscope"
    MODES: ClassVar[dict[str, Any]] = {
        "triage": Triage,
        "timeline": Timeline,
        "events": Events,
        "ranks": Ranks,
        "files": Files,
        "cases": Cases,
        "fleet": Fleet,
    }
    # No box and no emoji: what a console font lacks, or draws two cells wide, is not used.
    CSS = """
    Screen { background: ansi_default; color: ansi_default; }
    SearchIcon { display: none; }
    CommandPalette #--input, CommandPalette #--input:focus-within { border: none; }
    CommandPalette CommandList { border: none; scrollbar-size-vertical: 0; }
    """
    # A key of its own has precedence over all others; `:` must not, since it is also typed ahead of a prompt.
    COMMAND_PALETTE_BINDING = "ctrl+p"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "go('triage')", "Triage", id="screen.triage", show=False),
        Binding("2", "go('timeline')", "Timeline", id="screen.timeline", show=False),
        Binding("3", "go('events')", "Events", id="screen.events", show=False),
        Binding("4", "go('ranks')", "Ranks", id="screen.ranks", show=False),
        Binding("5", "go('files')", "Files", id="screen.files", show=False),
        Binding("6", "fleet", "Fleet, of a folder of cases", id="screen.fleet", show=False),
        Binding("escape", "back", "one step back", id="back", show=False),
        Binding("q", "leave", "leave the screen; on Triage, quit", id="leave", show=False),
        Binding("question_mark", "help", "help", id="help", show=False),
        Binding("slash", "search", "search in this pane", id="search", show=False),
        Binding("n", "again(1)", "next hit", id="search.next", show=False),
        Binding("N", "again(-1)", "previous hit", id="search.previous", show=False),
        Binding("colon", "command_palette", "command palette", id="palette", show=False),
        Binding("f", "filter", "edit the filter", id="filter.edit", show=False),
        Binding("i", "only", "only what is under the cursor", id="filter.only", show=False),
        Binding("x", "hide", "hide what is under the cursor", id="filter.hide", show=False),
        Binding("u", "undo", "undo the last change of the filter", id="filter.undo", show=False),
        Binding("U", "clear", "clear the filter", id="filter.clear", show=False),
        Binding("left_curly_bracket", "attempt(-1)", "previous job attempt", id="attempt.previous", show=False),
        Binding("right_curly_bracket", "attempt(1)", "next job attempt", id="attempt.next", show=False),
        Binding("e", "error(1)", "next error anywhere in time", id="error.next", show=False),
        Binding("E", "error(-1)", "previous error anywhere in time", id="error.previous", show=False),
        Binding("m", "mark", "mark a line", id="mark", show=False),
        Binding("apostrophe", "marks", "list marks", id="marks", show=False),
        Binding("y", "copy", "copy the line", id="copy.line", show=False),
        Binding("Y", "cite", "copy a citation", id="copy.citation", show=False),
        Binding("w", "report", "write the report with the marked lines", id="report", show=False),
        Binding("t", "clock", "time relative to T, or by the clock", id="clock", show=False),
        Binding("z", "zone", "times in UTC, in the logs' zone or in this terminal's", id="zone", show=False),
        Binding("full_stop", "tour(1)", "tour: the next step", id="tour.next", show=False),
        Binding("comma", "tour(-1)", "tour: the step before", id="tour.previous", show=False),
        Binding("L", "plain", "the visible lines outside the app", id="plain", show=False),
        # Textual's own keys for these are what multiplexers take.
        Binding("ctrl+c", "leave_at_once", "quit", id="quit", show=False, priority=True),
    ]

    # -- opening ------------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """The first screen is there before anything is read."""
        if self.wanted.is_folder and not self.wanted.resume:
            self.switch_mode("cases")
            self.set_interval(last.EVERY_S, self.keep)
            return
        self.switch_mode("triage")
        if self.tour is not None:
            self.read(self.tour.evidence)
        else:
            self.open(self.wanted.cases[0] if self.wanted.cases else None)
        self.set_interval(last.EVERY_S, self.keep)

    def enter(self, path: Path) -> None:
        """From the list of cases into one."""
        self.facts, self.desk, self.waiting = None, None, "opening"
        self.switch_mode("triage")
        self.open(path)

    def open(self, path: Path | None) -> None:
        """Opens a case, or has one made of the evidence."""
        self.began = time.monotonic()
        if path is None:
            self.read(*self.wanted.evidence)
        else:
            self.run_worker(lambda: self._open(path), thread=True, group="open", exclusive=True)

    def read(self, *evidence: str) -> None:
        """Has a case made of evidence, by a child; what was read before is not read again."""
        self.began = time.monotonic()
        if self.facts is None:
            self.counted = (None, None)
        self.scan = Scan(evidence, self.wanted.options)
        self.waiting = f"reading {wording.names(evidence)}"
        self.run_worker(self._scan, thread=True, group="open")

    def _scan(self) -> None:
        last = 0.0

        def tell(text: str) -> None:
            nonlocal last
            if time.monotonic() - last >= TELL_S:
                last = time.monotonic()
                self.post_message(Told(text))

        assert self.scan is not None
        try:
            self._open(self.scan.run(tell, self._open))
        except (CaseError, OSError) as error:
            self.post_message(Told(str(error), True))

    def _open(self, path: Path) -> None:
        path = path.resolve()
        try:
            if self.wanted.follow:
                self._note_arrivals(path)
            desk = Desk(path)
            self.post_message(CaseOpened(desk, facts.read(desk)))
        except CaseError as error:
            self.post_message(Told(str(error), True))

    def _note_arrivals(self, path: Path) -> None:
        """Lines that have come since the case was read before are stamped with now."""
        lines = {row["file_id"]: row["lines"] or 0 for row in Desk(path).ask("arrivals", "SELECT file_id, lines FROM files")}
        if self._lines is not None:
            arrivals.add(path, arrivals.grown(self._lines, lines, int(time.time()) * 1_000_000))
        self._lines = lines

    def on_case_opened(self, message: CaseOpened) -> None:
        """Everything is drawn from the case that is now there."""
        is_same = self.facts is not None and self.facts.path == message.found.path
        self.desk, self.facts = message.desk, message.found
        self.zero_us = min((us for f in self.facts.findings if (us := facts.us(f["began"])) is not None), default=None)
        self.generation += 1
        if not is_same:
            self.looking = view.load(self.facts.path)
            self.looking.attempt = self.facts.verdicts[-1]["attempt"]
            if self.wanted.filter:
                self.narrow(self.wanted.filter)
            self._stand()
        self.waiting = ""
        self.redraw()
        self.count()
        if not is_same and self.looking.filter and not self.wanted.filter:
            self.say(f"filter of the last session: {self.looking.filter.text}  (U clears it)")
        if self.wanted.follow and not self.facts.reading:
            self.set_timer(FOLLOW_S, lambda: self.open(None))

    def _stand(self) -> None:
        """A case that has just been opened is shown where the last session, or the tour, stands."""
        assert self.facts is not None
        screen = "triage"
        if self.tour is not None:
            screen = self.tour.step.screen
            self.run_worker(self.tour.read_ahead, thread=True, group="ahead", exclusive=True)
        elif self.wanted.resume == str(self.facts.path):
            screen = view.resume(self.looking, self.facts.path)
            if self.looking.attempt not in [verdict["attempt"] for verdict in self.facts.verdicts]:
                self.looking.attempt = self.facts.verdicts[-1]["attempt"]
        found = stories.stories(self.facts.of(self.looking.attempt), self.facts.verdict(self.looking.attempt)["finding_id"])
        # Every screen has a subject, also one that is shown before the findings are.
        known = [one for one in found if self.looking.finding_id in [finding["finding_id"] for finding in one.findings]]
        if known or found:
            stories.choose(self.looking, (known or found)[0], self.zero_us)
        self.switch_mode(screen)

    def keep(self) -> None:
        """Writes down what is looked at, when that has changed: a dropped connection loses nothing."""
        if self.facts is None or self.tour is not None:
            return
        state = repr((self.facts.path, self.current_mode, self.looking))
        if state != self._kept:
            self._kept = state
            view.save(self.looking, self.facts.path, str(self.current_mode))
            last.keep(self.wanted, self.facts.path)

    def action_tour(self, by: int) -> None:
        """Another step of the tour."""
        if self.tour is None:
            return
        before = self.tour.step.sample
        if not self.tour.move(by):
            self.say("that was the last step; q leaves" if by > 0 else "this is the first step")
        elif self.tour.step.sample == before:
            # A case that is still being read opens on the step's screen by itself.
            if self.facts is not None:
                self.switch_mode(self.tour.step.screen)
        else:
            if self.scan is not None:
                self.scan.stop()
            self.facts, self.desk = None, None
            self.switch_mode("triage")
            self.read(self.tour.evidence)
        self.redraw()

    def on_told(self, message: Told) -> None:
        """A scan goes on, or has failed."""
        if self.facts is not None:
            # The case of before stays: what was read last time, or what is read so far.
            if message.is_over:
                self.say(f"not read again: {message.text}")
            elif self.facts.reading:
                self.progress = message.text
                self.frame()
            return
        self.waiting, self.failure = message.text, message.text if message.is_over else ""
        self.redraw()

    # -- screens ------------------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """What was said has been read. Keys typed ahead of a prompt are its text and no commands."""
        prompt = self.here.query_one(Prompt) if self.here is not None else None
        if prompt is not None and prompt.display and event.is_printable and event.character:
            prompt.type(event.character)
            event.stop().prevent_default()
        if self.note:
            self.note = ""
            self.frame()

    def go(self, mode: str) -> None:
        """Shows another screen; without a case the list of them is the first."""
        if self.facts is None and self.current_mode == "fleet" and mode == "triage":
            self.switch_mode("cases")
        if self.facts is not None and not isinstance(self.screen, Help):
            self.switch_mode(mode)

    def choose(self, finding_id: str) -> None:
        """Shows a finding."""
        self.looking.finding_id = finding_id
        self.go("triage")
        self.redraw()

    def action_go(self, mode: str) -> None:
        """A digit."""
        self.go(mode)

    def action_fleet(self) -> None:
        """What recurs across the cases; there is nothing to compare with in a case alone."""
        if self.wanted.is_folder and not isinstance(self.screen, Help):
            self.switch_mode("fleet")
        else:
            self.say("6 looks across a folder of cases, and this is one case")

    async def action_back(self) -> None:
        """One step back; never quits."""
        if self.here is not None and self.here.stop_search():
            self.say("search stopped")
        elif self.here is not None and not self.here.back() and self.current_mode not in ("triage", "cases"):
            self.switch_mode("cases" if self.current_mode == "fleet" else "triage")

    def action_leave(self) -> None:
        """Back to Triage, from there to the list of cases, from there out."""
        if self.current_mode == "cases" or (self.current_mode == "triage" and not self.wanted.is_folder):
            self.action_leave_at_once()
        else:
            self.switch_mode("cases" if self.current_mode in ("triage", "fleet") else "triage")

    def action_leave_at_once(self) -> None:
        """Out; what was marked and filtered is kept."""
        if self.scan is not None:
            self.scan.stop()
        if self.tour is not None:
            self.tour.stop()
        self.keep()
        self.exit(0)

    def action_help(self) -> None:
        """What every key does."""
        if self.here is not None:
            self.push_screen(Help(self.here, self))

    def get_system_commands(self, screen: Screen[Any]) -> Any:
        """The palette: every action by name, then ranks, hosts and rules."""
        del screen
        for title, text, work in actions.commands(self):
            yield SystemCommand(title, text, work)
