"""Keeps a scan within the memory it was given: how many workers, and how much each may hold at once."""

# The most that one worker held while it read dense logs and judged small cases, and the program that leads them.
WORKER_BYTES = 640 << 20
LEADER_BYTES = 320 << 20
# Of a worker's memory what is not DuckDB's: Python, polars and the rows on their way.
OWN_BYTES = 256 << 20
LEAST_QUERY_BYTES = 192 << 20
SMALL_BATCH_BYTES = 8 << 20


def workers_within(memory: int | None, wanted: int) -> int:
    """How many workers fit into so many bytes; one at least."""
    return wanted if memory is None else max(1, min(wanted, (memory - LEADER_BYTES) // WORKER_BYTES))


def share_of(memory: int | None, workers: int) -> int | None:
    """The bytes that each of so many workers may hold."""
    return None if memory is None else max((memory - LEADER_BYTES) // max(workers, 1), OWN_BYTES + LEAST_QUERY_BYTES)


def settle(memory: int | None) -> None:
    """Makes this process keep within so many bytes: what does not fit, queries put on disk. Changes no result."""
    if memory is None:
        return
    from ncclscope import case, ingest  # noqa: PLC0415  # DuckDB and polars: who has no limit may need only one of them

    case.MEMORY_LIMIT = f"{max(memory - OWN_BYTES, LEAST_QUERY_BYTES) >> 20}MB"
    if memory < WORKER_BYTES:
        ingest.BATCH_BYTES = SMALL_BATCH_BYTES
