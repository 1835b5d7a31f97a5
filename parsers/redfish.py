"""Reads JSON that a BMC serves over Redfish: entries of its event log, and events it sent."""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from ncclscope.reading import Found, Rows, when
from ncclscope.sources import Source

MOST_BYTES = 64 << 20
# An object with at most one level inside: what is left to look at where the text was cut.
FLAT = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
STAMP = re.compile(r"^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)")
LAST_WORD = re.compile(r"[,;:]?\s*\b(?:de)?assert(?:ed|ion)?\b\.?\s*$", re.IGNORECASE)
TAKEN_BACK = re.compile(r"\bdeassert|\b(?:cleared|restored|resolved|returned to normal)\b", re.IGNORECASE)
SEVERITIES = {"ok": 1, "informational": 1, "warning": 2, "critical": 3, "fatal": 4}


def read(stream: BinaryIO, source: Source) -> Found:
    """One `bmc.event` for each entry; the lines of a text that holds none go to the line parsers."""
    text = stream.read(MOST_BYTES).decode("utf-8", "replace")
    rows, at = Rows(), 0
    whole, cut_at = documents(text)
    for one in entries(whole) if cut_at is None else (*entries(whole), *entries(rest(text[cut_at:]))):
        found = text.find(json.dumps(one["Message"], ensure_ascii=False)[1:-1], at)
        at = found if found >= 0 else at
        keep(rows, text.count("\n", 0, at) + 1, one)
    if cut_at is not None:
        (rows.damaged if rows.events else rows.unread).append(text.count("\n", 0, cut_at) + 1)
    yield from rows.take()


def documents(text: str) -> tuple[list[Any], int | None]:
    """The JSON values one after the other, and where the first that is none begins."""
    decoder, at = json.JSONDecoder(), 0
    found: list[Any] = []
    while True:
        begin = re.compile(r"[\s,]*").match(text, at)
        at = begin.end() if begin else at
        if at >= len(text):
            return found, None
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found, at
        found.append(value)


def rest(text: str) -> list[Any]:
    """Objects that are whole in a text that is not."""
    found = []
    inner = text[1:] if text.startswith("{") else text
    for one in FLAT.finditer(inner):
        try:
            found.append(json.loads(one[0]))
        except ValueError:
            continue
    return found


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
