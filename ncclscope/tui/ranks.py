"""Ranks, odd ones first: which ranks, hosts and GPUs stand out."""

from typing import Any, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from ncclscope.tui import filters, paint
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import us, when
from ncclscope.tui.lines import Lines
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.screen import CaseScreen

_QUERY = """
WITH named AS (
  SELECT rank, count(*) AS findings FROM (
  -- a finding that names most ranks makes none of them odd
    SELECT unnest(ranks) AS rank FROM findings
    WHERE attempt IS NOT DISTINCT FROM {a} AND 2 * len(ranks) <= (SELECT count(*) + 1 FROM ranks WHERE attempt IS NOT DISTINCT FROM {a}))
  GROUP BY rank),
loud AS (
  SELECT rank, count(*) FILTER (WHERE severity >= 3) AS errors, count(*) FILTER (WHERE severity = 2) AS warnings
  FROM log WHERE severity >= 2 AND rank IS NOT NULL AND attempt IS NOT DISTINCT FROM {a} GROUP BY rank),
stepped AS (
  SELECT rank, max(iteration) AS step, median(step_ms) AS step_ms FROM steps
  WHERE attempt IS NOT DISTINCT FROM {a} AND NOT duplicate GROUP BY rank),
operated AS (SELECT rank, max(seq) AS seq FROM intervals WHERE attempt IS NOT DISTINCT FROM {a} GROUP BY rank)
SELECT r.rank, r.host, r.gpu, r.pid, r.given, r.last_seen, r.exit_code, r.signal, o.seq, s.step, s.step_ms,
       coalesce(l.errors, 0) AS errors, coalesce(l.warnings, 0) AS warnings, coalesce(n.findings, 0) AS findings
FROM ranks r LEFT JOIN named n USING (rank) LEFT JOIN loud l USING (rank)
LEFT JOIN stepped s USING (rank) LEFT JOIN operated o USING (rank)
WHERE r.attempt IS NOT DISTINCT FROM {a}
ORDER BY r.rank
"""
# What a list can be sorted by, and how.
COMPARED = ("exit_code", "signal", "seq", "step")
SORTS = ("odd first", "rank", "host", "last line", "step time", "errors")


class Ranks(CaseScreen):
    """One sortable list."""

    PLACE = 4
    ABOUT = "Every rank, those that differ from the others first. enter shows its records, i filters every screen to it."
    HINTS: ClassVar = (("enter", "events"), ("s", "sort"), ("i", "only"), ("x", "hide"), ("/", "search"), ("f", "filter"), ("y", "copy"))
    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "sort", "sort by the next column", id="ranks.sort", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, Any]] = []
        self.usual: dict[str, Any] = {}
        self.sort = 0
        self.asked: object = None

    def panes(self) -> list[Widget]:
        """The list."""
        return [Lines("ranks")]

    def show(self) -> None:
        """Asks, unless this is what is shown."""
        pane = self.query_one(Lines)
        if self.focused is None:
            pane.focus()
        wanted = (self.scope.generation, self.looking.attempt)
        if wanted != self.asked:
            self.asked = wanted
            self.look_up("ranks", _ranks, self.looking.attempt, self.looking.filter.text)

    def answer_ranks(self, rows: list[dict[str, Any]]) -> None:
        """The ranks are here."""
        self.rows = rows
        self._fill()

    def _fill(self) -> None:
        pane = self.query_one(Lines)
        self.usual = {name: _usual([row[name] for row in self.rows]) for name in COMPARED}
        self.rows.sort(key=lambda row: (*sort_key(row, SORTS[self.sort], self.usual), row["rank"]))
        pane.above = [paint.line(Span(header(self.size.width), "bold"))]
        pane.empty = "no rank is named in the evidence"
        odd = sum(oddness(row, self.usual) > 0 for row in self.rows)
        title = f"ranks -- {len(self.rows):,}, {odd:,} of them odd -- sorted by {SORTS[self.sort]}"
        chosen = next((i for i, row in enumerate(self.rows) if row["rank"] in self.looking.ranks), 0)
        pane.fill(len(self.rows), self._line, title, chosen)

    def _line(self, index: int, width: int) -> Line:
        return line(self.rows[index], oddness(self.rows[index], self.usual) > 0, width)

    def action_sort(self) -> None:
        """By the next column."""
        self.sort = (self.sort + 1) % len(SORTS)
        self._fill()

    def _here(self) -> dict[str, Any] | None:
        pane = self.query_one(Lines)
        return self.rows[pane.cursor] if pane.cursor < len(self.rows) else None

    @on(Lines.Opened)
    def _opened(self, message: Lines.Opened) -> None:
        message.stop()
        row = self._here()
        if row is not None:
            self.looking.key = None
            self.looking.moment_us = us(row["last_seen"])
            self.scope.narrow(filters.add(self.looking.filter.text, f"rank:{row['rank']}"))
            self.scope.go("events")

    def copied(self) -> tuple[str, str]:
        """The row."""
        row = self._here()
        text = paint.plain(line(row, False, 200)).strip() if row else ""
        return text, f"rank {row['rank']} on {paint.safe(row['host'] or '?').text}" if row else ""

    def search(self, pattern: str, by: int) -> None:
        """Rows as they are shown."""
        self.scope.search_lines(self.query_one(Lines), pattern, by)

    def subject(self) -> list[str]:
        """The rank, or its host."""
        row = self._here()
        return [f"rank:{row['rank']}", f"host:{row['host']}"] if row else []


