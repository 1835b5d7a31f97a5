-- Workers that a signal ended, as the agent's own line says where its table is not in the input. Their rank: from what the rendezvous gave this
-- agent, or the local one where this agent's workers are the whole job.
WITH failed AS (
  SELECT * FROM elastic_worker_failed w
  WHERE  w.exitcode IN (-4, -7, -8, -9, -11) AND w.local_rank IS NOT NULL
  AND    NOT EXISTS (SELECT 1 FROM elastic_child_failed c WHERE c.attempt IS NOT DISTINCT FROM w.attempt)),
given AS (       -- the last rendezvous before it
  SELECT f.file_id, f.line, f.part, max_by(r.global_ranks, r.line) AS global_ranks
  FROM   failed f
  JOIN   elastic_rendezvous_complete r ON r.file_id = f.file_id AND r.line < f.line AND r.pid IS NOT DISTINCT FROM f.pid
  WHERE  r.global_ranks IS NOT NULL
  GROUP  BY ALL),
child AS (
  SELECT attempt, file_id, pid, child_pid FROM elastic_signal_sent WHERE child_pid IS NOT NULL
  UNION  SELECT attempt, file_id, pid, child_pid FROM elastic_worker_failed WHERE child_pid IS NOT NULL),
heard AS (       -- not from the table of ranks, which is made from this
  SELECT attempt, rank FROM events WHERE rank IS NOT NULL AND NOT duplicate UNION SELECT attempt, rank FROM steps WHERE rank IS NOT NULL),
size AS (
  SELECT attempt, count(*) AS n, max(rank) + 1 AS last FROM heard GROUP BY attempt),
alone AS (       -- one agent, and as many workers as the job has ranks
  SELECT c.attempt
  FROM   child c
  JOIN   size s ON s.attempt IS NOT DISTINCT FROM c.attempt
  GROUP  BY c.attempt, s.n, s.last
  HAVING count(DISTINCT (c.file_id, c.pid)) = 1 AND count(DISTINCT c.child_pid) = s.n AND s.n = s.last)
SELECT f.attempt, coalesce(TRY_CAST(trim(string_split(g.global_ranks, ',')[f.local_rank + 1]) AS INTEGER), CASE WHEN a.attempt IS NOT NULL THEN f.local_rank END) AS rank,
       f.host, f.child_pid AS pid, f.exitcode, f.local_rank, f.ts, f.file_id, f.line, f.part
FROM   failed f
LEFT JOIN given g ON g.file_id = f.file_id AND g.line = f.line AND g.part = f.part
LEFT JOIN alone a ON a.attempt IS NOT DISTINCT FROM f.attempt
