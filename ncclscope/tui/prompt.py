"""One line to type a search or a filter in, above the last two lines; hidden when nobody types."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label


class Prompt(Horizontal):
    """Asks for one line of text."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; }
    Prompt Label { width: auto; }
    Prompt Input { border: none; height: 1; padding: 0; width: 1fr; background: ansi_default; }
    Prompt Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "cancel", id="prompt.cancel", show=False)]

    class Given(Message):
        """Somebody typed a line for a purpose."""

        def __init__(self, purpose: str, text: str) -> None:
            super().__init__()
            self.purpose, self.text = purpose, text

    def __init__(self) -> None:
        super().__init__()
        self.purpose = ""

    def compose(self) -> ComposeResult:
        """A word, and the line."""
        yield Label("", markup=False)
        entry = Input(select_on_focus=False, compact=True)
        entry.cursor_blink = False
        yield entry

    def ask(self, purpose: str, text: str) -> None:
        """Shows itself with a text to change."""
        self.purpose = purpose
        self.query_one(Label).update(Content(f"{purpose}: "))
        entry = self.query_one(Input)
        entry.value = text
        entry.cursor_position = len(text)
        self.display = True
        self.screen.set_focus(entry)  # at once: the next key may be here already

    def type(self, character: str) -> None:
        """Takes a key that was on its way to what had the focus before."""
        self.query_one(Input).insert_text_at_cursor(character)

    def action_cancel(self) -> None:
        """Nothing was asked."""
        self._leave()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The line is done."""
        event.stop()
        self._leave()
        self.post_message(self.Given(self.purpose, event.value))

    def _leave(self) -> None:
        self.display = False
        self.screen.query("Lines").first().focus()
