"""Help over a screen: the focused pane first, then every key. Any list of plain lines is shown the same way."""

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from ncclscope.tui import actions, paint
from ncclscope.tui.lines import Lines
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.screen import CaseScreen

if TYPE_CHECKING:
    from ncclscope.tui.base import Base

LEGEND = "X error  # ended  ! warning  ? waiting  > starting  = working  . alive  blank: a log with nothing in it"
FILTER = "rank:512-519 host:node064 kind:nccl.net.* source:kernel sev>=warning after:03:10 before:03:20 file:x.log text; - hides"


class Help(ModalScreen[None]):
    """A page of lines; esc or q closes it."""

    CSS = "Help { background: ansi_default; } Help Lines { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "app.pop_screen", "close", id="help.close", show=False),
    ]

    def __init__(self, under: "CaseScreen", app: "Base", lines: list[str] | None = None) -> None:
        super().__init__()
        self.title_text = "help -- esc closes" if lines is None else "marked lines -- esc closes"
        self.lines = keys(under, app) if lines is None else [paint.line("  ", paint.safe(line)) for line in lines]

    def compose(self) -> ComposeResult:
        """One list."""
        yield Lines("help")

    def on_mount(self) -> None:
        """Fills it."""
        pane = self.query_one(Lines)
        pane.fill(len(self.lines), lambda index, width: self.lines[index], self.title_text)
        pane.focus()


def keys(under: "CaseScreen", app: "Base") -> list[Line]:
    """What this screen is, its keys, those of lists, then those that work everywhere."""
    focused = under.focused
    kinds = [kind for kind in (type(focused), *type(under).__mro__) if kind is not Lines and issubclass(kind, (Lines, CaseScreen))]
    own = [binding for kind in kinds for binding in vars(kind).get("BINDINGS", ())]
    out = [paint.line(line) for line in paint.wrap(under.ABOUT, 78, "  ")]
    for name, bindings in (("this screen", own), ("lists", Lines.BINDINGS), ("everywhere", app.BINDINGS)):
        out += [paint.EMPTY, paint.line("  ", Span(name, "bold"))]
        out += [
            paint.line("    ", Span(f"{actions.shown(b.key):<18}", "cyan"), b.description)
            for b in bindings
            if isinstance(b, Binding) and b.description
        ]
    out.append(paint.line("    ", Span(f"{':':<18}", "cyan"), "command palette: every action, host, rank and rule by name"))
    for name, text in (("timeline", LEGEND), ("filter words", FILTER)):
        out += [paint.EMPTY, paint.line("  ", Span(name, "bold")), *(paint.line(line) for line in paint.wrap(text, 78, "    "))]
    return out
