"""Separates the attempts of a job that was restarted inside one log."""

import itertools
from collections import defaultdict
from datetime import datetime
from typing import Any

from ncclscope.case import Case

_END = 2**62
_FAR = datetime(9999, 1, 1)


def separate(case: Case) -> None:
    """Writes which lines of a source, and which times elsewhere, belong to which attempt; nothing where there is one."""
    starts = _starts(case)
    if not any(attempt for marks in starts.values() for _, attempt, _ in marks):
        return
    rows: list[list[Any]] = []
    began: dict[int, datetime] = {}
    for file_id, marks in sorted(starts.items()):
        edges = [(0, 0, None), *marks, (_END, 0, None)]
        for (line, attempt, ts), (to_line, _, _) in itertools.pairwise(edges):
            if to_line > line:
                rows.append([file_id, line, to_line, attempt])
            if ts is not None:
                began[attempt] = min(began.get(attempt, ts), ts)
    case.write("spans", rows)
    order = sorted(began)
    ends = [began[attempt] for attempt in order[1:]] + [_FAR]
    windows = [[attempt, began[attempt], end] for attempt, end in zip(order, ends, strict=True)]
    if windows:
        windows[0][1] = datetime(1900, 1, 1)
        case.write("windows", windows)


def _starts(case: Case) -> dict[int, list[tuple[int, int, datetime | None]]]:
    """For each source the lines at which an attempt begins: (line, attempt, time).

    The agent's `restart_count` counts for sure; where only restarts are announced, they are counted.
    """
    marks: dict[int, list[tuple[int, int, datetime | None]]] = defaultdict(list)
    counted = case.sql(
        """SELECT file_id, line, restart_count, ts FROM elastic_rendezvous_complete
        WHERE restart_count IS NOT NULL ORDER BY file_id, line"""
    )
    for file_id, line, attempt, ts in counted:
        if not marks[file_id] or marks[file_id][-1][1] != attempt:
            marks[file_id].append((line, attempt, ts))
    announced = case.sql("SELECT file_id, line, ts FROM elastic_restart ORDER BY file_id, line")
    known = {file_id for file_id, marked in marks.items() if marked}
    for file_id, line, ts in announced:
        if file_id not in known:
            marks[file_id].append((line + 1, len(marks[file_id]) + 1, ts))
    return {file_id: marked for file_id, marked in marks.items() if marked}
