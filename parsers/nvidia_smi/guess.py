"""Names for the columns of a file without a header, from the shapes of its cells."""

import re
from collections.abc import Sequence
from itertools import pairwise

from .convert import MEASURE, PSTATE, STAMP
from .fields import UNITS, Table
from .words import FAULT, MISSING

MOST_GPUS = 64  # on one host; a longer repetition is chance

SHAPES = (
    ("timestamp", STAMP),
    ("uuid", re.compile(r"^GPU-[0-9a-f-]{30,36}$")),
    ("pci.bus_id", re.compile(r"^[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9]$")),
    ("clocks_event_reasons.active", re.compile(r"^0x[0-9a-fA-F]{16}$")),
    ("pstate", PSTATE),
    ("driver_version", re.compile(r"^[0-9]{3}\.[0-9]{1,3}\.[0-9]{2}$")),
    ("name", re.compile(r"^(?:NVIDIA|Tesla|Quadro|GeForce|GH200|GB200)\b.*$")),
    ("integer", re.compile(r"^[0-9]+$")),
)


def guess(texts: list[str]) -> Table | None:
    """Names for the columns of rows without a header, by the shapes of their cells; None if they show too little."""
    rows = [[cell.strip() for cell in text.split(",")] for text in texts]
    columns = list(zip(*rows, strict=False))
    names = [shape(list(column)) for column in columns]
    if not any(name for name in names):
        return None
    out: list[str] = []
    has_units = any(name.startswith("unit ") for name in names)
    for at, (seen, column) in enumerate(zip(names, columns, strict=True)):
        name = seen
        if seen.startswith("unit "):
            name = measure(seen.removeprefix("unit "), column, out)
        elif seen == "integer" and "index" not in out and counts(column):
            name = "index"
        elif seen == "integer" and has_units and "temperature.gpu" not in out and warm(column):
            name = "temperature.gpu"
        out.append(name if name not in ("", "integer") and name not in out else f"column_{at + 1}")
    return Table(out, [UNITS.get(name, "") for name in out])


def shape(cells: list[str]) -> str:
    """Field, `integer` or `unit W` that nearly all cells look like; else empty."""
    cells = [cell for cell in cells if cell.lower() not in MISSING and not FAULT.match(cell)]
    if not cells:
        return ""
    for name, pattern in SHAPES:
        if sum(bool(pattern.match(cell)) for cell in cells) > 0.9 * len(cells):
            return name
    units = [found[2].strip() for cell in cells if (found := MEASURE.match(cell))]
    return f"unit {units[0]}" if len(units) > 0.9 * len(cells) else ""


def measure(unit: str, column: Sequence[str], taken: list[str]) -> str:
    """The usual field with this unit that no earlier column has."""
    steady = len(set(column)) <= max(1, len(column) // 50)
    usual = {
        "W": ["power.draw", "power.limit"],
        "%": ["utilization.gpu", "utilization.memory"],
        "MiB": ["memory.total", "memory.used"] if steady and len(column) > 8 else ["memory.used", "memory.total"],
        "MHz": ["clocks.current.memory"] if steady and len(column) > 8 else ["clocks.current.sm", "clocks.current.memory"],
        "C": ["temperature.gpu", "temperature.memory"],
    }
    return next((name for name in usual.get(unit, ()) if name not in taken), "")


def counts(column: Sequence[str]) -> bool:
    """Do the cells run 0, 1, 2 ... and begin again?"""
    numbers = [int(cell) if cell.isdecimal() and len(cell) < 4 else -1 for cell in column]
    follows = [b in (0, a + 1) for a, b in pairwise(numbers)]
    return numbers[0] < MOST_GPUS and 0 in numbers and sum(follows) >= 0.9 * len(follows) and max(numbers) < MOST_GPUS


def warm(column: Sequence[str]) -> bool:
    """Could these be temperatures?"""
    numbers = [int(cell) for cell in column if cell.isdecimal() and len(cell) < 4]
    return bool(numbers) and min(numbers) >= 18 and max(numbers) <= 110
