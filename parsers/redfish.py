"""Reads JSON that a BMC serves over Redfish: entries of its event log, and events it sent."""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from ncclscope.reading import Found, Rows, when
from ncclscope.sources import Source

MOST_BYTES = 64 << 20
MOST_TORN = 64  # each may be looked through to its end: what has more of them is something else
# Where a value may begin: at the start of a line, or behind another.
OPENING = re.compile(r"(?:^|(?<=\n)|(?<=[}\]:]))[ \t,]*[{\[]")
STAMP = re.compile(r"^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)")
LAST_WORD = re.compile(r"[,;:]?\s*\b(?:de)?assert(?:ed|ion)?\b\.?\s*$", re.IGNORECASE)
TAKEN_BACK = re.compile(r"\bdeassert|\b(?:cleared|restored|resolved|returned to normal)\b", re.IGNORECASE)
SEVERITIES = {"ok": 1, "informational": 1, "warning": 2, "critical": 3, "fatal": 4}


def read(stream: BinaryIO, source: Source) -> Found:
    """One `bmc.event` for each entry; lines of no value that holds one go to the line parsers."""
    text = stream.read(MOST_BYTES).decode("utf-8", "replace")
    rows, used, torn = Rows(), set[int](), list[int]()
    for value, begin, end in values(text):
        if value is None:
            torn.append(text.count("\n", 0, begin) + 1)
            continue
        at, first = begin, text.count("\n", 0, begin) + 1
        for number, entry in enumerate(entries(value)):
            found = text.find(json.dumps(entry["Message"], ensure_ascii=False)[1:-1], at, end)
            at = found if found >= 0 else at
            keep(rows, first + text.count("\n", begin, at), entry)
            if not number:
                used.update(range(first, first + text.count("\n", begin, end) + 1))
    left = [number for number in range(1, text.count("\n") + 2) if number not in used]
    # A value that never ends, with entries inside: the text was cut.
    cut = [number for number in torn if number in left][:1] if used else []
    rows.damaged += cut
    rows.unread += [number for number in left if number not in cut]
    yield from rows.take()


def values(text: str) -> Iterator[tuple[Any, int, int]]:
    """JSON objects and lists wherever a line begins with one, and where they begin and end; None for one that does not end."""
    decoder, at, torn = json.JSONDecoder(), 0, 0
    while torn < MOST_TORN and (begin := OPENING.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, begin.end() - 1)
            yield value, begin.end() - 1, at
        except (ValueError, RecursionError):
            yield None, begin.end() - 1, begin.end()
            at, torn = begin.end(), torn + 1


def entries(value: Any) -> Iterator[dict[str, Any]]:
    """Objects with a message and a time, wherever they lie."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            if isinstance(one.get("Message"), str) and one["Message"] and stamp_of(one):
                yield one
            todo += [inner for inner in reversed(list(one.values())) if isinstance(inner, dict | list)]
        elif isinstance(one, list):
            todo += [inner for inner in reversed(one) if isinstance(inner, dict | list)]


def stamp_of(entry: dict[str, Any]) -> str:
    """When it was, as printed; empty if it does not say."""
    return next((value for name in ("EventTimestamp", "Created", "Timestamp") if isinstance(value := entry.get(name), str)), "")


def keep(rows: Rows, line: int, entry: dict[str, Any]) -> None:
    """One entry as a row."""
    said = " ".join(entry["Message"].split())
    word = str(entry.get("MessageSeverity") or entry.get("Severity") or "").lower()
    severity = SEVERITIES.get(word, 2)
    back = bool(TAKEN_BACK.search(said)) or entry.get("Resolved") is True or str(entry.get("EntryCode", "")).startswith("Deassert")
    origin = entry.get("OriginOfCondition") or (entry.get("Links") or {}).get("OriginOfCondition") or {}
    place = str(origin.get("@odata.id", "")).rstrip("/").rpartition("/")[2] if isinstance(origin, dict) else ""
    head, colon, told = LAST_WORD.sub("", said).partition(": ")
    named = bool(colon) and len(head) <= 40
    stamp = stamp_of(entry)
    parts = STAMP.match(stamp)
    fields: dict[str, str | None] = {
        "record": str(entry.get("Id") or entry.get("EventId") or "") or None,
        "date": f"{parts[2]}/{parts[3]}/{parts[1]}" if parts else None,
        "clock": parts[4] if parts else None,
        "sensor": place or (head if named else str(entry.get("SensorType") or head)[:80]),
        "event": told if named and not place else LAST_WORD.sub("", said),
        "state": "Deasserted" if back else "Asserted" if severity > 1 else None,
        "reading": str(entry.get("MessageId") or "") or None,
    }
    rows.event(line, "bmc.event", severity, said, fields, time=when(stamp))
