"""What the person is looking at: shared by all screens of a case, kept from one session to the next."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from ncclscope.timeline import Axis
from ncclscope.tui import filters
from ncclscope.tui.filters import Filter
from ncclscope.tui.grids import Look
from ncclscope.tui.stages import Stages

Key = tuple[int, int, int]
ROWS = ("herd", "host", "communicator", "rank")
KEPT = "session.json"


@dataclass(slots=True)
class View:
    """Selection, filter, window, cursor time, marks."""

    attempt: int = 0
    finding_id: str = ""
    ranks: frozenset[int] = frozenset()
    hosts: frozenset[str] = frozenset()
    key: Key | None = None
    moment_us: int | None = None
    zero_us: int | None = None
    axis: Axis | None = None
    # Columns by order of operations instead of by time; see `grids.Look`.
    by_order: bool | None = None
    stages: Stages | None = None
    group: str = ""
    by_clock: bool = False
    rows: str = "herd"
    pinned: set[str] = field(default_factory=set)
    unfolded: set[str] = field(default_factory=set)
    filter: Filter = field(default_factory=Filter)
    undo: list[Filter] = field(default_factory=list)
    search: str = ""
    marks: dict[Key, str] = field(default_factory=dict)

    @property
    def look(self) -> Look:
        """What a timeline is to show."""
        return Look(self.axis, self.stages, self.by_order, self.group, self.filter.text, self.rows == "communicator")

    def narrow(self, text: str) -> None:
        """Another filter. Raises FilterError."""
        wanted = filters.parse(text)
        if wanted != self.filter:
            self.undo.append(self.filter)
            self.filter = wanted

    def widen(self) -> bool:
        """The filter before the last change; False if there was none."""
        if self.undo:
            self.filter = self.undo.pop()
            return True
        return False


def save(view: View, case: Path) -> None:
    """Keeps filter and marks in the case's directory; a directory that cannot be written keeps nothing."""
    content = {"filter": view.filter.text, "by_clock": view.by_clock, "marks": [[*key, text] for key, text in view.marks.items()]}
    half = case / f"{KEPT}.part"
    try:
        half.write_text(json.dumps(content), "utf-8")
        half.replace(case / KEPT)
    except OSError:
        return


def load(case: Path) -> View:
    """The view of the last session; a fresh one where there is none that can be read."""
    view = View()
    try:
        content = json.loads((case / KEPT).read_text("utf-8"))
        view.by_clock = bool(content["by_clock"])
        view.filter = filters.parse(str(content["filter"]))
        view.marks = {(int(a), int(b), int(c)): str(text) for a, b, c, text in content["marks"]}
    except (OSError, ValueError, KeyError, TypeError):
        return View()
    return view
