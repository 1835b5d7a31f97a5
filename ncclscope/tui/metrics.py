"""Telemetry of a row of the timeline: small graphs of characters in the timeline's own columns, lowest `_` to highest `#`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ncclscope.timeline import Axis
from ncclscope.tui import paint
from ncclscope.tui.desk import Desk
from ncclscope.tui.paint import Line, Span

LEVELS = "_.:-=+*#"
# What a GPU is asked first: pattern, short name, and which of several samples tells most.
GAUGES = (
    (r"(?i)(^|_)temp.*gpu|gpu_temp|^temp(erature)?$", "temp", max),
    (r"(?i)clock.*sm|sm_clock|^sclk", "clk", min),
    (r"(?i)power.*(draw|usage)|^power$", "power", max),
    (r"(?i)util.*gpu|gpu_util", "util", min),
)
# Counters worth a line, the gravest first; each is drawn by what it grew.
COUNTERS = ("down", "symbol", "retry", "timeout", "retrans", "crc", "discard", "drop", "out_of", "seq_err", "err", "wait", "cnp")
MOST = 4
# More hosts are a herd whose samples are too many to be asked for.
HOSTS = 64
_SAMPLES = """
WITH mine AS (
  SELECT host, gpu, coalesce(device, CAST(gpu AS VARCHAR), '') AS what, name, unit, mode, value, epoch_us(ts) AS us
  FROM metrics
  WHERE list_contains($hosts, host) AND ts IS NOT NULL AND attempt IS NOT DISTINCT FROM $attempt AND NOT duplicate
    AND (gpu IS NULL OR len($gpus) = 0 OR list_contains($gpus, gpu))
    AND epoch_us(ts) >= $began - 10 * $width::BIGINT AND epoch_us(ts) < $began + $width::BIGINT * $columns),
stepped AS (
  SELECT *, value - lag(value) OVER (PARTITION BY host, what, name ORDER BY us) AS grown FROM mine)
SELECT name, min(unit) AS unit, coalesce(mode = 'counter', false) AS is_counter, CAST((us - $began) // $width AS INTEGER) AS col,
       CAST(min(value) AS DOUBLE) AS low, CAST(max(value) AS DOUBLE) AS high, CAST(sum(grown) FILTER (WHERE grown > 0) AS DOUBLE) AS grown
FROM stepped WHERE us >= $began GROUP BY ALL ORDER BY name, col
"""


@dataclass(frozen=True, slots=True)
class Series:
    """A quantity by column of the timeline; None where there is no sample."""

    name: str
    unit: str
    is_counter: bool
    values: tuple[float | None, ...]


def look(desk: Desk, attempt: int, axis: Axis, hosts: Sequence[str], gpus: Sequence[int]) -> list[Series]:
    """What hosts, and of their GPUs those given, measured in the columns of an axis."""
    if not hosts or len(hosts) > HOSTS:
        return []
    given = {
        "attempt": attempt,
        "hosts": list(hosts),
        "gpus": list(gpus),
        "began": axis.began_us,
        "width": axis.width_us,
        "columns": axis.columns,
    }
    return picked(desk.ask("metrics", _SAMPLES, given), axis.columns)


def picked(rows: Sequence[Mapping[str, Any]], columns: int) -> list[Series]:
    """The gauges that tell most, then counters that grew, the gravest first."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_name.setdefault(row["name"], []).append(row)
    out: list[Series] = []
    for pattern, short, best in GAUGES:
        name = next((name for name in sorted(by_name) if re.search(pattern, name)), None)
        if name is not None and not by_name[name][0]["is_counter"]:
            out.append(_series(by_name[name], short, "high" if best is max else "low", columns))
    grown = [name for name, own in by_name.items() if own[0]["is_counter"] and sum(row["grown"] or 0 for row in own) > 0]
    grave = sorted((place, name) for name in grown if (place := _gravity(name)) is not None)
    out += [_series(by_name[name], name, "grown", columns) for _, name in grave[:MOST]]
    return out


def _gravity(name: str) -> int | None:
    return next((place for place, word in enumerate(COUNTERS) if word in name.lower()), None)


def _series(rows: Sequence[Mapping[str, Any]], name: str, column: str, columns: int) -> Series:
    values: list[float | None] = [None] * columns
    for row in rows:
        if 0 <= row["col"] < columns:
            values[row["col"]] = row[column] if column != "grown" else row[column] or 0.0
    if column != "grown":
        _hold(values)
    return Series(name, rows[0]["unit"] or "", column == "grown", tuple(values))


def _hold(values: list[float | None]) -> None:
    """A gauge stands until its next sample, for as long as samples are usually apart."""
    places = [place for place, value in enumerate(values) if value is not None]
    gaps = sorted(b - a for a, b in pairwise(places))
    usual = gaps[len(gaps) // 2] if gaps else 1
    for place in places:
        for other in range(place + 1, min(place + usual, len(values))):
            if values[other] is None:
                values[other] = values[place]


def graph(values: Sequence[float | None], lowest: float | None = None) -> str:
    """One character a value, by where it stands between the lowest and the highest; a blank where there is none."""
    known = [value for value in values if value is not None]
    if not known:
        return " " * len(values)
    low, high = min(known) if lowest is None else lowest, max(known)
    size = (high - low) or 1.0
    top = len(LEVELS) - 1
    return "".join(" " if value is None else LEVELS[min(max(round((value - low) / size * top), 0), top)] for value in values)


def number(value: float) -> str:
    """At most five characters: `71`, `0.5`, `1980`, `12.1k`, `3.4M`."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if letter == 'k' else size):.3g}{letter}"
    return f"{value:.0f}" if value == int(value) or abs(value) >= 100 else f"{value:.2g}"


def line(series: Series, column: int, label: int) -> Line:
    """`clk 345-1980 MHz ____####____  345`: range, graph in the timeline's columns, and the value under its cursor."""
    known = [value for value in series.values if value is not None]
    now = series.values[column] if 0 <= column < len(series.values) else None
    unit = f" {series.unit}" if series.unit else ""
    if series.is_counter:
        scale, shown = f"+{number(sum(known))}{unit}", graph([value or None for value in series.values], 0.0)
        tail = f"  +{number(now)}" if now else ""
    else:
        low, high = number(min(known)), number(max(known))
        scale, shown = (f"{low}{unit}" if low == high else f"{low}-{high}{unit}"), graph(series.values)
        tail = f"  {number(now)}" if now is not None else ""
    name = paint.safe(series.name).text
    room = label - len(scale) - 4
    head = paint.pad(f"  {paint.pad(name, room) if len(name) > room else name.ljust(room)} {scale}", label)
    return paint.line(Span(head, "dim"), Span(shown[:column]), Span(shown[column : column + 1], "reverse"), Span(shown[column + 1 :]), tail)


def lines(found: Sequence[Series], column: int, label: int, who: str) -> list[Line]:
    """Graphs of one row of the timeline, under a title."""
    if not found:
        return []
    title = paint.line(Span(f"  metrics of {paint.safe(who).text}, columns as above, {LEVELS[0]} lowest {LEVELS[-1]} highest", "dim"))
    return [paint.EMPTY, title, *(line(series, column, label) for series in found)]
