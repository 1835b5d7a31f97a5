"""The beginnings and ends of large evidence, for a first word seconds after the start: causes stand where logs end."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ncclscope import scan
from ncclscope.sources import Parcel, Piece
from ncclscope.summaries import PieceSummary, Summary

# Less than this is read whole before a first word would be of use.
WORTH_BYTES = 256 << 20
# What is looked at altogether, and of one source at the least and at the most; a quarter of it is the beginning.
BUDGET_BYTES = 24 << 20
LEAST_BYTES, MOST_BYTES = 16 << 10, 2 << 20
PARCEL_BYTES = 4 << 20


def plan(todo: scan.Plan, extra: tuple[str, ...] = ()) -> scan.Plan | None:
    """What to look at first; None where that is not worth it. Compressed files and archives show nothing without being read."""
    plain = [source for source in todo.sources if source.size and not (source.compression or source.archive)]
    if sum(source.size for source in plain) < WORTH_BYTES:
        return None
    from ncclscope import ingest  # noqa: PLC0415  # polars, which small evidence is opened again without

    each = min(max(BUDGET_BYTES // len(plain), LEAST_BYTES), MOST_BYTES)
    large = [source for source in plain if source.size > each and not ingest.is_read_whole(source, extra)]
    begins = [Piece(source, 0, each // 4) for source in large] + [Piece(source) for source in plain if source.size <= each]
    ends = [Piece(source, source.size - each * 3 // 4) for source in large]
    # No parcel has two pieces of one source.
    return replace(todo, parcels=(*_parcels(begins), *_parcels(ends)))


def _parcels(pieces: Sequence[Piece]) -> Iterator[Parcel]:
    held: list[Piece] = []
    for piece in pieces:
        held.append(piece)
        if sum((one.end or one.source.size) - one.start for one in held) >= PARCEL_BYTES:
            yield Parcel(tuple(held))
            held = []
    if held:
        yield Parcel(tuple(held))


def bridged(found: Sequence[Summary]) -> list[Summary]:
    """The summaries with the lines between beginning and end of a source as an estimate, which lines of the end count from."""
    first = {piece.file_id: piece for summary in found for piece in summary.pieces if piece.start == 0}
    return [replace(summary, pieces=[one for piece in summary.pieces for one in _bridge(first, piece)]) for summary in found]


def _bridge(first: dict[int, PieceSummary], last: PieceSummary) -> Iterator[PieceSummary]:
    begun = first.get(last.file_id)
    if begun is not None and last.start > begun.size_bytes:
        gap, seen = last.start - begun.size_bytes, max(begun.size_bytes + last.size_bytes, 1)
        lines, matched = ((a + b) * gap // seen for a, b in ((begun.lines, last.lines), (begun.matched, last.matched)))
        between = replace(begun, start=begun.size_bytes, size_bytes=gap, lines=lines, matched=matched)
        yield replace(between, damaged=0, digest="", times=[])
    yield last
