"""What is in one cell of the timeline: records, what its ranks were doing, and the metrics nearby."""

from dataclasses import dataclass
from typing import Any

from ncclscope import console, timeline
from ncclscope.timeline import Axis
from ncclscope.tui import metrics, paint, stages, zone
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import when
from ncclscope.tui.grids import GridRow
from ncclscope.tui.metrics import Series
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.stages import Stages

_SAID = """
SELECT severity, kind, count(*) AS n, min(message) AS message, count(DISTINCT coalesce(CAST(rank AS VARCHAR), host)) AS who
FROM log
WHERE at_us >= $began AND at_us < $ended
  AND (rank IN (SELECT unnest($members::INTEGER[])) OR (rank IS NULL AND coalesce(host, name, '?') = $name))
GROUP BY severity, kind ORDER BY severity DESC, n DESC, kind LIMIT 8
"""
_DOING = """
SELECT state, why, count(DISTINCT rank) AS ranks, min(began) AS began, max(ended) AS ended, min(seq) AS seq, max(step) AS step
FROM intervals
WHERE rank IN (SELECT unnest($members::INTEGER[])) AND attempt IS NOT DISTINCT FROM $attempt
  AND epoch_us(ended) >= $began AND epoch_us(began) < $ended
GROUP BY state, why ORDER BY ALL
"""
# The operation that is overdue in an interval: what it was, and how many have got to it.
_OPERATION = """
SELECT comm, count(DISTINCT rank) AS ranks, count(DISTINCT rank) FILTER (WHERE entered >= $number) AS entered,
       count(DISTINCT rank) FILTER (WHERE completed >= $number) AS completed,
       list(DISTINCT rank ORDER BY rank) FILTER (WHERE entered < $number) AS behind
FROM progress WHERE attempt IS NOT DISTINCT FROM $attempt
GROUP BY comm HAVING count(*) FILTER (WHERE entered >= $number AND list_contains($members::INTEGER[], rank)) > 0
ORDER BY ranks DESC, comm LIMIT 2
"""
_CALL = """
SELECT op, max(in_bytes) AS in_bytes FROM collectives
WHERE attempt IS NOT DISTINCT FROM $attempt AND seq = $number AND comm = $comm GROUP BY op ORDER BY count(*) DESC LIMIT 1
"""
_GPUS = "SELECT DISTINCT host, gpu FROM ranks WHERE attempt IS NOT DISTINCT FROM $attempt AND list_contains($members::INTEGER[], rank)"
_SIGNS = {0: " ", 1: " ", 2: "!", 3: "X", 4: "X"}
_STATE = {word: sign for sign, word in timeline.WORDS.items()}


@dataclass(frozen=True, slots=True)
class Cell:
    """A row of the timeline in one column: what was said, what its ranks did, the operations in flight, what was measured."""

    row: GridRow
    column: int
    said: list[dict[str, Any]]
    doing: list[dict[str, Any]]
    operations: list[dict[str, Any]]
    measured: list[Series]
    hosts: tuple[str, ...] = ()
    gpus: tuple[int, ...] = ()


def look(desk: Desk, attempt: int, row: GridRow, axis: Axis | Stages, column: int) -> Cell:
    """What the case knows about a cell."""
    return _ordered(desk, attempt, row, axis, column) if isinstance(axis, Stages) else _timed(desk, attempt, row, axis, column)


def _timed(desk: Desk, attempt: int, row: GridRow, axis: Axis, column: int) -> Cell:
    began = axis.start(column)
    span = {"began": began, "ended": began + axis.width_us}
    members = list(row.members)
    places = desk.ask("cell", _GPUS, {"attempt": attempt, "members": members}) if members else []
    hosts = tuple(sorted({place["host"] for place in places if place["host"]})) if members else (row.name,)
    gpus = sorted({place["gpu"] for place in places if place["gpu"] is not None}) if len(hosts) == 1 else []
    doing = desk.ask("cell", _DOING, {**span, "members": members, "attempt": attempt}) if members else []
    numbers = {one["seq"] for one in doing if one["state"] == "waiting" and one["seq"] is not None}
    return Cell(
        row,
        column,
        desk.ask("cell", _SAID, {**span, "members": members, "name": row.name}),
        doing,
        [found for number in sorted(numbers)[:2] for found in _operations(desk, attempt, number, members)],
        metrics.look(desk, attempt, axis, hosts, gpus),
        hosts,
        tuple(gpus),
    )


def _operations(desk: Desk, attempt: int, number: int, members: list[int]) -> list[dict[str, Any]]:
    given = {"attempt": attempt, "number": number}
    found = desk.ask("cell", _OPERATION, {**given, "members": members})
    return [{"number": number, **one, **_call(desk, attempt, number, one["comm"])} for one in found]


