"""Flight Recorder dumps: read without ever building an object that is not plain data."""

import io
import json
import pickle
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import polars as pl

from ncclscope.sources import Source

# A ring of 20,000 entries with their stacks takes some 60 MB; more is no genuine dump.
ENTRY = re.compile(r"[\s,]*(?=\{)")  # what stands before each entry
MAX_BYTES = 256 << 20
_BYTES = {"Double": 8, "Long": 8, "Float": 4, "Int": 4, "Half": 2, "BFloat16": 2, "Short": 2, "Byte": 1, "Char": 1, "Bool": 1}
_STATES = ("scheduled", "started", "completed")
_MAX_FRAMES = 64


class Refused(ValueError):
    """The dump asks for more than plain values."""


class _Plain(pickle._Unpickler):  # type: ignore[name-defined]  # the Python half: its memo is a dict, so no index can claim memory
    def find_class(self, module: str, name: str) -> Any:
        raise Refused(f"it asks for {module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise Refused("it asks for a persistent object")


def read(stream: BinaryIO, source: Source) -> Iterator[tuple[str, pl.DataFrame]]:
    """Rows of `collectives`, one event for the dump and one for each of its groups."""
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError("the dump is larger than 256 MiB")
    dump = _load(data)
    end = data.count(b"\n") + 1
    if dump is None:
        dump, end = _whole_part(data)
        rest = range(end + 1 if dump else 1, data.count(b"\n") + 2)
        if rest:
            yield "unread", pl.DataFrame({"line": rest}, schema={"line": pl.UInt64})
        if dump is None:
            return
    entries = [entry for entry in dump.get("entries") or [] if isinstance(entry, dict)]
    rank = pl.lit(_rank(source.path, dump), dtype=pl.Int32).alias("rank")
    yield "events", _events(dump, entries).with_columns(rank)
    if entries:
        yield "collectives", _rows(entries).with_columns(rank)


def _whole_part(data: bytes) -> tuple[dict[str, Any] | None, int]:
    """What is whole of JSON that was cut or has something behind it, and the line it ends in."""
    text, decoder = data.decode("utf-8", "replace"), json.JSONDecoder()
    try:
        whole, at = decoder.raw_decode(text, len(text) - len(text.lstrip()))
        return (whole if _is_dump(whole) else None), text.count("\n", 0, at) + 1
    except (ValueError, RecursionError):
        pass
    dump: dict[str, Any] = {"entries": []}
    at = 0
    for key in ("version", "pg_config", "pg_status"):
        if found := re.search(rf'"{key}"\s*:\s*', text):
            try:
                dump[key], end = decoder.raw_decode(text, found.end())
                at = max(at, end)
            except (ValueError, RecursionError):
                continue
    if found := re.search(r'"entries"\s*:\s*\[', text):
        at = found.end()
        while begin := ENTRY.match(text, at):
            try:
                entry, at = decoder.raw_decode(text, begin.end())
            except (ValueError, RecursionError):
                break
            dump["entries"].append(entry)
    return (dump if dump["entries"] or "pg_config" in dump else None), text.count("\n", 0, at) + 1


def _is_dump(value: Any) -> bool:
    return isinstance(value, dict) and ("pg_config" in value or "pg_status" in value or "entries" in value)


_LAST_NUMBER = re.compile(r"(?:^|[^0-9])(\d{1,6})(?:\.(?:json|pkl|pickle|pt|bin|dump))?(?:\.(?:gz|zst|xz|bz2))?$", re.I)


def _rank(path: str, dump: dict[str, Any]) -> int | None:
    """The number at the end of the file's name, if the job has such a rank: dumps are one file a rank, whatever somebody called them."""
    number = _LAST_NUMBER.search(path)
    groups = dump.get("pg_config")
    members = [
        _text(group.get("ranks")) or "" for group in (groups.values() if isinstance(groups, dict) else ()) if isinstance(group, dict)
    ]
    world = {int(rank) for text in members for rank in re.findall(r"\d{1,6}", text)}
    return int(number[1]) if number and int(number[1]) in world else None


def _load(data: bytes) -> dict[str, Any] | None:
    """The dump as a dict; None if the JSON is something else. Raises ValueError when it is damaged or refused."""
    if data[:1] == b"\x80":
        try:
            dump = _Plain(io.BytesIO(data)).load()
        except Refused:
            raise
        except Exception as error:  # a damaged pickle may raise anything
            raise ValueError(f"the pickle is damaged ({type(error).__name__})") from None
        # torch 2.2 wrote a bare list.
        return dump if isinstance(dump, dict) else {"entries": dump if isinstance(dump, list) else []}
    try:
        dump = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return dump if _is_dump(dump) else None


def _events(dump: dict[str, Any], entries: list[dict[str, Any]]) -> pl.DataFrame:
    first = entries[0].get("record_id") if entries else None
    about = {"version": _text(dump.get("version")), "entries": str(len(entries)), "first_record": _text(first)}
    rows: list[tuple[str, str, dict[str, Any]]] = [("torch.fr.dump", f"flight recorder dump of {len(entries)} entries", about)]
    groups = dump.get("pg_config")
    for name, group in sorted(groups.items() if isinstance(groups, dict) else ()):
        if isinstance(group, dict) and name:
            said = {"pg_name": _text(group.get("name")), "pg_desc": _text(group.get("desc")), "members": _text(group.get("ranks"))}
            rows.append(("torch.fr.group", f"process group {name}", said))
    fields = [[{"key": key, "value": value} for key, value in said.items() if value is not None] for _, _, said in rows]
    columns = {
        "line": [1] * len(rows),
        "part": range(len(rows)),
        "kind": [kind for kind, _, _ in rows],
        "message": [message for _, message, _ in rows],
        "fields": fields,
    }
    return pl.DataFrame(columns, schema=_EVENT_SCHEMA)


_EVENT_SCHEMA = {
    "line": pl.UInt64,
    "part": pl.UInt32,
    "kind": pl.String,
    "message": pl.String,
    "fields": pl.List(pl.Struct({"key": pl.String, "value": pl.String})),
}


def _rows(entries: list[dict[str, Any]]) -> pl.DataFrame:
    frame = pl.DataFrame([_row(part, entry) for part, entry in enumerate(entries)], schema=_SCHEMA, orient="row", strict=False)
    # Entries are parts of line 1, after the events about the dump itself.
    return frame.with_columns(
        *(pl.from_epoch(pl.col(name), "ns").cast(pl.Datetime("us")).alias(name) for name in ("created", "started", "completed")),
    ).with_columns(ts=pl.coalesce("created", "started", "completed"), ts_clock=pl.lit(0, dtype=pl.Int8))


_SCHEMA = {
    "line": pl.UInt64,
    "part": pl.UInt32,
    "comm": pl.String,
    "seq": pl.Int64,
    "op": pl.String,
    "state": pl.String,
    "dtype": pl.String,
    "count": pl.Int64,
    "in_bytes": pl.Int64,
    "out_bytes": pl.Int64,
    "peer_rank": pl.Int32,
    "created": pl.Int64,
    "started": pl.Int64,
    "completed": pl.Int64,
    "duration_us": pl.Int64,
    "shape": pl.String,
    "stack": pl.List(pl.String),
}


def _row(part: int, entry: dict[str, Any]) -> tuple[Any, ...]:
    name, description = _group(entry.get("process_group"), entry.get("pg_id"))
    backend, _, op = _text(entry.get("profiling_name") or "").partition(":")
    op, peer = _peer(op or backend)
    sent, got = _sizes(entry.get("input_sizes")), _sizes(entry.get("output_sizes"))
    dtypes = entry.get("input_dtypes")
    dtype = _text(dtypes[0]) if isinstance(dtypes, list) and dtypes else None
    width = _BYTES.get(dtype or "")
    return (
        1,
        part,
        description if description not in ("", "undefined") else name,
        None if entry.get("is_p2p") else _number(entry.get("collective_seq_id", entry.get("seq_id"))),
        op,
        _state(backend, entry),
        dtype,
        sent,
        sent * width if sent is not None and width else None,
        got * width if got is not None and width else None,
        peer,
        _number(entry.get("time_created_ns")) or (_number(entry.get("time_created_us")) or 0) * 1000 or None,
        _number(entry.get("time_discovered_started_ns")) or None,
        _number(entry.get("time_discovered_completed_ns")) or None,
        round(float(entry["duration_ms"]) * 1000) if isinstance(entry.get("duration_ms"), (int, float)) else None,
        json.dumps([entry.get("input_sizes"), entry.get("output_sizes")], separators=(",", ":"), default=str)[:2000],
        [_frame(frame) for frame in (entry.get("frames") or [])[:_MAX_FRAMES] if isinstance(frame, dict)],
    )


def _state(backend: str, entry: dict[str, Any]) -> str | None:
    state = entry.get("state")
    if backend == "gloo" and entry.get("retired") and state == "scheduled":
        return "completed"
    if entry.get("retired") and state != "completed" and backend == "nccl":
        return "timed_out"
    return state if state in _STATES else None


def _group(group: Any, pg_id: Any) -> tuple[str, str]:
    if isinstance(group, (list, tuple)) and len(group) == 2:
        return _text(group[0]) or "", _text(group[1]) or ""
    return (_text(group) or "", "") if group is not None else (str(pg_id), "")


_P2P = re.compile(r"^(send|recv) (\d+)(->|<-)(\d+)$")


def _peer(op: str) -> tuple[str, int | None]:
    """`send 1->2` and `recv 3<-0` name ranks of the group; the far one is the peer."""
    match = _P2P.match(op)
    return (match[1], int(match[4])) if match else (op, None)


def _sizes(sizes: Any) -> int | None:
    """Elements of all tensors together."""
    if not isinstance(sizes, list):
        return None
    total = 0
    for shape in sizes:
        elements = 1
        for length in shape if isinstance(shape, list) else ():
            elements *= length if isinstance(length, int) else 0
        total += elements
    return total if 0 <= total < 2**63 else None


def _frame(frame: dict[str, Any]) -> str:
    return f"{_text(frame.get('name'))} ({_text(frame.get('filename'))}:{_text(frame.get('line'))})"


def _number(value: Any) -> int | None:
    try:
        return int(value) if value is not None and not isinstance(value, bool) and -(2**63) <= int(value) < 2**63 else None
    except (TypeError, ValueError, OverflowError):
        return None


def _text(value: Any) -> Any:
    return None if value is None else str(value)
