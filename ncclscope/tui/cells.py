"""What is in one cell of the timeline: records, what its ranks were doing, and the metrics nearby."""

from dataclasses import dataclass
from typing import Any

from ncclscope import timeline
from ncclscope.tui import paint
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import when
from ncclscope.tui.grids import GridRow
from ncclscope.tui.paint import Line, Span

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
_METRICS = """
SELECT coalesce('gpu ' || gpu, device, '') AS what, name, max_by(value, ts) AS value, min(unit) AS unit
FROM metrics
WHERE host = $host AND epoch_us(ts) BETWEEN $began - 60000000 AND $ended + 60000000
GROUP BY 1, name ORDER BY ALL LIMIT 24
"""
_SIGNS = {0: " ", 1: " ", 2: "!", 3: "X", 4: "X"}
_STATE = {word: sign for sign, word in timeline.WORDS.items()}


@dataclass(frozen=True, slots=True)
class Cell:
    """A row of the timeline between two times."""

    row: GridRow
    began_us: int
    ended_us: int
    said: list[dict[str, Any]]
    doing: list[dict[str, Any]]
    metrics: list[dict[str, Any]]


def look(desk: Desk, attempt: int, row: GridRow, host: str, began_us: int, ended_us: int) -> Cell:
    """What the case knows about a cell."""
    span = {"began": began_us, "ended": ended_us}
    members = list(row.members)
    return Cell(
        row,
        began_us,
        ended_us,
        desk.ask("cell", _SAID, {**span, "members": members, "name": row.name}),
        desk.ask("cell", _DOING, {**span, "members": members, "attempt": attempt}) if members else [],
        desk.ask("cell", _METRICS, {**span, "host": host}) if host else [],
    )


def title(row: GridRow, began_us: int, ended_us: int) -> str:
    """`03:13:52 to 03:13:57 -- node064 r517`."""
    width = ended_us - began_us
    listed = f"r{timeline.ranges(row.members)}"
    who = f" -- {listed}" if 1 < len(row.members) < 200 and listed != row.name else ""
    digits = min(width, 1_000_000)
    return paint.safe(f"{timeline.clock(began_us, digits)} to {timeline.clock(ended_us, digits)} -- {row.name}{who}").text


def lines(cell: Cell, width: int) -> list[Line]:
    """The cell in words."""
    out: list[Line] = []
    for said in cell.said:
        sign = _SIGNS[said["severity"]]
        style = {"X": "red", "!": "yellow"}.get(sign, "")
        out.append(paint.line("  ", Span(f"{sign} {said['n']:>5,} ", style), paint.safe(said["message"] or said["kind"])))
    for doing in cell.doing:
        out.append(_doing(doing, len(cell.row.members)))
    if cell.row.note:
        out.append(paint.line(f"  {cell.row.note}"))
    elif not out:
        out.append(paint.line("  nothing was logged here"))
    out += _metrics(cell.metrics, width)
    return out


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


def _metrics(rows: list[dict[str, Any]], width: int) -> list[Line]:
    if not rows:
        return []
    parts = [paint.safe(f"{row['what']} {row['name']} {row['value']:g}{' ' + row['unit'] if row['unit'] else ''}").text for row in rows]
    wrapped = paint.wrap("   ".join(parts), width - 12)
    return [paint.EMPTY, *(paint.line(Span("  metrics   " if n == 0 else " " * 12, "dim"), text) for n, text in enumerate(wrapped[:4]))]
