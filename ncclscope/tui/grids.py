"""The states of every rank in every column, folded by one query; hosts and files that speak for no rank beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ncclscope import timeline
from ncclscope.timeline import STATES, Axis
from ncclscope.tui import filters, paint, stages
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import Facts, us
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.stages import Stages

# Ranks, of whom equal stories are folded before they are drawn (of 16,384 a handful is left), then by name the hosts and files that
# speak for no rank. What each did, and its errors and warnings, as [from column, to column, place of the state in STATES].
_CELLS = """
WITH loud AS MATERIALIZED (
  SELECT rank, attempt, coalesce(host, name, '?') AS name, (at_us - $began) // $width AS a,
         CASE WHEN severity >= 3 THEN 0 ELSE 2 END AS state
  FROM log
  WHERE severity >= 2 AND at_us >= $began AND at_us < $began + $width::BIGINT * $columns),
told AS (
  SELECT rank AS who,
         greatest((epoch_us(began) - $began) // $width, 0) AS a, least((epoch_us(ended) - $began) // $width, $columns - 1) AS b,
         list_position(['', 'ended', '', 'waiting', 'starting', 'working', 'alive', 'silent'], state) - 1 AS state
  FROM intervals
  WHERE attempt IS NOT DISTINCT FROM $attempt AND epoch_us(ended) >= $began AND epoch_us(began) < $began + $width::BIGINT * $columns
  UNION ALL
  SELECT rank, a, a, state FROM loud WHERE rank IS NOT NULL AND attempt IS NOT DISTINCT FROM $attempt
  UNION ALL SELECT rank, 0, 0, 7 FROM ranks WHERE given AND attempt IS NOT DISTINCT FROM $attempt),
story AS (SELECT who, list([CAST(a AS INTEGER), CAST(b AS INTEGER), CAST(state AS INTEGER)] ORDER BY a, b, state) AS said
          FROM (SELECT DISTINCT * FROM told) GROUP BY who),
other AS (
  SELECT name AS who, a, a AS b, min(state) AS state FROM loud WHERE rank IS NULL GROUP BY ALL
  UNION ALL
  SELECT coalesce(f.host, f.path),
         greatest((epoch_us(began) - $began) // $width, 0), least((epoch_us(ended) - $began) // $width, $columns - 1), 6
  FROM files f
  -- where no rank speaks, the hosts of findings do
  WHERE (coalesce(f.host, f.path) IN (SELECT name FROM loud WHERE rank IS NULL)
      OR (f.host IN (SELECT unnest(hosts) FROM findings) AND NOT EXISTS (SELECT 1 FROM ranks WHERE given)))
    AND epoch_us(ended) >= $began AND epoch_us(began) < $began + $width::BIGINT * $columns)
SELECT NULL AS who, said, list(who ORDER BY who) AS members FROM story GROUP BY said
UNION ALL
SELECT who, list([CAST(a AS INTEGER), CAST(b AS INTEGER), CAST(state AS INTEGER)] ORDER BY a, b, state), [] FROM other GROUP BY who
ORDER BY who
"""
# The span that matters: what intervals and findings cover, or else all of it.
_SPAN = """
SELECT epoch_us(min(began)) AS began, epoch_us(max(ended)) AS ended FROM (
  SELECT began, ended FROM intervals WHERE attempt IS NOT DISTINCT FROM $attempt AND state <> 'silent'
  UNION ALL SELECT began, coalesce(ended, began) FROM findings WHERE attempt IS NOT DISTINCT FROM $attempt AND severity <> 'info')
"""


_GROUPS = """
SELECT comm, list(DISTINCT rank ORDER BY rank) AS members FROM (
  SELECT comm, rank FROM communicators WHERE attempt IS NOT DISTINCT FROM $attempt
  UNION ALL SELECT comm, rank FROM progress WHERE attempt IS NOT DISTINCT FROM $attempt)
WHERE comm IS NOT NULL AND rank IS NOT NULL GROUP BY comm ORDER BY len(members) DESC, comm LIMIT 500
"""


# A shorter span says little without what came before and after it.
SHORT_US, BEFORE_US, AFTER_US = 120_000_000, 1_800_000_000, 300_000_000


@dataclass(frozen=True, slots=True)
class Look:
    """What to draw: which columns, and of which rows. None: what fits."""

    axis: Axis | None = None
    stages: Stages | None = None
    # True: by order of operations; False: by time; None: by time, unless order says more.
    by_order: bool | None = None
    group: str = ""
    filter: str = ""
    # Are communicators among the rows?
    with_groups: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Rows of states on an axis: of ranks, by number, and of hosts or files that speak for no rank."""

    axis: Axis | Stages
    ranks: tuple[tuple[str, tuple[int, ...]], ...]
    others: tuple[tuple[str, str], ...]
    # Communicators and groups, the largest first, with their members.
    groups: tuple[tuple[str, tuple[int, ...]], ...] = ()


def span(desk: Desk, attempt: int, verdict: Mapping[str, Any]) -> tuple[int, int] | None:
    """From when to when the picture goes, or None where nothing has a time."""
    row = desk.ask("span", _SPAN, {"attempt": attempt})[0]
    first, last = us(verdict["began"]), us(verdict["ended"])
    began, ended = row["began"], row["ended"]
    if began is None or ended is None:
        return None if first is None or last is None else (first, last)
    if ended - began < SHORT_US and first is not None and last is not None:
        return max(min(first, began), began - BEFORE_US), min(max(last, ended), ended + AFTER_US)
    # What led to the first finding belongs to it.
    lead = min((ended - began) // 8, BEFORE_US)
    return (began if first is None else max(min(first, began), began - lead)), ended


def draw(desk: Desk, group: str, attempt: int, axis: Axis) -> Picture:
    """The picture of an attempt. Raises Abandoned when a later one is wanted already."""
    given = {"began": axis.began_us, "width": axis.width_us, "columns": axis.columns, "attempt": attempt}
    rows = desk.ask(group, _CELLS, given)
    drawn = [(row["who"], _cells(row["said"], axis.columns), tuple(row["members"])) for row in rows]
    return Picture(
        axis,
        tuple((cells, members) for who, cells, members in drawn if who is None),
        tuple((who, cells) for who, cells, _ in drawn if who is not None),
    )


def _cells(said: list[list[int]], columns: int) -> str:
    """The most telling state of each column: what tells less is painted first."""
    row = [STATES[-1]] * columns
    for first, last, state in sorted(said, key=lambda one: -one[2]):
        row[first : last + 1] = [STATES[state]] * (last + 1 - first)
    return "".join(row)


def picture(desk: Desk, attempt: int, verdict: Mapping[str, Any], columns: int, look: Look) -> Picture | None:
    """The picture on the axis that is looked at, or on one that fits everything; None where there is nothing to draw."""
    drawn = _drawn(desk, attempt, verdict, columns, look)
    if drawn is None or not look.with_groups:
        return drawn
    found = desk.ask("picture", _GROUPS, {"attempt": attempt})
    return replace(drawn, groups=tuple((row["comm"], tuple(row["members"])) for row in found))


def _drawn(desk: Desk, attempt: int, verdict: Mapping[str, Any], columns: int, look: Look) -> Picture | None:
    by_order = look.by_order
    if by_order is None:
        by_order = stages.is_better(desk, attempt)
    found = None if by_order else look.axis or _fitted(desk, attempt, verdict, columns)
    if found is not None:
        return narrowed(desk, draw(desk, "picture", attempt, found), look.filter)
    ordered = look.stages or stages.plan(desk, attempt, columns, look.group)
    rows = stages.cells(desk, "picture", attempt, ordered)
    drawn = Picture(ordered, tuple((_cells(row["said"], ordered.columns), tuple(row["members"])) for row in rows), ())
    if all(not cells.strip() for cells, _ in drawn.ranks):
        # Nothing has an order either; times of hosts may be left.
        found = look.axis or _fitted(desk, attempt, verdict, columns)
        return narrowed(desk, draw(desk, "picture", attempt, found), look.filter) if found else None
    return narrowed(desk, drawn, look.filter)


def _fitted(desk: Desk, attempt: int, verdict: Mapping[str, Any], columns: int) -> Axis | None:
    found = span(desk, attempt, verdict)
    return timeline.fit(*found, columns) if found else None


def narrowed(desk: Desk, drawn: Picture, wanted: str) -> Picture:
    """Only the rows that the filter's words about ranks and hosts leave."""
    kept = filters.parse(filters.about(wanted, ("rank", "host")))
    if not kept:
        return drawn
    left = {row["rank"] for row in desk.ask("picture", f"SELECT rank FROM ranks WHERE {kept.where}", kept.parameters)}
    ranks = tuple((cells, own) for cells, members in drawn.ranks if (own := tuple(m for m in members if m in left)))
    query = f"SELECT host FROM (SELECT host, NULL::INTEGER AS rank FROM hosts) WHERE {kept.where}"
    hosts = {row["host"] for row in desk.ask("picture", query, kept.parameters)}
    return Picture(drawn.axis, ranks, tuple(other for other in drawn.others if other[0] in hosts))


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of the timeline: what it is called, its states, and which ranks it stands for."""

    name: str
    cells: str
    members: tuple[int, ...] = ()
    is_near: bool = False
    is_chosen: bool = False
    note: str = ""
    # The host or communicator that the row stands for, where `enter` unfolds it.
    folds: str = ""


@dataclass(frozen=True, slots=True)
class Making:
    """How ranks become rows: a mode of `view.ROWS`, how many lines there are, what is chosen and what is unfolded."""

    lines: int
    chosen: frozenset[int] = frozenset()
    mode: str = "herd"
    unfolded: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    width: int = 16


def rows(picture: Picture, facts: Facts, making: Making) -> list[GridRow]:
    """The rows of a picture, then hosts and files that speak for no rank, then how many gave no log."""
    missing = max(facts.world - len(facts.given), 0)
    others = [GridRow(who, cells, is_chosen=who in making.hosts) for who, cells in picture.others]
    room = max(making.lines - min(len(others), making.lines // 2) - (missing > 0), 1)
    out = list(_ranked(picture, facts, making, room))
    blank = [row for row in out if not row.cells.strip()]
    others += [replace(row, cells="", note="no line to place") for row in blank]
    out = [row for row in out if row.cells.strip()]
    _choose(out, making)
    if missing:
        others.append(GridRow(f"{missing:,} rank{'s' * (missing != 1)}", "", note="no log given"))
    return [*out, *others]


def _choose(found: list[GridRow], making: Making) -> None:
    """Where no row is the chosen one, the smallest that holds a chosen rank is, unless that is most of all ranks."""
    holding = [row for row in found if making.chosen & set(row.members)]
    if not holding or any(row.is_chosen for row in found):
        return
    best = min(holding, key=lambda row: len(row.members))
    if 2 * len(best.members) < sum(len(row.members) for row in found):
        found[found.index(best)] = replace(best, is_chosen=True)


def _ranked(picture: Picture, facts: Facts, making: Making, room: int) -> Iterator[GridRow]:
    """Rows of ranks, in the order of their mode."""
    if making.mode == "rank":
        every = [timeline.Herd(cells, (rank,)) for cells, ranks in picture.ranks for rank in ranks]
        yield from (_row(herd, facts, making) for herd in sorted(every, key=lambda herd: herd.members))
    elif making.mode == "host":
        by_host = timeline.by_group(picture.ranks, {rank: host or "-" for rank, host in facts.hosts.items()})
        for name, herd in by_host:
            yield from _unfolding(name, herd, picture, facts, making)
    elif making.mode == "communicator":
        for name, members in picture.groups:
            found = timeline.by_group(picture.ranks, dict.fromkeys(members, name))
            yield from (row for own, herd in found if own == name for row in _unfolding(name, herd, picture, facts, making))
    else:
        yield from (_row(herd, facts, making) for herd in timeline.herds(picture.ranks, room))


def _unfolding(name: str, herd: timeline.Herd, picture: Picture, facts: Facts, making: Making) -> Iterator[GridRow]:
    """One row, and where it is unfolded its members, those with the same story as one."""
    is_open = name in making.unfolded
    called = f"{'-' if is_open else '+'}{name} ({len(herd.members)})"
    if len(called) > making.width:
        tail = f"> ({len(herd.members)})"
        called = called[: max(making.width - len(tail), 4)] + tail
    yield GridRow(called, herd.cells, herd.members, False, _is_chosen(herd, making), folds=name)
    if is_open:
        own = set(herd.members)
        inner = [(cells, kept) for cells, ranks in picture.ranks if (kept := [rank for rank in ranks if rank in own])]
        for one in timeline.herds(inner):
            yield replace(_row(one, facts, making, 2), folds="")


def _row(herd: timeline.Herd, facts: Facts, making: Making, indent: int = 0) -> GridRow:
    called = " " * indent + timeline.named(herd.members, {} if indent else facts.hosts, making.width - indent)
    return GridRow(called, herd.cells, herd.members, herd.near, _is_chosen(herd, making))


def _is_chosen(herd: timeline.Herd, making: Making) -> bool:
    """A herd of hundreds is not chosen because one of them is."""
    return bool(making.chosen) and 2 * len(making.chosen & set(herd.members)) >= len(herd.members)


def most(found: Sequence[GridRow], room: int) -> list[GridRow]:
    """As many rows as there is room for: the largest herd and what is chosen before anything else, in their order."""
    urgent = sorted(range(len(found)), key=lambda i: (i != 0, not found[i].is_chosen, i))
    return [found[i] for i in sorted(urgent[: max(room, 1)])]


def line(row: GridRow, label: int) -> Line:
    """`* node064 r517      ====X`; `*` before what is chosen, `~` after the name of a row of near-equal ones."""
    name = paint.pad(paint.safe(row.name).text, label - 4)
    head = Span(f"{'*' if row.is_chosen else ' '} {name}{'~' if row.is_near else ' '} ", "bold" if row.is_chosen else "")
    return (head, Span(row.note, "dim")) if row.note else (head, *paint.grid(row.cells))
