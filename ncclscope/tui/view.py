"""What the person is looking at: shared by all screens of a case, kept from one session to the next."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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


def save(view: View, case: Path, screen: str = "triage") -> None:
    """Keeps what is looked at in the case's directory; a directory that cannot be written keeps nothing."""
    content = {
        "filter": view.filter.text,
        "by_clock": view.by_clock,
        "marks": [[*key, text] for key, text in view.marks.items()],
        "screen": screen,
        "attempt": view.attempt,
        "finding": view.finding_id,
        "key": view.key and list(view.key),
        "moment_us": view.moment_us,
        "by_order": view.by_order,
        "rows": view.rows,
        "search": view.search,
        "pinned": sorted(view.pinned),
        "axis": view.axis and [view.axis.began_us, view.axis.width_us, view.axis.columns],
    }
    half = case / f"{KEPT}.part"
    try:
        half.write_text(json.dumps(content), "utf-8")
        half.replace(case / KEPT)
    except OSError:
        return


def load(case: Path) -> View:
    """Filter, marks and clock of the last session; a fresh view where there is none that can be read."""
    view = View()
    try:
        content = _kept(case)
        view.by_clock = bool(content["by_clock"])
        view.filter = filters.parse(str(content["filter"]))
        view.marks = {(int(a), int(b), int(c)): str(text) for a, b, c, text in content["marks"]}
    except (OSError, ValueError, KeyError, TypeError):
        return View()
    return view


def resume(view: View, case: Path) -> str:
    """Stands where the last session stood; the screen it showed, `triage` where nobody knows."""
    try:
        content = _kept(case)
        screen, rows = str(content["screen"]), str(content["rows"])
        key, axis = content["key"], content["axis"]
        found = (
            int(content["attempt"]),
            str(content["finding"]),
            (int(key[0]), int(key[1]), int(key[2])) if key else None,
            None if content["moment_us"] is None else int(content["moment_us"]),
            Axis(int(axis[0]), max(int(axis[1]), 1), min(max(int(axis[2]), 1), 1000)) if axis else None,
            None if content["by_order"] is None else bool(content["by_order"]),
            str(content["search"]),
            {str(name) for name in content["pinned"]},
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return "triage"
    view.attempt, view.finding_id, view.key, view.moment_us, view.axis, view.by_order, view.search, view.pinned = found
    view.rows = rows if rows in ROWS else view.rows
    return screen if screen in ("triage", "timeline", "events", "ranks", "files") else "triage"


def _kept(case: Path) -> dict[str, Any]:
    content = json.loads((case / KEPT).read_text("utf-8"))
    if not isinstance(content, dict):
        raise TypeError
    return content
