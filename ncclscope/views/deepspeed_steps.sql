-- Steps that DeepSpeed's wall_clock_breakdown timed. The line has no number of the step: it is that of the last line that counts steps above it in
-- the same source, or simply how many such lines there were, where the log level leaves those out.
WITH timed AS (
  SELECT *, fwd_ms + bwd_ms + coalesce(optimizer_ms, 0) AS step_ms, row_number() OVER (PARTITION BY attempt, file_id, rank ORDER BY line, part) AS nth
  FROM   train_deepspeed_parts
  WHERE  scope IS NULL),
counted AS (
  SELECT attempt, file_id, line, iteration FROM train_progress WHERE skipped IS NOT NULL)
SELECT t.attempt, t.file_id, t.rank, coalesce(c.iteration, t.nth) AS iteration, t.line, t.part, t.ts, t.ts_from, t.step_ms, t.fwd_ms, t.compute_ms, t.sync_ms,
       t.optimizer_ms
FROM   timed t
ASOF LEFT JOIN counted c ON c.attempt IS NOT DISTINCT FROM t.attempt AND c.file_id = t.file_id AND c.line <= t.line
