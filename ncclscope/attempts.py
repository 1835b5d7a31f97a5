"""Separates the attempts of a job that was restarted inside one log."""

import itertools
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any

from ncclscope.case import Case

_END = 2**62
_EARLY = datetime(1900, 1, 1)
_FAR = datetime(9999, 1, 1)


def separate(case: Case) -> None:
    """Writes which lines of a source, and which times elsewhere, belong to which attempt; nothing where there is one."""
    starts = _starts(case)
    began = dict(_directories(case))
    named = {attempt for (attempt,) in case.sql("SELECT DISTINCT attempt FROM pieces WHERE attempt IS NOT NULL")}
    last = max((attempt for marks in starts.values() for _, attempt, _ in marks), default=max(named, default=0))
    if not began and not last:
        return
    rows: list[list[Any]] = []
    for file_id, marks in sorted(starts.items()):
        edges = [(0, 0, None), *marks, (_END, 0, None)]
        for (line, attempt, ts), (to_line, _, _) in itertools.pairwise(edges):
            if to_line > line:
                rows.append([file_id, line, to_line, attempt])
            if ts is not None:
                began[attempt] = min(began.get(attempt, ts), ts)
    case.write("spans", rows)
    if not began:
        began = _after_stops(case, last)
    case.write("windows", _windows(began, {0, *named, *(attempt for *_, attempt in rows)} if rows else named))


def _windows(began: dict[int, datetime], known: set[int]) -> list[list[Any]]:
    """From when to when sources that count no attempts belong to which: (attempt, from, to).

    What came before the first beginning that is known belongs to the attempt before it, if there is one. Where no attempt has a
    time, what other sources say is judged with the last: the machine is the same, and that one is asked about.
    """
    order = sorted(began)
    if not order:
        return [[max(known), _EARLY, _FAR]]
    before = [attempt for attempt in known if attempt < order[0]]
    began = {order[0]: _EARLY, **{a: began[a] for a in order[1:]}} if not before else {max(before): _EARLY, **began}
    order = sorted(began)
    ends = [*(began[attempt] for attempt in order[1:]), _FAR]
    return [[attempt, began[attempt], end] for attempt, end in zip(order, ends, strict=True)]


# Signals that are less than a minute apart are one stop of the job's processes.
_STOPS = """
  SELECT epoch_us(min(ts)) AS began, epoch_us(max(ts)) AS ended FROM (
    SELECT ts, count(*) FILTER (WHERE apart) OVER (ORDER BY ts) AS nth FROM (
      SELECT ts, ts > lag(ts) OVER (ORDER BY ts) + to_seconds(60) AS apart FROM elastic_signal_sent
      WHERE ts IS NOT NULL AND ts_from = 'line'))
  GROUP BY nth ORDER BY ALL"""


def _after_stops(case: Case, last: int) -> dict[int, datetime]:
    """When attempts began that tell no time themselves: each after a stop, if as many were stopped as there are, but for the last."""
    stops = [ended for _, ended in case.found(_STOPS)]
    if len(stops) not in (last, last + 1):
        return {}
    return {n: datetime(1970, 1, 1) + timedelta(microseconds=ended + 1000) for n, ended in enumerate(stops[:last], 1)}


def _starts(case: Case) -> dict[int, list[tuple[int, int, datetime | None]]]:
    """For each source the lines at which an attempt begins: (line, attempt, time).

    The agent's `restart_count` counts for sure; where only restarts are announced, they are counted.
    """
    marks: dict[int, list[tuple[int, int, datetime | None]]] = defaultdict(list)
    counted = case.found(
        """SELECT file_id, line, restart_count, ts FROM elastic_rendezvous_complete
        WHERE restart_count IS NOT NULL ORDER BY file_id, line"""
    )
    for file_id, line, attempt, ts in counted:
        if not marks[file_id] or marks[file_id][-1][1] != attempt:
            marks[file_id].append((line, attempt, ts))
    announced = case.found("SELECT file_id, line, ts FROM elastic_restart ORDER BY file_id, line")
    known = {file_id for file_id, marked in marks.items() if marked}
    for file_id, line, ts in announced:
        if file_id not in known:
            marks[file_id].append((line + 1, len(marks[file_id]) + 1, ts))
    found = {file_id: marked for file_id, marked in marks.items() if marked}
    return found or _unannounced(case)


