"""Pages of the log, merged by time: what lies round a record, and the next record that fulfils a condition."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

from ncclscope import evidence, timeline
from ncclscope.tui import paint
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import when
from ncclscope.tui.filters import Filter
from ncclscope.tui.paint import Line, Span
from ncclscope.tui.view import Key

Row = dict[str, Any]
# Where a record stands in the log: time, source, line, part.
Place = tuple[int, int, int, int]

PAGE = 300
_AT = "(at_us, file_id, line, part) {op} (?::BIGINT, ?::UBIGINT, ?::UBIGINT, ?::UINTEGER)"
_ORDER = "ORDER BY at_us {way}, file_id {way}, line {way}, part {way}"
FIRST: Place = (-2, 0, 0, 0)
LAST: Place = (2**62, 0, 0, 0)
# Silence longer than so many times the usual distance, and than a second, is a line of its own.
GAP_TIMES, GAP_US = 10, 1_000_000
_SIGNS = {0: " ", 1: " ", 2: "!", 3: "X", 4: "X"}
_STYLES = {"X": "red", "!": "yellow", "#": "bold"}
_ENDS = ("elastic.child_failed", "process.", "slurm.killed", "slurm.oom", "elastic.signal_sent")


@dataclass(frozen=True, slots=True)
class Page:
    """Records in order, and whether there are more on either side."""

    rows: list[Row] = field(default_factory=list)
    is_first: bool = True
    is_last: bool = True


def place(row: Row) -> Place:
    """Where a record stands."""
    return row["at_us"], row["file_id"], row["line"], row["part"]


def key(row: Row) -> Key:
    """Which record it is."""
    return row["file_id"], row["line"], row["part"]


def after(desk: Desk, wanted: Filter, at: Place, operator: str = ">=", count: int = PAGE) -> list[Row]:
    """The first records from a place on."""
    query = f"SELECT * FROM log WHERE {wanted.where} AND {_AT.format(op=operator)} {_ORDER.format(way='ASC')} LIMIT {count}"
    return desk.ask("page", query, [*wanted.parameters, *at])


def before(desk: Desk, wanted: Filter, at: Place, count: int = PAGE) -> list[Row]:
    """The last records before a place, in order."""
    query = f"SELECT * FROM log WHERE {wanted.where} AND {_AT.format(op='<')} {_ORDER.format(way='DESC')} LIMIT {count}"
    return desk.ask("page", query, [*wanted.parameters, *at])[::-1]


def around(desk: Desk, wanted: Filter, at: Place) -> Page:
    """A page with a place in its middle."""
    earlier, later = before(desk, wanted, at), after(desk, wanted, at)
    return Page([*earlier, *later], len(earlier) < PAGE, len(later) < PAGE)


def locate(desk: Desk, sought: Key) -> Place | None:
    """Where a record stands that is known by its source and line."""
    query = "SELECT at_us, file_id, line, part FROM log WHERE file_id = ? AND line = ? ORDER BY abs(CAST(part AS INTEGER) - ?) LIMIT 1"
    rows = desk.ask("page", query, [*sought])
    return place(rows[0]) if rows else None


def find(desk: Desk, wanted: Filter, at: Place, by: int, condition: str, parameters: Sequence[object]) -> Place | None:
    """The next record before or after a place that fulfils a condition."""
    operator, way = (">", "ASC") if by > 0 else ("<", "DESC")
    query = (
        f"SELECT at_us, file_id, line, part FROM log WHERE {wanted.where} AND {condition} AND {_AT.format(op=operator)} "
        f"{_ORDER.format(way=way)} LIMIT 1"
    )
    rows = desk.ask("find", query, [*wanted.parameters, *parameters, *at])
    return place(rows[0]) if rows else None


def hits(desk: Desk, wanted: Filter, condition: str, parameters: Sequence[object]) -> int:
    """How many records fulfil a condition."""
    query = f"SELECT count(*) AS n FROM log WHERE {wanted.where} AND {condition}"
    return int(desk.ask("hits", query, [*wanted.parameters, *parameters])[0]["n"])


def number(desk: Desk, wanted: Filter, at: Place) -> int:
    """How many records come before a place."""
    query = f"SELECT count(*) AS n FROM log WHERE {wanted.where} AND {_AT.format(op='<')}"
    return int(desk.ask("number", query, [*wanted.parameters, *at])[0]["n"])


def with_gaps(rows: Sequence[Row]) -> list[int | str]:
    """Indices of records, with a sentence wherever nothing was logged for much longer than usual."""
    steps = [b["at_us"] - a["at_us"] for a, b in pairwise(rows) if a["at_us"] >= 0]
    usual = median([step for step in steps if step > 0] or [0])
    limit = max(GAP_TIMES * usual, GAP_US)
    out: list[int | str] = []
    for index, row in enumerate(rows):
        step = row["at_us"] - rows[index - 1]["at_us"] if index and rows[index - 1]["at_us"] >= 0 else 0
        if step > limit:
            out.append(f"  ... {timeline.duration(step)} with no events ...")
        out.append(index)
    return out


def line(row: Row, is_marked: bool, width: int, who: int = 18) -> Line:
    """`X~03:14:07     node064 r517 torch  ncclRemoteError: ...`."""
    sign = "#" if str(row["kind"]).startswith(_ENDS) else _SIGNS[row["severity"] or 0]
    carried = {"carried": "~", "arrival": "<"}.get(row["ts_from"], " ")
    rank = f"r{row['rank']}" if row["rank"] is not None else ""
    host = paint.safe(row["host"] or "").text
    speaker = paint.pad(f"{paint.pad(host, who - 6)} {rank:<5}", who)
    source = paint.pad(paint.safe(row["source"] or "").text.split("_")[0], 7)
    many = f" ({row['n_lines']} lines)" if (row["n_lines"] or 1) > 1 else ""
    text = paint.safe(str(row["message"] or "").split("\n")[0] + many)
    time = Span(f"{when(row['ts'], row['ts_max']):<13}", "dim")
    head = paint.line(Span("*" if is_marked else sign, _STYLES.get(sign, "")), carried, time)
    style = _STYLES.get(sign, "") if sign in "X!" else ""
    body = Span(text.text, style)
    return (*head, Span(speaker + " ", "cyan"), Span(source + " ", "dim"), body) if width >= 60 else (*head, body)


_RECORD = """
SELECT "offset", peer_host, peer_rank, peer_addr, comm, comm_ptr, pid, gpu, message, fields
FROM events WHERE file_id = ? AND line = ? AND part = ?
"""


@dataclass(frozen=True, slots=True)
class Record:
    """One record with all that is known of it."""

    row: Row
    more: Row
    original: str


def record(desk: Desk, row: Row) -> Record:
    """The fields of a record, and its line as it stands in the source."""
    found = desk.ask("record", _RECORD, [*key(row)])
    return Record(row, found[0] if found else {}, evidence.texts(desk.case, [key(row)])[key(row)])


def record_lines(shown: Record, severities: Sequence[str], findings: Sequence[Row], width: int) -> list[Line]:
    """The record in words: kind, severity, place, fields, who cites it, and the whole text."""
    row, more = shown.row, shown.more
    cite = paint.tail(f"{row['name']}:{row['line']}", max(width - 40, 20))
    byte = f"   byte {more['offset']:,}" if more.get("offset") else ""
    out = [paint.line("  ", paint.safe(row["kind"], "bold"), f"   {severities[row['severity'] or 0]}   ", paint.safe(cite), byte)]
    for finding in findings:
        if key(row) in {(e["file_id"], e["line"], e["part"]) for e in finding["evidence"]}:
            folded = ", folded" if finding["explained_by"] else ""
            out.append(_field("finding", f"{finding['rule']} ({finding['role']}{folded}): {finding['summary']}"))
    wrapped = paint.wrap(paint.safe(shown.original, limit=8000).text, width - 15)
    out += [_field("" if number else "line", text) for number, text in enumerate(wrapped)]
    plain = ("pid", "gpu", "peer_host", "peer_rank", "peer_addr", "comm", "comm_ptr")
    out += [_field(name, more[name]) for name in plain if more.get(name) is not None]
    out += [_field(name, value) for name, value in sorted((more.get("fields") or {}).items()) if value is not None]
    message = str(row["message"] or "")
    if "\n" in message:
        out += [_field("" if number else "text", text) for number, text in enumerate(message.split("\n")[:200])]
    return out


def _field(name: str, value: object) -> Line:
    return paint.line(Span(f"  {paint.pad(paint.safe(name).text, 12)} ", "dim"), paint.safe(value))
