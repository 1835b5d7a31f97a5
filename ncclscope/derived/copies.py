"""Which sources hold what another source holds too: their rows count once."""

from collections.abc import Sequence

from ncclscope.case import Case
from ncclscope.derived.source import Source
from ncclscope.pathhints import Hints, hints


def mark_copies(found: Sequence[Source]) -> None:
    """The same content under two names counts once, unless the names speak of different ranks or hosts."""
    seen: set[tuple[str, Hints]] = set()
    for source in found:
        digest = source.pieces[0]["digest"] if len(source.pieces) == 1 else ""
        identity = digest, hints(source.name, ())
        source.duplicate = bool(digest) and source.pieces[0]["size_bytes"] > 0 and identity in seen
        seen.add(identity)


def mark_streams(case: Case, found: Sequence[Source]) -> None:
    """A per-rank file whose warnings and errors all stand in a console too is the same stream: torchrun's tee."""
    rows = case.sql(
        """WITH keyed AS (
          SELECT DISTINCT file_id, hash(kind, message, ts, pid, rank) AS k
          FROM events_raw WHERE severity >= 2 AND (ts_from = 'line' OR pid IS NOT NULL)),
        size AS (SELECT file_id, count(*) AS n FROM keyed GROUP BY file_id),
        common AS (
          SELECT a.file_id AS small, b.file_id AS large, count(*) AS c
          FROM keyed a JOIN keyed b ON a.k = b.k AND a.file_id <> b.file_id GROUP BY ALL)
        SELECT DISTINCT small FROM common JOIN size s ON s.file_id = small JOIN size l ON l.file_id = large
        WHERE c >= 0.9 * s.n AND l.n > s.n"""
    )
    copies = {row[0] for row in rows}
    for source in found:
        source.duplicate = source.duplicate or source.file_id in copies
