"""Axes, columns and herds of the timeline: pure functions from states to rows of characters."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

# One character for each state, the most telling first: error, ended, warning, waiting, starting, working, alive, silent.
STATES = "X#!?>=. "
WORDS = {
    "X": "error",
    "#": "ended",
    "!": "warning",
    "?": "waiting",
    ">": "starting",
    "=": "working",
    ".": "alive",
    " ": "silent",
}
_TELLING = {state: place for place, state in enumerate(STATES)}

_SECOND = 1_000_000
_MINUTE, _HOUR, _DAY = 60 * _SECOND, 3600 * _SECOND, 86_400 * _SECOND
# Widths of a column: what a person can count in.
WIDTHS = (
    *(n * 10**e for e in range(6) for n in (1, 2, 5)),
    *(n * _SECOND for n in (1, 2, 5, 10, 15, 20, 30)),
    *(n * _MINUTE for n in (1, 2, 5, 10, 15, 20, 30)),
    *(n * _HOUR for n in (1, 2, 6, 12)),
    *(n * _DAY for n in (1, 2, 5, 10, 30, 100, 365, 1000, 5000)),
)
# Distance between labels of the ruler, at least.
LABEL = 10
# A group of no more members is called by their numbers.
LISTED = 32


@dataclass(frozen=True, slots=True)
class Axis:
    """Columns of equal width from `began_us`, microseconds since 1970."""

    began_us: int
    width_us: int
    columns: int

    @property
    def ended_us(self) -> int:
        """The end of the last column."""
        return self.began_us + self.width_us * self.columns

    def column(self, at_us: int) -> int | None:
        """The column that holds a time, or None outside."""
        column = (at_us - self.began_us) // self.width_us
        return column if 0 <= column < self.columns else None

    def start(self, column: int) -> int:
        """When a column begins."""
        return self.began_us + column * self.width_us


def fit(began_us: int, ended_us: int, columns: int) -> Axis:
    """The narrowest round columns, at most so many, that hold both times; they begin at multiples of their width."""
    columns = max(columns, 1)
    ended_us = max(began_us, ended_us)
    for width in WIDTHS:
        first = began_us // width
        used = ended_us // width - first + 1
        if used <= columns:
            return Axis(first * width, width, used)
    return Axis(began_us, max((ended_us - began_us) // columns + 1, 1), columns)


def zoom(axis: Axis, around_us: int, steps: int, columns: int) -> Axis:
    """The axis with columns `steps` round widths narrower (negative: wider), the time kept where it stands."""
    place = min(range(len(WIDTHS)), key=lambda i: abs(WIDTHS[i] - axis.width_us))
    width = WIDTHS[min(max(place - steps, 0), len(WIDTHS) - 1)]
    share = (around_us - axis.began_us) / max(axis.width_us * axis.columns, 1)
    began = around_us - round(share * columns) * width
    return Axis(began // width * width, width, max(columns, 1))


def duration(us: int) -> str:
    """A distance in at most two units: `250ms`, `40s`, `1m30`, `12m`, `2h05`."""
    us = abs(us)
    if us < 1000:
        return f"{us}us"
    if us < _SECOND:
        return f"{us / 1000:g}ms"
    if us < _MINUTE:
        return f"{us / _SECOND:.3g}s"
    for unit, below, letter in ((_MINUTE, _SECOND, "m"), (_HOUR, _MINUTE, "h")):
        if us < unit * (60 if letter == "m" else 48):
            whole, rest = divmod(us, unit)
            return f"{whole}{letter}{rest // below:02d}" if rest >= below else f"{whole}{letter}"
    return f"{us / _DAY:.3g}d"


def relative(us: int) -> str:
    """A distance from T: `-3m`, `T`, `+40s`."""
    return "T" if us == 0 else ("-" if us < 0 else "+") + duration(us)


def clock(us: int, width_us: int = _SECOND) -> str:
    """A time of day with the digits that the width is good for; the date where columns are days."""
    stamp = datetime.fromtimestamp(us / 1e6, UTC)
    if width_us >= _DAY:
        return f"{stamp:%m-%d}"
    if width_us >= _MINUTE:
        return f"{stamp:%H:%M}"
    return f"{stamp:%H:%M:%S}" if width_us >= _SECOND else f"{stamp:%H:%M:%S}.{stamp.microsecond // 1000:03d}"


def ruler(axis: Axis, zero_us: int | None) -> tuple[str, str]:
    """Labels and tick marks over the columns: relative to `zero_us`, or by the clock where it is None."""
    labels, ticks = [" "] * axis.columns, [" "] * axis.columns
    step = _step(axis.width_us)
    if zero_us is not None:
        at = axis.column(zero_us)
        marks = [at] if at is not None else []
        base = zero_us
    else:
        marks, base = [], 0
    first = -(-(axis.began_us - base) // step)
    last = (axis.ended_us - 1 - base) // step
    marks += [c for n in range(first, last + 1) if (c := axis.column(base + n * step)) is not None and c not in marks]
    for column in marks:
        value = round((axis.start(column) - base) / step) * step if zero_us is not None else axis.start(column)
        text = relative(value) if zero_us is not None else clock(value, step)
        if _place(labels, column, text):
            ticks[column] = "|"
    return "".join(labels).rstrip(), "".join(ticks).rstrip()


def _step(width_us: int) -> int:
    """The round distance of labels that leaves room for them."""
    return next((width for width in WIDTHS if width >= width_us * LABEL and width % width_us == 0), width_us * LABEL)


def _place(labels: list[str], column: int, text: str) -> bool:
    """Writes a label from a column on, or up to the end; not where another stands."""
    begin = min(column, len(labels) - len(text))
    around = labels[max(begin - 1, 0) : begin + len(text) + 1]
    if begin < 0 or any(letter != " " for letter in around):
        return False
    labels[begin : begin + len(text)] = text
    return True


def telling(a: str, b: str) -> str:
    """The more telling of two states."""
    return a if _TELLING[a] <= _TELLING[b] else b


def overlay(first: str, second: str) -> str:
    """Two rows in one: the more telling state of each cell."""
    return first if first == second else "".join(map(telling, first, second))


@dataclass(frozen=True, slots=True)
class Herd:
    """Members whose cells are the same, or differ in one cell at most where `near`."""

    cells: str
    members: tuple[int, ...]
    near: bool = False


def herds(rows: Iterable[tuple[str, Iterable[int]]], lines: int = 0) -> list[Herd]:
    """Groups of equal rows, the largest first, then by when they leave it, small ones first; every member once.

    With more groups than `lines` (0: no limit), those that differ in at most one cell become one.
    """
    groups = _comparable(rows)
    if lines and len(groups) > lines:
        groups = _merged(groups)
    return ordered(groups)


def _comparable(rows: Iterable[tuple[str, Iterable[int]]]) -> list[Herd]:
    """Equal rows as one. Where few log steps, working is no reason to leave those who are alive meanwhile."""
    given = [(cells, tuple(members)) for cells, members in rows]
    total = sum(len(members) for _, members in given)
    working = sum(len(members) for cells, members in given if "=" in cells)
    few = working * 2 < total
    shown: dict[str, str] = {}
    found: dict[str, list[int]] = {}
    for cells, members in given:
        key = cells.replace("=", ".") if few else cells
        shown[key] = overlay(shown.get(key, cells), cells)
        found.setdefault(key, []).extend(members)
    return [Herd(shown[key], tuple(sorted(members))) for key, members in found.items()]


def _merged(groups: Sequence[Herd]) -> list[Herd]:
    """Large groups take in those that differ in at most one cell."""
    taken: dict[str, list[Herd]] = {}
    by_mask: dict[tuple[int, str], str] = {}
    for group in sorted(groups, key=lambda g: (-len(g.members), g.cells, g.members)):
        masks = [(i, group.cells[:i] + group.cells[i + 1 :]) for i in range(len(group.cells))]
        near = next((by_mask[mask] for mask in masks if mask in by_mask), None)
        if near is not None:
            taken[near].append(group)
            continue
        taken[group.cells] = [group]
        by_mask.update({mask: group.cells for mask in masks if mask not in by_mask})
    return [_one(several) for several in taken.values()]


def _one(several: Sequence[Herd]) -> Herd:
    cells = several[0].cells
    for other in several[1:]:
        cells = overlay(cells, other.cells)
    members = sorted(member for herd in several for member in herd.members)
    return Herd(cells, tuple(members), len(several) > 1 or several[0].near)


def ordered(groups: Iterable[Herd]) -> list[Herd]:
    """The largest group, then the others by when they leave it, small ones first."""
    rest = sorted(groups, key=lambda g: (-len(g.members), g.cells, g.members))
    if not rest:
        return []
    first = rest.pop(0)
    rest.sort(key=lambda g: (departure(first.cells, g.cells), len(g.members), g.members))
    return [first, *rest]


def departure(herd: str, cells: str) -> int:
    """The first column in which a row differs from the herd."""
    return next((i for i, (a, b) in enumerate(zip(herd, cells, strict=False)) if a != b), len(herd))


def by_group(rows: Iterable[tuple[str, Iterable[int]]], groups: Mapping[int, str]) -> list[tuple[str, Herd]]:
    """One row a group, such as a host: the most telling state of its members; those without a group under `-`."""
    cells: dict[str, str] = {}
    members: dict[str, list[int]] = {}
    for row, ranks in rows:
        for rank in ranks:
            name = groups.get(rank, "-")
            cells[name] = overlay(cells.get(name, row), row)
            members.setdefault(name, []).append(rank)
    return [(name, Herd(cells[name], tuple(sorted(members[name])))) for name in sorted(cells)]


def ranges(numbers: Iterable[int]) -> str:
    """`0-6 9 12-15`."""
    out: list[list[int]] = []
    for number in sorted(set(numbers)):
        if out and out[-1][1] == number - 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return " ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in out)


def named(members: Sequence[int], hosts: Mapping[int, str], width: int) -> str:
    """What to call a group: `node064 r517`, `node064 7 ranks`, `r8-14`, `1,008 ranks`, whichever fits."""
    where = Counter(hosts.get(member, "") for member in members)
    host = next(iter(where)) if len(where) == 1 else ""
    who = f"r{members[0]}" if len(members) == 1 else f"{len(members):,} ranks"
    listed = f"r{ranges(members)}"
    for text in (f"{host} {who}" if host else "", listed if not host and len(members) <= LISTED else "", who):
        if text and len(text) <= width:
            return text
    return f"{host[: max(width - len(who) - 2, 0)]}> {who}"[:width] if host else who[:width]
