-- Single steps that took at least ten seconds and twice the usual time longer than usual, with the time between which that happened where the lines show it.
-- Checkpoints and evaluation make such steps too: only together with something else they mean anything.
WITH usual AS (
  SELECT attempt, median(ms) AS ms FROM step_times WHERE in_ms AND nth > 3 GROUP BY ALL),
excess AS (
  SELECT t.*, u.ms AS usual_ms, coalesce(t.gap_ms - t.span * u.ms, t.ms - u.ms) AS excess_ms
  FROM step_times t
  JOIN usual u ON u.attempt IS NOT DISTINCT FROM t.attempt
  WHERE t.in_ms AND t.nth > 3 AND coalesce(t.span, 1) > 0)
SELECT attempt, iteration, coalesce(previous_ts, ts - to_milliseconds(CAST(usual_ms + excess_ms AS BIGINT))) AS began, ts AS ended, usual_ms, excess_ms,
       file_id, line, part
FROM excess
WHERE excess_ms >= 10000 AND excess_ms >= 2 * usual_ms
