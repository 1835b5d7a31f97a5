"""A folder of many cases: one line each, worst first."""

import re
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.widget import Widget

from ncclscope.case import CaseError
from ncclscope.formats import wording
from ncclscope.tui import paint
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import title
from ncclscope.tui.lines import Lines
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.screen import Answer, CaseScreen
from ncclscope.vocabulary import STATUS_COLOURS, STATUSES

# Directories of the cache are called so; those of a batch have the names of their jobs.
_HASH = re.compile("[0-9a-f]{16}")
_QUERY = "SELECT status, sentence, began, ended FROM verdicts WHERE headline"


class Cases(CaseScreen):
    """The list of cases."""

    PLACE = 0
    ABOUT = "The cases of this folder, worst first. enter opens one; q there comes back."
    HINTS: ClassVar = (("enter", "open"), ("6", "fleet"), ("/", "search"), ("g", "top"), ("G", "bottom"))

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, Any]] = []

    def panes(self) -> list[Widget]:
        """The list."""
        return [Lines("cases")]

    def head_lines(self, width: int, height: int) -> list[Any]:
        """How many there are."""
        del height
        return [paint.line(Span("ncclscope", "bold"), f"  {wording.count(len(self.scope.wanted.cases), 'case')}")]

    def on_mount(self) -> None:
        """Reads every verdict, beside the interface."""
        super().on_mount()
        self.query_one(Lines).focus()
        self._tickets["cases"] = 1
        self.run_worker(self._read, thread=True, group="cases")

    def redraw(self) -> None:
        """The list, which needs no open case."""
        if self.is_mounted and self.size.width:
            self.frame()

    def _read(self) -> None:
        self.post_message(Answer("cases", 1, [_summary(path) for path in self.scope.wanted.cases]))

    def answer_cases(self, rows: list[dict[str, Any]]) -> None:
        """The verdicts are here."""
        order = [*STATUSES, ""]
        self.rows = sorted(rows, key=lambda row: (order.index(row["status"]), row["name"]))
        self.query_one(Lines).fill(len(self.rows), self._line, "cases, worst first", cursor=0)

    def _line(self, index: int, width: int) -> Line:
        del width
        row = self.rows[index]
        word = wording.WORDS.get(row["status"], "FAILED")
        style = STATUS_COLOURS.get(row["status"], "red")
        name = paint.pad(paint.safe(row["name"]).text, 20)
        return paint.line("  ", Span(f"{word:<9}", style), f"{name} ", paint.safe(row["sentence"]))

    @on(Lines.Opened)
    def _opened(self, message: Lines.Opened) -> None:
        message.stop()
        self.scope.enter(self.rows[message.lines.cursor]["path"])

    def search(self, pattern: str, by: int) -> None:
        """Rows as they are shown."""
        self.scope.search_lines(self.query_one(Lines), pattern, by)


def _summary(path: Path) -> dict[str, Any]:
    """The headline of a case; a case that cannot be read says why."""
    try:
        desk = Desk(path)
        row = next(iter(desk.ask("summary", _QUERY)), None)
        name = title(desk.case.manifest.get("paths", [])) if _HASH.fullmatch(path.name) else path.name
        desk.case.con.close()
    except CaseError as error:
        return {"path": path, "name": path.name, "status": "", "sentence": str(error)}
    return {"path": path, "name": name, **(row or {"status": "", "sentence": "its scan did not finish"})}
