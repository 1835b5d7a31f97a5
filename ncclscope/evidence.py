"""(file_id, line, part) back to the original text, for as long as the source is there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from ncclscope import sources, text
from ncclscope.case import Case
from ncclscope.findings import Key

# A source is read at most this far for lines whose offset nobody kept.
MAX_SCAN_BYTES = 512 << 20


def texts(case: Case, keys: Iterable[Key]) -> dict[Key, str]:
    """The original line of each key; the stored message where the source is gone; "" where neither is."""
    wanted: dict[int, set[int]] = defaultdict(set)
    every = sorted(set(keys))
    for file_id, line, _ in every:
        wanted[file_id].add(line)
    found: dict[tuple[int, int], str] = {}
    for file_id, path, member, location in case.sql("SELECT file_id, path, member, location FROM files"):
        if file_id in wanted and member is None:
            found |= {(file_id, n): line for n, line in _lines(Path(location), path, wanted[file_id]).items()}
    missing = [key for key in every if key[:2] not in found]
    stored = _stored(case, missing) if missing else {}
    return {key: found.get(key[:2]) or stored.get(key, "") for key in every}


def _lines(location: Path, path: str, numbers: set[int]) -> Mapping[int, str]:
    """Lines by number, in one pass that ends at the last of them."""
    try:
        source = next(iter(sources.find([str(location)])[0]), None)
        if source is None or source.archive:
            return {}
        out: dict[int, str] = {}
        last = max(numbers)
        number = 0
        with sources.open_stream(source) as stream:
            rest = b""
            done = 0
            while number < last and done < MAX_SCAN_BYTES:
                chunk = stream.read(1 << 20)
                if not chunk:
                    break
                done += len(chunk)
                lines = (rest + chunk).split(b"\n")
                rest = lines.pop()
                for index in numbers:
                    if number < index <= number + len(lines):
                        out[index] = text.decode(lines[index - number - 1].rstrip(b"\r"))
                number += len(lines)
            if rest and number + 1 in numbers:
                out[number + 1] = text.decode(rest)
        return out
    except (OSError, sources.SourceError):
        return {}


def _stored(case: Case, keys: list[Key]) -> dict[Key, str]:
    listed = ", ".join(f"({a}, {b}, {c})" for a, b, c in keys)
    rows = case.sql(f"SELECT file_id, line, part, message FROM events WHERE (file_id, line, part) IN ({listed})")
    return {(a, b, c): (message or "").split("\n")[0] for a, b, c, message in rows}
