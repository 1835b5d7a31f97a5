"""(file_id, line, part) back to the original text, for as long as the source is there."""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from ncclscope import sources, text
from ncclscope.case import Case
from ncclscope.findings import Key
from ncclscope.sources import Block, Source

# Lines up to here are shown whole; of longer ones, which glue a progress bar or other ranks to the record, the part
# from shortly before the record's message.
WHOLE = 2000
# More lines than this of one plain file are cheaper in one pass than by seeking to each (1 ms or so).
SEEKS = 400
PASS_BYTES = 4 << 20


@dataclass(slots=True)
class _Wanted:
    """A source and the lines of it that are asked for, with their offsets where rows have kept them."""

    file_id: int
    location: str
    member: str | None
    size: int
    offsets: dict[int, int | None]


def texts(case: Case, keys: Iterable[Key]) -> dict[Key, str]:
    """The original line of each key; the stored message where the source is gone; "" where neither is."""
    every = sorted(set(keys))
    kept = _kept(case, every)
    found: dict[tuple[int, int], str] = {}
    for location, several in groupby(_wanted(case, every, kept), attrgetter("location")):
        found |= _read(location, list(several))
    out = {}
    for key in every:
        message = kept[key][1] if key in kept else ""
        line = found.get(key[:2])
        out[key] = around(line, message) if line else message.partition("\n")[0]
    return out


def around(line: str, message: str) -> str:
    """The line, or, of one too long to show, what surrounds the message."""
    if len(line) <= WHOLE:
        return line
    at = max(line.find(message.partition("\n")[0][:80]), 0)
    begin = max(line.rfind("\r", 0, at) + 1, at - WHOLE // 4)
    end = line.find("\r", at)
    return line[begin : end if end >= 0 else len(line)]


def _kept(case: Case, keys: list[Key]) -> dict[Key, tuple[int, str]]:
    """Offset and message of each key that is an event."""
    if not keys:
        return {}
    columns = [list(column) for column in zip(*keys, strict=True)]
    rows = case.sql(
        """WITH keys AS (SELECT unnest($1::UBIGINT[]) AS file_id, unnest($2::UBIGINT[]) AS line, unnest($3::UINTEGER[]) AS part)
        SELECT k.file_id, k.line, k.part, e."offset", coalesce(e.message, '')
        FROM   events_raw e
        JOIN   pieces p ON p.file_id = e.file_id AND p.piece = e.piece
        JOIN   keys k   ON k.file_id = e.file_id AND k.line = e.line + p.base AND k.part = e.part""",
        *columns,
    )
    return {(a, b, c): (offset, message) for a, b, c, offset, message in rows}


def _wanted(case: Case, keys: list[Key], kept: Mapping[Key, tuple[int, str]]) -> list[_Wanted]:
    lines: dict[int, dict[int, int | None]] = defaultdict(dict)
    for key in keys:
        file_id, line, _ = key
        offset = kept[key][0] if key in kept else 0
        # Readers of whole files keep no offsets: 0 is one only for the first line.
        lines[file_id][line] = offset if offset or line == 1 else lines[file_id].get(line)
    rows = case.sql("SELECT file_id, location, member, size_bytes FROM files ORDER BY location, member NULLS FIRST")
    return [_Wanted(a, b, c, d, lines[a]) for a, b, c, d in rows if a in lines]


def _read(location: str, wanted: list[_Wanted]) -> dict[tuple[int, int], str]:
    """The lines of all members of one file on disk, in one pass; nothing if it has changed or gone."""
    try:
        source = next(iter(sources.find([location])[0]), None)
        if source is None:
            return {}
        if source.archive:
            return _read_members(source, {one.member or "": one for one in wanted})
        return _read_file(source, wanted[0])
    except (OSError, sources.SourceError):
        return {}


def _read_file(source: Source, wanted: _Wanted) -> dict[tuple[int, int], str]:
    offsets = wanted.offsets
    if source.compression or None in offsets.values() or len(offsets) > SEEKS:
        blocks = sources.read(sources.Parcel((sources.Piece(source),)), PASS_BYTES)
        return {key: line for _, found, _ in blocks for key, line in _pick(found, wanted)}
    if os.path.getsize(source.location) < wanted.size:
        return {}
    return {(wanted.file_id, n): _text(sources.lines_at(source, at)) for n, at in offsets.items() if at is not None}


def _read_members(source: Source, wanted: dict[str, _Wanted]) -> dict[tuple[int, int], str]:
    found: dict[tuple[int, int], str] = {}
    left = set(wanted)
    for member, blocks, _ in sources.read(sources.Parcel((sources.Piece(source),)), PASS_BYTES):
        name = member.member or ""
        if name in left:
            found |= dict(_pick(blocks, wanted[name]))
            left.remove(name)
        if not left:
            break
    return found


def _pick(blocks: Iterator[Block], wanted: _Wanted) -> Iterator[tuple[tuple[int, int], str]]:
    """The wanted lines in one pass, which ends at the last of them."""
    numbers = sorted(wanted.offsets, reverse=True)
    before = 0
    for block in blocks:
        count = block.data.count(b"\n") + (not block.data.endswith(b"\n"))
        if numbers and numbers[-1] <= before + count:
            lines = block.data.split(b"\n")
            while numbers and numbers[-1] <= before + count:
                number = numbers.pop()
                yield (wanted.file_id, number), _text(lines[number - before - 1])
        before += count
        if not numbers:
            return


def _text(line: bytes) -> str:
    return text.decode(line.rstrip(b"\r\n"))
