-- Attempts in which a process failed by itself, or a host's hardware or memory did, and since when: what the others then say about their
-- network is the aftermath. Without a time a process's own fault counts as earlier than everything.
WITH own AS (
  SELECT attempt, coalesce(ts, TIMESTAMP '1970-01-01') AS ts FROM own_faults WHERE NOT after_peer_fault
  UNION ALL
  SELECT e.attempt, coalesce(e.ts, TIMESTAMP '1970-01-01') FROM exits_of_ranks e
  -- SIGKILL from the launcher is how a stuck process ends, not how it failed
  WHERE e.signal IN (4, 7, 8, 11) OR (e.signal = 9 AND NOT EXISTS (SELECT 1 FROM elastic_force_kill k WHERE k.attempt IS NOT DISTINCT FROM e.attempt))),
host AS (
  SELECT ts FROM kernel_oom_kill UNION ALL SELECT ts FROM gpu_xid UNION ALL SELECT ts FROM gpu_fell_off_bus UNION ALL SELECT ts FROM kernel_panic)
SELECT attempt, min(ts) AS since
FROM (SELECT attempt, ts FROM own
      UNION ALL
      SELECT s.attempt, h.ts FROM job_spans s JOIN host h ON h.ts BETWEEN s.began - INTERVAL 10 SECOND AND s.ended)
GROUP BY attempt
