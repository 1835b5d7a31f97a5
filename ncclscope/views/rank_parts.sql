-- What each rank spent in a step beside the other ranks of the same step: `own_ms` is what it did itself (loading and computing), `excess` how much longer
-- that took than the median of the others, as a share of the step. A rank that waits in `sync_ms` is a victim. Copies of a line count once.
WITH part AS (
  SELECT attempt, rank, iteration, avg(data_ms) AS data_ms, avg(compute_ms) AS compute_ms, avg(sync_ms) AS sync_ms, avg(step_ms) AS step_ms,
         min(ts) AS ts, min(file_id) AS file_id, min(line) AS line, min(part) AS part
  FROM (SELECT attempt, rank, iteration, data_ms, compute_ms, sync_ms, step_ms, ts, file_id, line, part FROM train_step_parts WHERE spans IS NULL
        UNION ALL   -- the same in words of the program's own
        SELECT attempt, rank, iteration, data_ms, compute_ms, sync_ms, NULL, ts, file_id, line, part FROM step_spans
        UNION ALL   -- step lines with the part that a rank waits alone
        SELECT attempt, rank, iteration, data_ms, NULL, NULL, greatest(step_ms, data_ms), ts, file_id, line, part FROM steps
        WHERE data_ms IS NOT NULL AND step_ms IS NOT NULL AND NOT duplicate)
  WHERE rank IS NOT NULL AND iteration IS NOT NULL AND (data_ms IS NOT NULL OR compute_ms IS NOT NULL)
  GROUP BY ALL),
split AS (
  SELECT p.*, CASE WHEN compute_ms IS NOT NULL OR sync_ms IS NOT NULL
                   THEN coalesce(step_ms - sync_ms, coalesce(data_ms, 0) + coalesce(compute_ms, 0)) ELSE data_ms END AS own_ms
  FROM part p),
everybody AS (
  SELECT attempt, iteration, count(*) AS n, median(own_ms) AS own_ms, median(data_ms) AS data_ms, median(sync_ms) AS sync_ms FROM split GROUP BY ALL),
few AS (   -- among few, each is left out of its own comparison; among many that changes nothing and costs the square
  SELECT a.attempt, a.iteration, a.rank, median(o.own_ms) AS own_ms, median(o.data_ms) AS data_ms, median(o.sync_ms) AS sync_ms
  FROM split a
  JOIN everybody e ON e.attempt IS NOT DISTINCT FROM a.attempt AND e.iteration = a.iteration AND e.n <= 16
  JOIN split o ON o.attempt IS NOT DISTINCT FROM a.attempt AND o.iteration = a.iteration AND o.rank <> a.rank
  GROUP BY ALL),
compared AS (
  SELECT s.*, e.n - 1 AS others, coalesce(f.own_ms, e.own_ms) AS others_own_ms, coalesce(f.data_ms, e.data_ms) AS others_data_ms,
         coalesce(f.sync_ms, e.sync_ms) AS others_sync_ms, coalesce(s.step_ms, s.own_ms + coalesce(s.sync_ms, 0)) AS whole_ms
  FROM split s
  JOIN everybody e ON e.attempt IS NOT DISTINCT FROM s.attempt AND e.iteration = s.iteration AND e.n > 1
  LEFT JOIN few f ON f.attempt IS NOT DISTINCT FROM s.attempt AND f.iteration = s.iteration AND f.rank = s.rank)
SELECT *, (own_ms - others_own_ms) / nullif(whole_ms, 0) AS excess, own_ms - others_own_ms AS excess_ms, coalesce(data_ms - others_data_ms, 0) AS data_excess_ms
FROM compared
