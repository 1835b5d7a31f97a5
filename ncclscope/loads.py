"""Zones that times do not state, from when the job loaded its hosts.

Telemetry shows when GPUs were busy, counters are read before and after a job: both ends of it as each host's clock shows them. Ends
that differ from another host's, or from the job's own lines, by one number of quarters of an hour differ by their zone.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ncclscope.case import Case

_SECOND_US = 1_000_000
_QUARTER_US = 900 * _SECOND_US
# Pollers look every half minute, clocks are a little off.
_BETWEEN_HOSTS_US = 120 * _SECOND_US
# A launcher speaks before the GPUs work, and after.
OF_LINES_US = 300 * _SECOND_US
_DAY_US = 26 * 3600 * _SECOND_US

# Busy GPUs say more than snapshots of counters, of which there must be two.
_LOADED = """
WITH busy AS (
  SELECT host, epoch_us(min(ts)) AS began, epoch_us(max(ts)) AS ended FROM metrics
  WHERE name = 'utilization.gpu' AND mode = 'gauge' AND value >= 50 AND ts_from = 'line' AND host IS NOT NULL AND NOT duplicate
  GROUP BY host),
counted AS (
  SELECT host, epoch_us(min(ts)) AS began, epoch_us(max(ts)) AS ended FROM metrics
  WHERE mode = 'counter' AND ts_from = 'line' AND host IS NOT NULL AND device IS NOT NULL AND NOT duplicate
  GROUP BY host HAVING count(DISTINCT ts) = 2)
SELECT coalesce(b.host, c.host), coalesce(b.began, c.began), coalesce(b.ended, c.ended)
FROM busy b FULL JOIN counted c ON c.host = b.host
WHERE coalesce(b.ended, c.ended) > coalesce(b.began, c.began)
ORDER BY ALL
"""
# What the job's processes printed: of each file that is mostly theirs, when, and whether the text gives a zone.
_LINES = """
WITH said AS (
  SELECT file_id, ts, ts_from, source LIKE 'nccl%' OR source LIKE 'torch%'
         OR source IN ('progress', 'python', 'traceback', 'steps', 'step_parts', 'checkpoints', 'ray', 'launchers') AS own FROM events
  UNION ALL SELECT file_id, ts, ts_from, true FROM steps)
SELECT file_id, epoch_us(min(ts) FILTER (WHERE ts_from = 'line' AND own)), epoch_us(max(ts) FILTER (WHERE ts_from = 'line' AND own))
FROM said GROUP BY file_id HAVING count(*) FILTER (WHERE own) * 2 > count(*) ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when, in microseconds since the epoch."""

    began: int
    ended: int

    def holds(self, other: "Span", slack_us: int = OF_LINES_US) -> bool:
        """Does the other lie inside, but for the slack?"""
        return self.began - slack_us <= other.began and other.ended <= self.ended + slack_us

    def moved(self, by_us: int) -> "Span":
        """The same, so much earlier."""
        return Span(self.began - by_us, self.ended - by_us)


def loaded(case: Case) -> dict[str, Span]:
    """For each host when the job loaded it, as its own clock shows."""
    return {host: Span(began, ended) for host, began, ended in case.found(_LOADED)}


def lines(case: Case) -> dict[int, Span | None]:
    """The files that the job's processes wrote, with the time that their lines cover."""
    return {file_id: None if began is None else Span(began, ended) for file_id, began, ended in case.sql(_LINES)}


def together(spans: Iterable[Span]) -> Span | None:
    """From the first beginning to the last end; None without any."""
    every = list(spans)
    return Span(min(s.began for s in every), max(s.ended for s in every)) if every else None


def ahead(span: Span, reference: Span, slack_us: int = _BETWEEN_HOSTS_US) -> int | None:
    """By how many microseconds a zone makes a span later than another; None where their ends do not tell."""
    by = round((span.began - reference.began) / _QUARTER_US) * _QUARTER_US
    left = span.moved(by)
    fits = abs(left.began - reference.began) <= slack_us and abs(left.ended - reference.ended) <= slack_us
    return by if fits and abs(by) <= _DAY_US else None


def reference(spans: Mapping[str, Span], anchored: Collection[str], own: Span | None) -> Span | None:
    """The load that others are compared with: of hosts whose zone is known, else of most, else of those who agree with the job's lines."""
    known = [spans[host] for host in sorted(anchored) if host in spans]
    if known:
        return known[0] if all(ahead(span, known[0]) == 0 for span in known) else None
    votes = []
    for host, span in spans.items():
        votes.append((sum(ahead(other, span) == 0 for other in spans.values()), own is not None and span.holds(own), host))
    if not votes:
        return None
    most = max(vote[:2] for vote in votes)
    return spans[min(host for *vote, host in votes if tuple(vote) == most)]


def shifts(case: Case, host_of: Mapping[int, str | None], anchored: Collection[str], own: Collection[int]) -> dict[int, int]:
    """For each file whose zone the load on the hosts tells: by how much its times are ahead, in microseconds.

    `host_of`: the host of each file; `anchored`: hosts that say their zone; `own`: files of the job's processes. Hosts are brought
    together first, then hosts and job: what says its zone stays, and where nothing does, the job's lines do.
    """
    spans = loaded(case)
    said = {file_id: span for file_id, span in lines(case).items() if span is not None and file_id in own}
    target = reference(spans, anchored, together(said.values()))
    if target is None:
        return {}
    found: dict[int, int] = {}
    by_host = {host: by for host, span in spans.items() if host not in anchored and (by := ahead(span, target))}
    for file_id, host in host_of.items():
        by = by_host.get(host or "", 0)
        if file_id not in own:
            found[file_id] = by
        elif file_id in said and by and not target.holds(said[file_id]) and target.holds(said[file_id].moved(by)):
            said[file_id] = said[file_id].moved(by)
            found[file_id] = by
    everything = together(said.values())
    rest = ahead(everything, target, OF_LINES_US) if everything and not target.holds(everything) else None
    for file_id, host in host_of.items() if rest else ():
        if file_id in own and anchored:
            found[file_id] = found.get(file_id, 0) + (rest or 0)
        elif file_id not in own and host in spans and not anchored:
            found[file_id] = found.get(file_id, 0) - (rest or 0)
    return found