def _call(desk: Desk, attempt: int, number: int, comm: str) -> dict[str, Any]:
    return next(iter(desk.ask("cell", _CALL, {"attempt": attempt, "number": number, "comm": comm})), {})


def _ordered(desk: Desk, attempt: int, row: GridRow, shown: Stages, column: int) -> Cell:
    phase, number = shown.phase(column), shown.number(column)
    said = stages.said(desk, attempt, row.members, phase) if phase is not None else []
    if number is None:
        return Cell(row, column, said, [], [], [])
    # The column's own first operation, or T where the column holds it.
    here = shown.zero if shown.zero is not None and shown.column(shown.zero) == column else number
    found = stages.operation(desk, attempt, shown.comm, here)
    return Cell(row, column, said, [], [{"number": here, "comm": shown.comm, **found}], [])


def title(row: GridRow, axis: Axis | Stages, column: int) -> str:
    """`03:13:52 to 03:13:57 -- node064 r517`, `operation 4711 -- r3`, `net -- 8 ranks`."""
    listed = f"r{timeline.ranges(row.members)}"
    who = f" -- {listed}" if 1 < len(row.members) < 200 and listed != row.name else ""
    if isinstance(axis, Stages):
        phase, number = axis.phase(column), axis.number(column)
        at = f"operation {number}" if phase is None else (*stages.PHASES, "after start-up")[phase]
    else:
        began = zone.shifted(axis).start(column)
        digits = min(axis.width_us, 1_000_000)
        at = f"{timeline.clock(began, digits)} to {timeline.clock(began + axis.width_us, digits)}"
    return paint.safe(f"{at} -- {row.name.strip()}{who}").text


def lines(cell: Cell, label: int) -> list[Line]:
    """The cell in words, then telemetry in the timeline's columns, which begin after `label` cells."""
    out: list[Line] = []
    for said in cell.said:
        sign = _SIGNS[said["severity"]]
        style = {"X": "red", "!": "yellow"}.get(sign, "")
        out.append(paint.line("  ", Span(f"{sign} {said['n']:>5,} ", style), paint.safe(said["message"] or said["kind"])))
    out += [_doing(doing, len(cell.row.members)) for doing in cell.doing]
    out += [line for operation in cell.operations for line in _operation(operation)]
    if cell.row.note:
        out.append(paint.line(f"  {cell.row.note}"))
    elif not out:
        out.append(paint.line("  nothing was logged here"))
    who = cell.hosts[0] if len(cell.hosts) == 1 else f"{len(cell.hosts)} hosts"
    # Of several GPUs the hottest, and the one with the slowest clock, are drawn.
    who += f" gpu {timeline.ranges(cell.gpus)}" if cell.gpus else ", its worst GPU"
    return [*out, *metrics.lines(cell.measured, cell.column, label, who)]


def _operation(found: dict[str, Any]) -> list[Line]:
    """`operation 4711  ALLREDUCE  16.8 MB  of default_pg: called by 15 of 16 ranks, completed on none; behind: r3`."""
    size = f"  {console.size(found['in_bytes'])}" if found.get("in_bytes") else ""
    what = f"{found['op']}  " if found.get("op") else ""
    done = f"completed on {found['completed']:,}" if found["completed"] else "completed on none"
    group = paint.safe(f"{what}of {found['comm']}{size}").text
    head = paint.line(f"  operation {found['number']}  {group}")
    text = f"    called by {found['entered']:,} of {found['ranks']:,} ranks, {done}"
    behind = found.get("behind") or []
    if behind and found["entered"]:
        text += f"; not by r{timeline.ranges(behind)[:60]}"
    return [head, paint.line(text)]


def _doing(doing: dict[str, Any], members: int) -> Line:
    state = doing["state"]
    sign = _STATE.get(state, " ")
    seq = f", operation {doing['seq']}" if doing["seq"] is not None else ""
    step = f", step {doing['step']:,}" if doing["step"] is not None else ""
    many = f" {doing['ranks']:,} of {members:,} ranks" if members > 1 else ""
    span = f" since {when(doing['began'])}" if state == "waiting" else f" {when(doing['began'])} to {when(doing['ended'])}"
    if state == "ended":
        span = f" at {when(doing['began'])}"
    head = Span(f"{sign} {state:<9}", paint.STATE_STYLES.get(sign, ""))
    return paint.line("  ", head, f"{many}{span}{seq}{step}", Span(f"  ({doing['why']})", "dim"))
