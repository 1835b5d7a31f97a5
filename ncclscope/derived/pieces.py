"""The table `pieces`: what the rows of a source need to be complete, as far as it is settled."""

from collections.abc import Sequence

from ncclscope.case import Case
from ncclscope.derived.source import Source


def write(case: Case, found: Sequence[Source]) -> None:
    """Written anew whenever more is settled: the views of rows read it."""
    rows = []
    for source in found:
        base = 0
        for piece in source.pieces:
            rows.append(
                [
                    *(source.file_id, piece["start"], base, source.zone_us, source.skew_us),
                    *(source.year, source.wraps, source.boot),
                    *(source.host, source.rank, source.hints.attempt, source.duplicate, source.name),
                ]
            )
            base += piece["lines"]
    case.write("pieces", rows)
