"""Reads files of the NCCL inspector: one JSON object a line, one line for each operation of one process."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO

import polars as pl

from ncclscope.sources import Source

ROWS = 200_000  # a batch
COLLECTIVES: dict[str, Any] = {
    "line": pl.UInt64,
    "ts": pl.Datetime("us"),
    "ts_clock": pl.Int8,
    "host": pl.String,
    "pid": pl.Int32,
    "comm": pl.String,
    "seq": pl.Int64,
    "op": pl.String,
    "state": pl.String,
    "in_bytes": pl.Int64,
    "nranks": pl.Int32,
    "peer_rank": pl.Int32,
    "duration_us": pl.Int64,
}
EVENTS: dict[str, Any] = {
    "line": pl.UInt64,
    "host": pl.String,
    "pid": pl.Int32,
    "comm": pl.String,
    "kind": pl.String,
    "severity": pl.Int8,
    "message": pl.String,
    "fields": pl.List(pl.Struct({"key": pl.String, "value": pl.String})),
}


def read(stream: BinaryIO, source: Source) -> Iterator[tuple[str, pl.DataFrame]]:
    """Rows of `collectives`, and one event for each communicator of the file."""
    rows: list[tuple[Any, ...]] = []
    unread: list[int] = []
    damaged: list[int] = []
    comms: dict[tuple[Any, ...], dict[str, Any]] = {}
    number = 0
    while raw := stream.readline(1 << 20):
        number += 1
        text = raw.strip()
        if not text:
            continue
        if not text.startswith(b"{"):
            unread.append(number)
            continue
        found = operation(text)
        if found is None:
            # another object of JSON is another's; one that does not end is torn
            (unread if text.endswith(b"}") else damaged).append(number)
            continue
        rows.append((number, *found[0]))
        note(comms, number, *found)
        if len(rows) >= ROWS:
            yield "collectives", pl.DataFrame(rows, schema=COLLECTIVES, orient="row")
            rows = []
    if rows:
        yield "collectives", pl.DataFrame(rows, schema=COLLECTIVES, orient="row")
    if comms:
        yield "events", pl.DataFrame([summary(key, known) for key, known in comms.items()], schema=EVENTS, orient="row")
    for table, lines in (("unread", unread), ("damaged", damaged)):
        if lines:
            yield table, pl.DataFrame({"line": lines}, schema={"line": pl.UInt64})


def operation(text: bytes) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]] | None:
    """The row, the header and the measurement of a line; None where it is no operation."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict):
        return None
    header, meta = obj(parsed.get("header")), obj(parsed.get("metadata"))
    name = "coll" if isinstance(parsed.get("coll_perf"), dict) else "p2p"
    perf = obj(parsed.get(f"{name}_perf"))
    if not perf or "id" not in header:
        return None
    stamp = whole(meta.get("dump_timestamp_us"), 1 << 53)
    ts = datetime.fromtimestamp(stamp / 1e6, UTC).replace(tzinfo=None) if stamp and stamp < 4_102_444_800_000_000 else None
    row = (
        ts,
        0 if ts else None,
        str(meta["hostname"]).split(".")[0] if meta.get("hostname") else None,
        whole(meta.get("pid"), 1 << 31),
        str(header["id"]),
        # sends and receives are numbered by pair
        whole(perf.get("coll_sn")) if name == "coll" else None,
        str(perf.get(name)),
        "completed",
        whole(perf.get(f"{name}_msg_size_bytes")),
        whole(header.get("n_ranks"), 1 << 31),
        whole(perf.get("p2p_peer"), 1 << 31),
        whole(perf.get(f"{name}_exec_time_us")),
    )
    return row, header, perf


def note(
    comms: dict[tuple[Any, ...], dict[str, Any]], number: int, row: tuple[Any, ...], header: dict[str, Any], perf: dict[str, Any]
) -> None:
    """Adds an operation to what is known of its communicator in this file."""
    key = (row[2], row[3], str(header["id"]), header.get("rank"), header.get("n_ranks"), header.get("nnodes"))
    known = comms.setdefault(key, {"line": number, "operations": 0, "last_seq": None, "best_busbw": None, "timing": None})
    known["operations"] += 1
    known["last_seq"] = max((value for value in (known["last_seq"], row[5]) if value is not None), default=None)
    speed = perf.get("coll_busbw_gbs", perf.get("p2p_busbw_gbs"))
    if isinstance(speed, (int, float)):
        known["best_busbw"] = max(speed, known["best_busbw"] or 0)
    known["timing"] = known["timing"] or perf.get("coll_timing_source")


def summary(key: tuple[Any, ...], known: dict[str, Any]) -> tuple[Any, ...]:
    """The event of a communicator."""
    host, pid, comm, rank, nranks, nodes = key
    said = {"comm_rank": rank, "nranks": nranks, "nodes": nodes, **{name: value for name, value in known.items() if name != "line"}}
    fields = [{"key": name, "value": str(value)} for name, value in said.items() if value is not None]
    message = f"{known['operations']} operations of rank {rank} in {comm}"
    return known["line"], host, pid, comm, "nccl.inspector", 1, message, fields


def obj(value: Any) -> dict[str, Any]:
    """An object; an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def whole(value: Any, below: int = 1 << 63) -> int | None:
    """A number that fits its column, without its fraction."""
    return int(value) if isinstance(value, (int, float)) and 0 <= value < below else None
