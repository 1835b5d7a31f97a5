"""Columns for evidence without times: the phases of start-up, then the numbered operations of one group, then what came after."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ncclscope import timeline
from ncclscope.timeline import Axis
from ncclscope.tui.desk import Desk

PHASES = ("boot", "net", "topo", "ring")
# Columns of a phase, where there is room for its name, and where there is not; the last phase holds what was said after start-up.
CELLS, NARROW = 5, 1
ROOM = 50
LAST = "then"

# Kinds of lines that belong to a phase of start-up.
_PHASE = """CASE
  WHEN kind = 'nccl.comm.init' AND fields['phase'] = 'COMPLETE' THEN 4
  WHEN kind SIMILAR TO 'nccl\\.(channels|trees|ring|tree|connected|op)\\b.*' THEN 3
  WHEN kind SIMILAR TO 'nccl\\.(topo|graph|nvls|collnet|comm\\.nodes|comm\\.rank|gdr\\.pair)\\b.*' THEN 2
  WHEN kind SIMILAR TO 'nccl\\.(net|gdr|ofi|plugin)\\b.*' THEN 1
  WHEN kind LIKE 'nccl.%' THEN 0 END"""
_TOLD = f"""
SELECT rank AS who, file_id, line, part, severity, kind, message, {_PHASE} AS phase
FROM events
WHERE rank IS NOT NULL AND attempt IS NOT DISTINCT FROM $attempt AND NOT duplicate AND (severity >= 2 OR kind LIKE 'nccl.%')
"""
# Where in start-up each line of a rank stands: the furthest phase that the lines above it have reached.
_PLACED = f"""
told AS ({_TOLD}),
placed AS (
  SELECT *, coalesce(max(phase) OVER (PARTITION BY who, file_id ORDER BY line, part), 4) AS stage FROM told)
"""
_GROUPS = """
SELECT comm, count(DISTINCT rank) AS ranks, min(coalesce(first, least(completed, entered - 1))) AS low, max(entered) AS high,
       min(entered) AS behind, min(completed) AS done
FROM progress WHERE attempt IS NOT DISTINCT FROM $attempt GROUP BY comm
ORDER BY comm IS NOT DISTINCT FROM $wanted DESC, ranks DESC, high - behind DESC, comm
"""
_CELLS = f"""
WITH {_PLACED},
reached AS (
  SELECT t.who, max(t.stage) AS stage, coalesce(bool_or(c.outcome = 'started'), false) AS is_open
  FROM placed t
  LEFT JOIN communicators c ON c.rank = t.who AND c.attempt IS NOT DISTINCT FROM $attempt
  WHERE t.phase IS NOT NULL GROUP BY t.who),
member AS (
  SELECT rank AS who, max(coalesce(completed, entered)) AS completed, max(entered) AS entered
  FROM progress WHERE attempt IS NOT DISTINCT FROM $attempt AND comm = $comm GROUP BY rank),
