"""Search and filter: what the app's keys for them do."""

from textual import on

from ncclscope.tui import actions, filters
from ncclscope.tui.base import Base
from ncclscope.tui.lines import Lines
from ncclscope.tui.prompt import Prompt


class Narrowing(Base):
    """Keys of the app that look for something or hide something."""

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
            self.say(f"searching {message.text}; esc stops")
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
        self.count(self.counted[1])
        self.redraw()

    def action_again(self, by: int) -> None:
        """The next hit."""
        if self.here is not None and self.looking.search:
            self.here.search(self.looking.search, by)

    def action_error(self, by: int) -> None:
        """The next error."""
        if self.here is not None and self.facts is not None:
            self.here.seek_error(by)

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