def _ranks(desk: Desk, attempt: int, wanted: str) -> list[dict[str, Any]]:
    rows = desk.ask("ranks", _QUERY.format(a=int(attempt)))
    kept = filters.parse(filters.about(wanted, ("rank", "host")))
    if not kept:
        return rows
    left = {row["rank"] for row in desk.ask("ranks", f"SELECT rank FROM ranks WHERE {kept.where}", kept.parameters)}
    return [row for row in rows if row["rank"] in left]


def _usual(values: list[Any]) -> Any:
    """The value that most have."""
    return max(set(values), key=lambda value: (values.count(value), str(value))) if values and len(set(values)) < 50 else None


def oddness(row: dict[str, Any], usual: dict[str, Any]) -> int:
    """In how many ways a rank differs from most, its findings first."""
    differs = sum(row[name] != value for name, value in usual.items() if value is not None)
    return 10 * bool(row["findings"]) + int(differs)


def sort_key(row: dict[str, Any], by: str, usual: dict[str, Any]) -> tuple[Any, ...]:
    """The order of a list."""
    if by == "odd first":
        return -oddness(row, usual), row["seq"] is None, row["seq"] or 0
    if by == "host":
        return (row["host"] or "~",)
    if by == "last line":
        return row["last_seen"] is None, row["last_seen"] or 0
    if by == "step time":
        return (-(row["step_ms"] or 0),)
    return (-row["errors"], -row["warnings"]) if by == "errors" else ()


def header(width: int) -> str:
    """Names of the columns."""
    wide = f"{'warnings':>9} {'pid':>9}" if width >= 100 else ""
    names = f"  {'rank':>5}  {'host':<{_host(width)}} {'gpu':>3}  {'last at':<8} {'seq':>7} {'step':>7} {'ms':>6} {'exit':>5}"
    return f"{names} {'errors':>6}{wide} found"


def _host(width: int) -> int:
    return 12 if width < 100 else 24


def line(row: dict[str, Any], is_odd: bool, width: int) -> Line:
    """One rank; `*` before an odd one."""

    def cell(value: Any, size: int, form: str = "") -> str:
        return f"{'-' if value is None else format(value, form):>{size}}"

    left = f"s{row['signal']}" if row["signal"] is not None else row["exit_code"]
    wide = f"{cell(row['warnings'], 9)} {cell(row['pid'], 9)}" if width >= 100 else ""
    last = when(row["last_seen"])[:8]
    found = str(row["findings"]) if row["findings"] else ""
    host = paint.pad(paint.safe(row["host"] or "-").text, _host(width))
    seq, step = cell(row["seq"], 7), cell(row["step"], 7)
    text = (
        f"{' *' if is_odd else '  '}{cell(row['rank'], 5)}  {host} {cell(row['gpu'], 3)}  {last:<8} {seq} {step} "
        f"{cell(row['step_ms'], 6, '.0f')} {cell(left, 5)} {cell(row['errors'], 6)}{wide} {found:>5}"
    )
    note = "" if row["given"] else "  no log given"
    return paint.line(Span(text, "bold" if is_odd else ""), Span(note, "dim"))