said AS (
  SELECT who, 0 AS a, $cells * least(stage + 1, 4) - 1 AS b, 4 AS state FROM reached
  -- what few ranks log sets none of them apart
  WHERE 2 * (SELECT count(*) FROM reached) >= (SELECT count(*) FROM ranks WHERE given AND attempt IS NOT DISTINCT FROM $attempt)
  UNION ALL   -- start-up is over, and there is a log
  SELECT who, $after, $after + $cells - 1, 6 FROM reached WHERE stage >= 4
  UNION ALL   -- begun, and not complete where others went on
  SELECT who, $cells * (stage + 1) - 1, $cells * (stage + 1) - 1, 3 FROM reached WHERE is_open AND stage < 4
  UNION ALL
  SELECT who, CASE WHEN stage < 4 THEN $cells * stage ELSE $after END, CASE WHEN stage < 4 THEN $cells * stage ELSE $after END,
         CASE WHEN severity >= 3 THEN 0 ELSE 2 END
  FROM placed WHERE severity >= 2
  UNION ALL
  SELECT who, 4 * $cells, 4 * $cells + least((least(completed, entered, $zero - 1) - $began) // $width, $columns - 1), 5
  FROM member WHERE least(completed, entered, $zero - 1) >= $began
  UNION ALL
  SELECT who, 4 * $cells + greatest((open - $began) // $width, 0), 4 * $cells + least((entered - $began) // $width, $columns - 1), 3
  FROM (SELECT *, least(completed + 1, $zero) AS open FROM member)
  WHERE entered >= open AND entered >= $began AND open < $began + $width::BIGINT * $columns
  UNION ALL
  SELECT rank, $after + $cells - 1, $after + $cells - 1, 1 FROM ranks
  WHERE attempt IS NOT DISTINCT FROM $attempt AND (exit_code > 0 OR signal IS NOT NULL)
  UNION ALL SELECT rank, 0, 0, 7 FROM ranks WHERE given AND attempt IS NOT DISTINCT FROM $attempt),
story AS (SELECT who, list([CAST(a AS INTEGER), CAST(b AS INTEGER), CAST(state AS INTEGER)] ORDER BY a, b, state) AS said
          FROM (SELECT DISTINCT * FROM said WHERE a <= b) GROUP BY who)
SELECT said, list(who ORDER BY who) AS members FROM story GROUP BY said
"""
_SAID = f"""
WITH {_PLACED}
SELECT severity, kind, count(*) AS n, min(message) AS message FROM placed
WHERE stage = $phase AND (phase IS NOT NULL OR severity >= 2) AND who IN (SELECT unnest($members::INTEGER[]))
GROUP BY severity, kind ORDER BY severity DESC, n DESC, kind LIMIT 8
"""
_FIRST = f"""
WITH {_PLACED}
SELECT file_id, line, part FROM placed
WHERE who IN (SELECT unnest($members::INTEGER[])) ORDER BY stage <> $phase, severity < 2, who, file_id, line, part LIMIT 1
"""
_OPERATION = """
SELECT count(DISTINCT rank) AS ranks, count(DISTINCT rank) FILTER (WHERE entered >= $number) AS entered,
       count(DISTINCT rank) FILTER (WHERE completed >= $number) AS completed,
       list(DISTINCT rank ORDER BY rank) FILTER (WHERE entered < $number) AS behind
FROM progress WHERE attempt IS NOT DISTINCT FROM $attempt AND comm = $comm
"""
_CALL = """
SELECT op, max(in_bytes) AS in_bytes, max(nranks) AS nranks FROM collectives
WHERE attempt IS NOT DISTINCT FROM $attempt AND comm = $comm AND seq = $number GROUP BY op ORDER BY count(*) DESC LIMIT 1
"""
_TIMED = """
SELECT count(DISTINCT rank) AS timed, (SELECT count(*) FROM ranks WHERE given AND attempt IS NOT DISTINCT FROM $attempt) AS given
FROM intervals WHERE attempt IS NOT DISTINCT FROM $attempt AND state <> 'silent'
"""
NO_ZERO = 2**62


@dataclass(frozen=True, slots=True)
class Stages:
    """Columns: phases, then operations of `comm` by number on an axis of their own, then one more phase."""

    numbers: Axis | None = None
    comm: str = ""
    # The first operation that somebody did not enter, or that nobody completed.
    zero: int | None = None
    # The lowest and the highest number there is.
    low: int = 0
    high: int = 0
    # Columns of a phase.
    cells: int = CELLS

    @property
    def before(self) -> int:
        """The first column of the operations."""
        return self.cells * len(PHASES)

    @property
    def after(self) -> int:
        """The first column after the operations."""
        return self.before + (self.numbers.columns if self.numbers else 0)

    @property
    def columns(self) -> int:
        """All of them."""
        return self.after + self.cells

    def phase(self, column: int) -> int | None:
        """The phase that a column belongs to, 4 for the last; None for an operation."""
        return column // self.cells if column < self.before else len(PHASES) if column >= self.after else None

    def number(self, column: int) -> int | None:
        """The first operation of a column."""
        return self.numbers.start(column - self.before) if self.numbers and self.phase(column) is None else None

    def column(self, number: int) -> int | None:
        """The column of an operation."""
        at = self.numbers.column(number) if self.numbers else None
        return None if at is None else self.before + at


def fit(comm: str, low: int, high: int, zero: int | None, columns: int) -> Stages:
    """One operation a column up to the last one where T is still in sight; else the narrowest round width that shows it."""
    cells, room = _room(columns)
    must = low if zero is None else max(min(zero - room // 4, high), low)
    if high - must < room:
        began = max(low, high - room + 1)
        return Stages(Axis(began, 1, high - began + 1), comm, zero, low, high, cells)
    return Stages(timeline.fit(must, high, room), comm, zero, low, high, cells)


def _room(columns: int) -> tuple[int, int]:
    """Columns of a phase, and of all operations."""
    cells = CELLS if columns >= ROOM else NARROW
    return cells, max(columns - cells * (len(PHASES) + 1), 1)


def zoom(stages: Stages, around: int, steps: int, columns: int) -> Stages:
    """Fewer or more operations a column."""
    if stages.numbers is None:
        return stages
    cells, room = _room(columns)
    return replace(stages, numbers=timeline.zoom(stages.numbers, around, steps, room), cells=cells)


def ruler(stages: Stages) -> tuple[str, str]:
    """Names of phases and numbers of operations over the columns, `T` over the one where somebody stopped."""
    labels, ticks = [" "] * stages.columns, [" "] * stages.columns
    if stages.cells > NARROW:
        for place, name in enumerate((*PHASES, LAST)):
            begin = place * stages.cells if name != LAST else stages.after
            labels[begin : begin + len(name)] = name
    if stages.numbers is None:
        return "".join(labels).rstrip(), "".join(ticks).rstrip()
    at = stages.column(stages.zero) if stages.zero is not None else None
    if at is not None:
        labels[at], ticks[at] = "T", "v"
    step = stages.numbers.width_us * timeline.LABEL
    first = -(-stages.numbers.began_us // step) * step
    for number in range(first, stages.numbers.ended_us, step):
        column, text = stages.column(number), str(number)
        if column is None or column + len(text) > stages.after:
            continue
        if all(letter == " " for letter in labels[max(column - 1, stages.before) : column + len(text) + 1]):
            labels[column : column + len(text)] = text
            ticks[column] = "|"
    return "".join(labels).rstrip(), "".join(ticks).rstrip()


def title(stages: Stages) -> str:
    """What a column is."""
    if stages.numbers is None:
        return "column: phases of start-up; no operation is numbered"
    width = stages.numbers.width_us
    each = "1 operation" if width == 1 else f"{width:,} operations"
    at = f"   T is {stages.zero}" if stages.zero is not None else ""
    return f"column: {each} of {stages.comm}   {stages.low} to {stages.high}{at}"


def groups(desk: Desk, attempt: int, wanted: str = "") -> list[dict[str, Any]]:
    """Groups whose operations are numbered: the wanted one, then the largest."""
    return desk.ask("groups", _GROUPS, {"attempt": attempt, "wanted": wanted})


def plan(desk: Desk, attempt: int, columns: int, wanted: str = "") -> Stages:
    """Columns for an attempt."""
    found = groups(desk, attempt, wanted)
    if not found:
        return Stages(cells=_room(columns)[0])
    row = found[0]
    low, high, behind = row["low"] if row["low"] is not None else row["behind"], row["high"], row["behind"]
    zero = behind + 1 if behind < high else row["done"] + 1 if row["done"] is not None and row["done"] < high else None
    return fit(row["comm"], max(min(low, behind), 0), high, zero, columns)


def is_better(desk: Desk, attempt: int) -> bool:
    """Have so few ranks times that order says more?"""
    row = desk.ask("timed", _TIMED, {"attempt": attempt})[0]
    return bool(row["timed"] * 2 < row["given"])


def cells(desk: Desk, group: str, attempt: int, stages: Stages) -> list[dict[str, Any]]:
    """`said` (from column, to column, state) and `members` of each story."""
    numbers = stages.numbers or Axis(0, 1, 0)
    given = {
        "attempt": attempt,
        "comm": stages.comm,
        "after": stages.after,
        "cells": stages.cells,
        "zero": NO_ZERO if stages.zero is None else stages.zero,
        "began": numbers.began_us,
        "width": numbers.width_us,
        "columns": numbers.columns,
    }
    return desk.ask(group, _CELLS, given)


def said(desk: Desk, attempt: int, members: Sequence[int], phase: int) -> list[dict[str, Any]]:
    """What ranks said in a phase, counted by kind."""
    return desk.ask("cell", _SAID, {"attempt": attempt, "members": list(members), "phase": phase})


def first(desk: Desk, attempt: int, members: Sequence[int], phase: int | None) -> tuple[int, int, int] | None:
    """The first line of ranks in a phase, warnings before others; None where they have none."""
    given = {"attempt": attempt, "members": list(members), "phase": len(PHASES) if phase is None else phase}
    row = next(iter(desk.ask("first", _FIRST, given)), None)
    return (row["file_id"], row["line"], row["part"]) if row else None


def operation(desk: Desk, attempt: int, comm: str, number: int) -> dict[str, Any]:
    """Who entered and who completed an operation, and what it was."""
    given = {"attempt": attempt, "comm": comm, "number": number}
    who = desk.ask("operation", _OPERATION, given)[0]
    return {**who, **next(iter(desk.ask("operation", _CALL, given)), {})}
