"""Small things that the app does: one-row questions, searching rows, and what the palette lists."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from textual.binding import Binding

from ncclscope.case import CaseError
from ncclscope.tui import paint
from ncclscope.tui.desk import Abandoned, Desk
from ncclscope.tui.lines import Lines

if TYPE_CHECKING:
    from ncclscope.tui.app import Scope

# Rows of a pane that a search looks at: enough for any list of findings, ranks or files.
SEARCHED = 50_000


def one(desk: Desk, group: str, query: str, parameters: Sequence[object] = ()) -> dict[str, Any] | None:
    """The first row, or None where there is none or nobody waits for it."""
    try:
        return next(iter(desk.ask(group, query, parameters)), None)
    except (Abandoned, CaseError):
        return None


def find_line(pane: Lines, pattern: str, by: int) -> int | None:
    """The next row that holds a text, from the cursor on and round; letters of either case."""
    wanted = pattern.lower()
    for step in range(1, min(pane.count, SEARCHED) + 1):
        index = (pane.cursor + by * step) % pane.count
        if wanted in paint.plain(pane.get(index, 400)).lower():
            return index
    return None


def commands(app: "Scope") -> Iterator[tuple[str, str, Callable[[], object]]]:
    """Every action by name, then every host, rank and rule that a finding names."""
    for binding in app.BINDINGS:
        if isinstance(binding, Binding) and binding.description:
            yield binding.description, f"key {shown(binding.key)}", _action(app, binding.action)
    if app.facts is None:
        return
    # The palette reads its titles as markup, so a name that is none stays out of it.
    for host in sorted({host for host in app.facts.hosts.values() if _NAME.fullmatch(host)}):
        yield f"host {host}", "show only this host", _narrow(app, f"host:{host}")
    for finding in app.facts.of(app.looking.attempt):
        if _NAME.fullmatch(finding["rule"]):
            yield f"rule {finding['rule']}", "show its finding", _choose(app, finding["finding_id"])
    for rank in sorted(app.facts.hosts):
        yield f"rank {rank}", "show only this rank", _narrow(app, f"rank:{rank}")


def _action(app: "Scope", action: str) -> Callable[[], object]:
    return lambda: app.run_worker(app.run_action(action))


def _choose(app: "Scope", finding_id: str) -> Callable[[], object]:
    return lambda: app.choose(finding_id)


def _narrow(app: "Scope", word: str) -> Callable[[], object]:
    return lambda: app.narrow(word)


_NAME = re.compile(r"[\w.:-]{1,80}")
_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "apostrophe": "'",
    "plus": "+",
    "minus": "-",
    "colon": ":",
    "escape": "esc",
}


def shown(keys: str) -> str:
    """Keys as a person reads them: `? or F1`."""
    return " ".join(_NAMES.get(key.strip(), key.strip()) for key in re.split(",", keys))
