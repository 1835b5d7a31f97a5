"""The table `processes`, and which rank a whole source belongs to."""

from collections import defaultdict
from collections.abc import Sequence

from ncclscope.case import Case
from ncclscope.derived.source import Source


def write(case: Case, found: Sequence[Source]) -> None:
    """(host, pid) -> global rank, from the largest communicator; then which rank a whole file belongs to."""
    rows = case.found(
        """WITH world AS (SELECT max(nranks) AS n FROM nccl_comm_init)
        SELECT DISTINCT host, pid, comm_rank FROM nccl_comm_init, world
        WHERE nranks = n AND host IS NOT NULL AND pid IS NOT NULL ORDER BY ALL"""
    )
    ranks: dict[tuple[str, int], set[int]] = defaultdict(set)
    for host, pid, rank in rows:
        ranks[host, pid].add(rank)
    # A process with several GPUs is several ranks: its pid names none of them.
    known = {process: next(iter(several)) for process, several in ranks.items() if len(several) == 1}
    case.write("processes", sorted((host, pid, rank) for (host, pid), rank in known.items()))
    inside: dict[int, set[int | None]] = defaultdict(set)
    for file_id, host, pid in case.sql(
        "SELECT DISTINCT file_id, host, pid FROM events WHERE host IS NOT NULL AND pid IS NOT NULL AND source LIKE 'nccl%'"
    ):
        inside[file_id].add(known.get((host, pid)))
    for source in found:
        one = inside.get(source.file_id, set())
        if len(one) == 1 and None not in one:
            source.rank = next(iter(one))
    by_directory = {_directory(s): s.rank for s in found if s.hints.local_rank is not None and s.rank is not None}
    local = _local_ranks(case)
    for source in found:
        if source.rank is None and source.hints.local_rank is not None:
            source.rank = by_directory.get(_directory(source), local.get((source.host, source.hints.local_rank)))
        if source.rank is None:
            source.rank = source.hints.rank


def _local_ranks(case: Case) -> dict[tuple[str | None, int], int]:
    """(host, local rank) -> global rank, where a launcher's tables say so and never otherwise."""
    rows = case.found(
        """SELECT host, local_rank, min(rank) FROM elastic_child_failed
        WHERE host IS NOT NULL AND local_rank IS NOT NULL GROUP BY ALL HAVING count(DISTINCT rank) = 1"""
    )
    return {(host, local): rank for host, local, rank in rows}


def _directory(source: Source) -> str:
    return source.name.rpartition("/")[0]
