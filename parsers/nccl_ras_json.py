"""Reads what `ncclras -f json` prints: whole answers, one or several in a file, and the monitor's events, one a line."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO

import polars as pl

from ncclscope import clock
from ncclscope.sources import Source

MOST_BYTES = 256 << 20  # an answer of 100,000 ranks is a tenth of this
RANK = re.compile(r'\{\s*"rank"\s*:')
# `]` or `}` and then a new value or key: the comma that is missing
GAP = re.compile(r'([}\]])(\s*)(?=["{\[])')

SCHEMA: dict[str, Any] = {
    "line": pl.UInt64,
    "ts": pl.Datetime("us"),
    "ts_clock": pl.Int8,
    "kind": pl.String,
    "severity": pl.Int8,
    "message": pl.String,
    "pid": pl.Int32,
    "comm": pl.String,
    "fields": pl.List(pl.Struct({"key": pl.String, "value": pl.String})),
}


def read(stream: BinaryIO, source: Source) -> Iterator[tuple[str, pl.DataFrame]]:
    """Rows of `events`; lines that belong to no answer go to the line parsers."""
    text = stream.read(MOST_BYTES).decode("utf-8", "replace")
    rows: list[dict[str, Any]] = []
    used: set[int] = set()
    damaged: list[int] = []
    query = 0
    for first, last, piece in answers(text):
        parsed = lenient(piece)
        if parsed is None:
            if "communicators" in piece or '"event"' in piece:
                damaged.append(first)
                used.update(range(first, last + 1))
            continue
        found = list(told(parsed, piece, first, query))
        if found:
            rows += found
            used.update(range(first, last + 1))
            query += "communicators" in parsed
    if rows:
        yield "events", pl.DataFrame(rows, schema=SCHEMA)
    unread = [number for number, line in enumerate(text.split("\n"), 1) if number not in used and line.strip()]
    if unread:
        yield "unread", pl.DataFrame({"line": unread}, schema={"line": pl.UInt64})
    if damaged:
        yield "damaged", pl.DataFrame({"line": damaged}, schema={"line": pl.UInt64})


def answers(text: str) -> Iterator[tuple[int, int, str]]:
    """First line, last line and text of each outermost object; one that is cut ends with the file."""
    depth, begin, quoted, line, began = 0, 0, False, 1, 1
    for found in re.finditer(r'\\.|["{}\n]', text):
        mark = found[0]
        if mark == "\n":
            line += 1
            # a quote that a torn line left open
            quoted = False
        elif mark == '"':
            quoted = not quoted
        elif not quoted and mark == "{":
            if not depth:
                begin, began = found.start(), line
            depth += 1
        elif not quoted and mark == "}" and depth:
            depth -= 1
            if not depth:
                yield began, line, text[begin : found.end()]
    if depth:
        yield began, line, text[begin:]


def lenient(piece: str) -> dict[str, Any] | None:
    """The object, with commas put where they are missing. None where it is none."""
    for text in (piece, GAP.sub(r"\1,\2", piece)):
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            continue
        return parsed if isinstance(parsed, dict) else None
    return None


def told(answer: dict[str, Any], piece: str, first: int, query: int) -> Iterator[dict[str, Any]]:
    """Rows of one answer."""
    stamp = str(answer.get("timestamp") or "")
    ts, zone = when(stamp)

    def row(line: int, kind: str, severity: int, message: str, pid: Any, comm: str | None, **fields: Any) -> dict[str, Any]:
        pairs = [{"key": key, "value": text_of(value)} for key, value in fields.items() if value is not None]
        return {
            "line": line,
            "ts": ts,
            "ts_clock": zone,
            "kind": kind,
            "severity": severity,
            "message": message,
            "pid": number(pid),
            "comm": comm,
            "fields": pairs,
        }

    peer = answer.get("peer")
    if isinstance(peer, dict) and answer.get("event"):
        event, gpus = str(answer["event"]), peer.get("nvml_devs") or peer.get("cuda_devs")
        lost = bool(re.search("DEAD|UNRESPONSIVE|TIMEOUT|DISCONNECTED|STUCK", event))
        listed = ",".join(map(str, gpus)) if isinstance(gpus, list) else None
        said = {
            "event": event,
            "process": peer.get("pid"),
            "addr": peer.get("host"),
            "gpu_indexes": listed,
            "detail": answer.get("details"),
        }
        yield row(first, "nccl.ras.monitor", 3 if lost else 1, f"{event} {peer.get('host')}", None, None, **said)
    communicators = answer.get("communicators")
    if not isinstance(communicators, list):
        return
    timeouts = object_of(answer.get("ras")).get("timeouts_count")
    version = answer.get("nccl_version")
    yield row(
        first, "nccl.ras.json", 1, f"RAS answer of NCCL {version}", None, None,
        version=version, communicators=len(communicators), timeouts=timeouts, query=query, asked=stamp or None,
    )  # fmt: skip
    # Objects of ranks stand in the text in the order in which they are visited here.
    places = (first + piece.count("\n", 0, found.start()) for found in RANK.finditer(piece))
    for comm in communicators:
        if not isinstance(comm, dict):
            continue
        name, size = str(comm.get("hash")), comm.get("size")
        for member in listed_dicts(comm.get("ranks")):
            line = next(places, first)
            status = object_of(member.get("status"))
            common = {"comm_rank": member.get("rank"), "size": size, "addr": member.get("host"), "query": query}
            wrong = bool(status.get("async_error") or status.get("abort_flag"))
            message = f"rank {member.get('rank')} of {name}"
            yield row(
                line, "nccl.ras.member", 3 if wrong else 1, message, member.get("pid"), name, cuda_dev=member.get("cuda_dev"),
                init_state=status.get("init_state"), async_error=status.get("async_error"), aborted=status.get("abort_flag"), **common,
            )  # fmt: skip
            counts = member.get("collective_counts")
            for op, count in counts.items() if isinstance(counts, dict) else ():
                yield row(line, "nccl.ras.count", 1, f"{message}: {op} {count}", member.get("pid"), name, op=op, count=count, **common)
        for member in listed_dicts(comm.get("missing_ranks")):
            status = object_of(member.get("status"))
            yield row(
                next(places, first), "nccl.ras.lost", 3, f"rank {member.get('rank')} of {name} gives no answer", member.get("pid"), name,
                comm_rank=member.get("rank"), size=size, addr=member.get("host"), cuda_dev=member.get("cuda_dev"), query=query,
                unresponsive=status.get("unresponsive"), considered_dead=status.get("considered_dead"),
            )  # fmt: skip


def listed_dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; nothing where it is none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def object_of(value: Any) -> dict[str, Any]:
    """An object; an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def text_of(value: Any) -> str:
    """Truth as a number, as SQL casts it."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def number(value: Any) -> int | None:
    """A process id that fits its column."""
    return value if isinstance(value, int) and 0 <= value < 1 << 31 else None


def when(stamp: str) -> tuple[datetime | None, int | None]:
    """Time and clock of `timestamp`."""
    if not stamp:
        return None, None
    found = clock.read_times(pl.Series([stamp]))
    return found["ts"][0], found["clock"][0]