def _unannounced(case: Case) -> dict[int, list[tuple[int, int, datetime | None]]]:
    """Restarts that nothing announces: launchers start again after a failure, a rank comes back as another process, steps go on.

    A launcher's first words count if processes ended since the last ones; a rank's second process counts from its first line;
    steps count after processes of the job were told to end.
    """
    rows = case.found(
        """WITH world AS (SELECT max(nranks) AS n FROM nccl_comm_init),
        born AS (
          SELECT i.file_id, i.host, i.comm_rank, i.pid, min(i.line) AS line
          FROM nccl_comm_init i, world w
          WHERE i.nranks = w.n AND i.pid IS NOT NULL AND i.comm_rank IS NOT NULL AND w.n > 1 GROUP BY ALL),
        numbered AS (      -- in a file of its own a process has no line to compare, and a later one the higher number
          SELECT host, comm_rank, pid, dense_rank() OVER (
            PARTITION BY host, comm_rank ORDER BY CASE WHEN files = 1 THEN line ELSE pid END) - 1 AS attempt
          FROM (SELECT host, comm_rank, pid, min(line) AS line, (SELECT count(DISTINCT o.file_id) FROM born o
                       WHERE o.host IS NOT DISTINCT FROM b.host AND o.comm_rank = b.comm_rank) AS files FROM born b GROUP BY ALL)),
        counted AS (
          SELECT DISTINCT b.file_id, b.pid, n.attempt FROM born b
          JOIN numbered n ON n.host IS NOT DISTINCT FROM b.host AND n.comm_rank = b.comm_rank AND n.pid = b.pid),
        spoke AS (
          SELECT c.file_id, c.attempt, min(e.line) AS line, min(e.ts) AS ts
          FROM counted c
          JOIN events e ON e.file_id = c.file_id AND e.pid = c.pid AND e.source LIKE 'nccl%' WHERE c.attempt > 0 GROUP BY ALL),
        ended AS (         -- elsewhere the next attempt begins where the last process of this one was told to end
          SELECT s.file_id, n.attempt + 1 AS attempt, max(s.line) + 1 AS line, max(s.ts) AS ts FROM elastic_signal_sent s
          JOIN numbered n ON n.pid = s.child_pid AND n.attempt < (SELECT max(attempt) FROM numbered)
          WHERE s.file_id NOT IN (SELECT file_id FROM born) GROUP BY ALL),
        banner AS (
          SELECT file_id, line, ts, lag(line) OVER (PARTITION BY file_id ORDER BY line) AS before FROM elastic_setting
          WHERE note LIKE 'Setting OMP%'),
        again AS (
          SELECT b.file_id, b.line, b.ts, row_number() OVER (PARTITION BY b.file_id ORDER BY b.line) AS attempt FROM banner b
          WHERE b.before IS NOT NULL AND EXISTS (
            SELECT 1 FROM events e WHERE e.file_id = b.file_id AND e.line > b.before AND e.line < b.line AND e.kind IN
            ('elastic.worker_failed', 'elastic.failure_table', 'elastic.signal_sent', 'elastic.death_signal', 'python.traceback'))),
        stopped AS (
          SELECT file_id, line, ts, lead(line) OVER (PARTITION BY file_id ORDER BY line) AS next FROM elastic_signal_sent),
        resumed AS (       -- once its processes are told to end a job may still print a step or two, not more
          SELECT file_id, line + 1 AS line, row_number() OVER (PARTITION BY file_id ORDER BY line) AS attempt,
                 (SELECT max(o.ts) + to_milliseconds(1) FROM elastic_signal_sent o
                  WHERE o.ts >= g.ts AND o.ts < (SELECT min(s.ts) FROM steps s
                                                 WHERE s.file_id = g.file_id AND s.line > g.line AND s.ts > g.ts)) AS ts
          FROM stopped g
          WHERE (SELECT count(*) FROM steps s WHERE s.file_id = g.file_id AND s.line > g.line AND (g.next IS NULL OR s.line < g.next)) >= 3)
        SELECT file_id, line, attempt, ts FROM again
        UNION ALL SELECT file_id, line, attempt, ts FROM spoke WHERE file_id NOT IN (SELECT file_id FROM again)
        UNION ALL SELECT file_id, line, attempt, ts FROM ended WHERE file_id NOT IN (SELECT file_id FROM again)
        UNION ALL SELECT file_id, line, attempt, ts FROM resumed
        WHERE file_id NOT IN (SELECT file_id FROM again UNION SELECT file_id FROM spoke UNION SELECT file_id FROM ended)
        ORDER BY file_id, line"""
    )
    marks: dict[int, list[tuple[int, int, datetime | None]]] = defaultdict(list)
    for file_id, line, attempt, ts in rows:
        if attempt > (marks[file_id][-1][1] if marks[file_id] else 0):
            marks[file_id].append((line, attempt, ts))
    return {file_id: marked for file_id, marked in marks.items() if marked} or _interrupted(case)


def _interrupted(case: Case) -> dict[int, list[tuple[int, int, datetime | None]]]:
    """Restarts seen from another file than the one that counts steps: processes are told to end between two steps, and steps go on.

    The steps have to pause for it: hosts whose clocks disagree are told to
    end in the middle of the steps of others.
    """
    rows = case.sql(
        f"""WITH stop AS ({_STOPS}),
        step AS (
          SELECT file_id, line, ts, lag(ts) OVER w AS before, row_number() OVER w AS nth, count(*) OVER (PARTITION BY file_id) AS steps,
                 epoch(ts - lag(ts) OVER w) AS took
          FROM steps WHERE ts_from = 'line' AND NOT duplicate WINDOW w AS (PARTITION BY file_id ORDER BY line)),
        pace AS (SELECT file_id, median(took) AS usual FROM step GROUP BY file_id)
        SELECT s.file_id, s.line, row_number() OVER (PARTITION BY s.file_id ORDER BY s.line) AS attempt,
               make_timestamp(max(t.ended) + 1000) AS ts
        FROM step s
        JOIN pace p ON p.file_id = s.file_id
        JOIN stop t ON t.began >= epoch_us(s.before) AND t.ended <= epoch_us(s.ts)
        WHERE s.nth > 3 AND s.steps - s.nth >= 2 AND s.took > 3 * p.usual
        GROUP BY s.file_id, s.line ORDER BY s.file_id, s.line"""
    )
    marks: dict[int, list[tuple[int, int, datetime | None]]] = defaultdict(list)
    for file_id, line, attempt, ts in rows:
        marks[file_id].append((line, attempt, ts))
    return dict(marks)


def _directories(case: Case) -> dict[int, datetime]:
    """When the attempts began that a launcher's log directories are numbered by, but the first."""
    rows = case.sql(
        """SELECT p.attempt, min(t.ts) FROM (SELECT DISTINCT file_id, attempt FROM pieces WHERE attempt > 0) p
        JOIN (SELECT file_id, ts FROM events WHERE ts_from = 'line' UNION ALL SELECT file_id, ts FROM steps WHERE ts_from = 'line') t
          ON t.file_id = p.file_id WHERE t.ts IS NOT NULL GROUP BY ALL ORDER BY ALL"""
    )
    return dict(rows)
