"""Two cases side by side: facts of each as named values, and what one has that the other has not."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ncclscope import text
from ncclscope.case import Case, QueryError
from ncclscope.sources import Parcel, Piece, Source, read
from ncclscope.walk import sniff

# How far a number may be from the other before it is a difference: steps and clocks vary by some percent between good runs.
CHANGE = 0.1
# Of lines that no parser knows so many bytes of text are looked through in each case.
UNKNOWN_BYTES = 64 << 20
_MASKED = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*\b|\d+(?:\.\d+)*")

Facts = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Difference:
    """One item: `good` or `bad` is None where that run has no such thing."""

    section: str
    item: str
    good: Any
    bad: Any


# Each section: its name, what it is about, and a query with items and values. NULL items are left out.
_QUERIES = {
    "findings": "SELECT kind, max(summary) FROM findings WHERE role <> 'context' AND severity <> 'info' GROUP BY kind",
    "transports": """
        SELECT transport || CASE WHEN gdr THEN ' with GPUDirect RDMA' ELSE '' END,
               printf('%.0f %% of connections', 100.0 * count(*) / sum(count(*)) OVER ())
        FROM connections WHERE transport IS NOT NULL GROUP BY transport, gdr""",
    "channels": """
        SELECT printf('of communicators of %d ranks', coalesce(nranks, 0)), string_agg(DISTINCT n::VARCHAR, ', ' ORDER BY n::VARCHAR)
        FROM (SELECT host, pid, comm_ptr, max(channel) + 1 AS n FROM connections WHERE channel IS NOT NULL GROUP BY ALL) c
        LEFT JOIN (SELECT DISTINCT host, pid, comm_ptr, nranks FROM communicators) m USING (host, pid, comm_ptr) GROUP BY nranks""",
    "env": """
        SELECT name, string_agg(DISTINCT value, ' | ' ORDER BY value) FROM nccl_env WHERE name IS NOT NULL GROUP BY name""",
    "versions": """
        SELECT 'NCCL', string_agg(DISTINCT nccl, ', ' ORDER BY nccl) FROM hosts WHERE nccl IS NOT NULL
        UNION ALL SELECT 'GPU driver', string_agg(DISTINCT driver, ', ' ORDER BY driver) FROM hosts WHERE driver IS NOT NULL
        UNION ALL SELECT kind, string_agg(DISTINCT message, ' | ' ORDER BY message) FROM events
        WHERE kind LIKE '%version' AND kind <> 'nccl.version' AND NOT duplicate GROUP BY kind HAVING count(DISTINCT message) <= 8""",
    "topology": """
        SELECT 'ranks', max(world_size)::VARCHAR FROM ranks
        UNION ALL SELECT 'hosts', count(DISTINCT host)::VARCHAR FROM hosts
        UNION ALL SELECT 'ranks on a host', string_agg(DISTINCT n::VARCHAR, ', ' ORDER BY n::VARCHAR)
          FROM (SELECT host, count(DISTINCT rank) AS n FROM ranks WHERE host IS NOT NULL GROUP BY attempt, host)
        UNION ALL SELECT 'sizes of communicators', string_agg(DISTINCT nranks::VARCHAR, ', ' ORDER BY nranks::VARCHAR) FROM communicators
        UNION ALL SELECT 'networks', string_agg(DISTINCT message, ' | ' ORDER BY message) FROM events WHERE kind = 'nccl.net.using'
        UNION ALL SELECT 'network devices of a host', string_agg(DISTINCT regexp_replace(message, ';.*', ''), ' | '
          ORDER BY regexp_replace(message, ';.*', '')) FROM events WHERE kind = 'nccl.net.ib.using'
        UNION ALL SELECT 'paths', string_agg(DISTINCT message, ' | ' ORDER BY message) FROM events WHERE kind = 'nccl.topo.pattern'""",
    "speeds": """
        SELECT printf('%s of %d bytes, bus bandwidth in GB/s', coalesce(op, 'operation'), size_bytes), median(best_busbw)
        FROM bench_rows WHERE best_busbw > 0 AND size_bytes >= 1048576 GROUP BY op, size_bytes""",
    "step times": """
        SELECT item, value FROM (
          SELECT 'median step in ms' AS item, median(step_ms) AS value FROM steps WHERE step_ms IS NOT NULL
          UNION ALL SELECT '95 % of steps within ms', quantile_cont(step_ms, 0.95) FROM steps WHERE step_ms IS NOT NULL
          UNION ALL SELECT 'median throughput', median(throughput) FROM steps WHERE throughput IS NOT NULL)""",
    "counters": """
        SELECT name, sum(growth) FROM (
          SELECT name, host, device, gpu, max(value) - min(value) AS growth FROM metrics
          WHERE mode = 'counter' GROUP BY ALL HAVING count(*) > 1) GROUP BY name HAVING sum(growth) > 0""",
    "gauges": """
        SELECT name || coalesce(' in ' || unit, '') || ', median', median(value) FROM metrics WHERE mode = 'gauge' GROUP BY name, unit""",
    "kinds of lines": "SELECT kind, count(*) FROM events WHERE NOT duplicate GROUP BY kind",
}
# Sections in which a number says how often, so that only what one run lacks altogether counts.
_PRESENCE = ("kinds of lines", "unknown lines", "findings")


def facts(case: Case) -> Facts:
    """The facts of a case by section and item."""
    out: Facts = {"verdict": {}}
    for number, (status, sentence) in enumerate(case.sql("SELECT status, sentence FROM verdicts ORDER BY attempt")):
        out["verdict"][f"attempt {number}" if number else "verdict"] = f"{status}: {sentence}"
    for section, query in _QUERIES.items():
        try:
            rows = case.sql(query)
        except QueryError as error:
            # A pack may replace what a query reads.
            rows = [("could not be compared", " ".join(str(error).split())[:200])]
        out[section] = {item: value for item, value in rows if item is not None and value is not None}
    out["unknown lines"] = unknown(case)
    return out


def differences(good: Mapping[str, Mapping[str, Any]], bad: Mapping[str, Mapping[str, Any]]) -> Iterator[Difference]:
    """What differs, by section: first what only the bad run has, then what changed, then what only the good one has."""
    for section in dict.fromkeys((*good, *bad)):
        before, after = good.get(section, {}), bad.get(section, {})
        found = [Difference(section, item, before.get(item), after.get(item)) for item in {*before, *after}]
        changed = [one for one in found if _differs(one)]
        yield from sorted(changed, key=lambda one: (_rank(one), one.item))


def _rank(one: Difference) -> int:
    return 0 if one.good is None else 2 if one.bad is None else 1


def _differs(one: Difference) -> bool:
    if one.good is None or one.bad is None:
        return True
    if one.section in _PRESENCE:
        return False
    if isinstance(one.good, int | float) and isinstance(one.bad, int | float):
        return abs(one.bad - one.good) > CHANGE * max(abs(one.good), abs(one.bad))
    return bool(one.good != one.bad)


def unknown(case: Case) -> dict[str, Any]:
    """Lines that no parser knows, with numbers masked, and how many there are; of sources that are still there."""
    wanted = case.sql(
        """SELECT file_id, argument, path, member, location FROM files
        WHERE unknown > 0 AND status IN ('ok', 'partial', 'unrecognised') ORDER BY argument, path, member"""
    )
    by_place = {(location, member): file_id for file_id, _, _, member, location in wanted}
    opened = {location: (argument, path) for _, argument, path, _, location in wanted}
    counts: Counter[str] = Counter()
    left = UNKNOWN_BYTES
    for location, (argument, path) in opened.items():
        try:
            outer = sniff(Source(0, argument, path, None, location, 0, 0, None, None))
        except OSError:
            continue
        for source, blocks, _ in read(Parcel((Piece(outer),))):
            file_id = by_place.get((location, source.member))
            if file_id is None or left <= 0:
                continue
            known = _known(case, file_id)
            number = 0
            for block in blocks:
                left -= len(block.data)
                for line in text.decode(block.data).split("\n"):
                    number += 1
                    if number not in known and line.strip():
                        counts[masked(line)] += 1
                number -= 1  # what follows the last newline is the next block's
                if left <= 0:
                    break
    return dict(counts)


def _known(case: Case, file_id: int) -> set[int]:
    """The numbers of the lines of a source that records were made of."""
    known: set[int] = set()
    for line, count in case.sql("SELECT line, max(n_lines) FROM events WHERE file_id = ? GROUP BY line", file_id):
        known.update(range(line, line + count))
    for table in ("collectives", "connections", "steps", "metrics"):
        known.update(row[0] for row in case.sql(f"SELECT DISTINCT line FROM {table} WHERE file_id = ?", file_id))
    return known


def masked(line: str) -> str:
    """The line without what changes from run to run: numbers, addresses, times."""
    return " ".join(_MASKED.sub("#", text.strip_ansi(line)).split())[:200]
