"""What recurs across a folder of cases: hosts, GPUs and devices that are named more often than chance would have it."""

from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.widget import Widget

from ncclscope import fleet
from ncclscope.formats import wording
from ncclscope.tui import paint
from ncclscope.tui.lines import Lines
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.screen import Answer, CaseScreen

_WORDS = {"hosts": "host", "gpus": "GPU", "devices": "device"}


class Fleet(CaseScreen):
    """Parts that were named, the most conspicuous first, and below them the cases of the one under the cursor."""

    PLACE = 6
    ABOUT = "Parts that verdicts name, those that chance does not explain first. enter lists the cases of a part; there enter opens one."
    HINTS: ClassVar = (("enter", "its cases"), ("1", "cases"), ("/", "search"), ("y", "copy"))

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, Any]] = []
        self.told: dict[str, Any] = {}

    def panes(self) -> list[Widget]:
        """Parts, and cases."""
        return [Lines("parts"), Lines("named")]

    def head_lines(self, width: int, height: int) -> list[Any]:
        """How many cases, and how they ended."""
        del height
        ended = ", ".join(f"{count} {wording.WORDS.get(word, word)}" for word, count in self.told.get("verdicts", {}).items())
        left = paint.line(Span("ncclscope", "bold"), f"  {wording.count(len(self.scope.wanted.cases), 'case')}  {ended}")
        return [paint.spread(left, paint.line(Span("[6]", "bold")), width)]

    def lay_out(self, width: int, height: int) -> None:
        """The cases have a third."""
        del width
        self.query_one("#named", Lines).styles.height = max(height // 3, 3)

    def on_mount(self) -> None:
        """Looks at every case, beside the interface."""
        super().on_mount()
        pane = self.query_one("#parts", Lines)
        pane.empty = "reading the cases"
        pane.focus()
        self._tickets["fleet"] = 1
        self.run_worker(self._read, thread=True, group="fleet")

    def redraw(self) -> None:
        """The list, which needs no open case."""
        if self.is_mounted and self.size.width:
            self.frame()

    def _read(self) -> None:
        folder = self.scope.wanted.cases[0].parent
        self.post_message(Answer("fleet", 1, fleet.as_told(folder)))

    def answer_fleet(self, told: dict[str, Any]) -> None:
        """The parts are known."""
        self.told = told
        found = [
            {**part, "level": level, "looked_at": said["looked_at"]} for level, said in told["levels"].items() for part in said["named"]
        ]
        self.rows = sorted(found, key=lambda part: (not part["conspicuous"], part["p"], -part["named"], part["name"]))
        pane = self.query_one("#parts", Lines)
        pane.empty = "no case names a part"
        sure = sum(part["conspicuous"] for part in self.rows)
        pane.above = [paint.line(Span(f"  {'part':<7} {'name':<30} {'named':>5} {'of':>6}  {'p':>8}", "bold"))]
        pane.fill(
            len(self.rows), self._line, f"parts named by verdicts -- {len(self.rows)}, {sure} of them more often than by chance", cursor=0
        )
        self._show_cases()
        self.frame()

    def _line(self, index: int, width: int) -> Line:
        del width
        part = self.rows[index]
        name = paint.pad(paint.safe(part["name"]).text, 30)
        text = f"{_WORDS.get(part['level'], part['level']):<7} {name} {part['named']:>5} {part['used']:>6}"
        note = "keeps coming back" if part["conspicuous"] else "may be chance"
        return paint.line(
            "  ",
            Span(text, "bold" if part["conspicuous"] else ""),
            f"  {part['p']:>8.2g}  ",
            Span(note, "red" if part["conspicuous"] else "dim"),
        )

    def _show_cases(self) -> None:
        pane = self.query_one("#named", Lines)
        part = self._here()
        names = [str(name) for name in part["cases"]] if part else []
        pane.fill(
            len(names),
            lambda index, width: paint.line("  ", paint.safe(names[index])),
            f"cases that name {paint.safe(part['name']).text}" if part else "cases",
            0,
        )

    def _here(self) -> dict[str, Any] | None:
        pane = self.query_one("#parts", Lines)
        return self.rows[pane.cursor] if pane.cursor < len(self.rows) else None

    @on(Lines.Moved, "#parts")
    def _moved(self) -> None:
        self._show_cases()

    @on(Lines.Opened)
    def _opened(self, message: Lines.Opened) -> None:
        message.stop()
        part = self._here()
        if message.lines.id == "parts":
            self.query_one("#named", Lines).focus()
        elif part is not None:
            name = part["cases"][message.lines.cursor]
            path = next((path for path in self.scope.wanted.cases if path.name == name), None)
            if path is not None:
                self.scope.enter(Path(path))

    def back(self) -> bool:
        """From the cases to the parts."""
        if self.focused is not self.query_one("#named"):
            return False
        self.query_one("#parts", Lines).focus()
        return True

    def copied(self) -> tuple[str, str]:
        """A part, and the cases that name it."""
        part = self._here()
        if part is None:
            return "", ""
        text = paint.safe(f"{part['name']} named in {part['named']} of {part['used']} cases, p {part['p']:.2g}").text
        return text, f"{text}: {', '.join(paint.safe(name).text for name in part['cases'])}"

    def search(self, pattern: str, by: int) -> None:
        """Rows as they are shown."""
        self.scope.search_lines(self.focused if isinstance(self.focused, Lines) else self.query_one("#parts", Lines), pattern, by)
