-- How long a step took before and after the pace of the job changed, one row for each attempt whose log shows enough steps. A stretch of at least three
-- steps and a twentieth of the run is judged by its median, so single slow steps (checkpoints, evaluation) do not count.
WITH counted AS (
  SELECT *, count(*) OVER (PARTITION BY attempt) AS n, row_number() OVER (PARTITION BY attempt ORDER BY iteration) - 1 AS position
  FROM step_times
  WHERE ms > 0 AND nth > 3),
cut AS (
  SELECT *, position * least(20, n // 3) // n AS stretch FROM counted),
stretches AS (
  SELECT attempt, stretch, in_ms, median(ms) AS ms, mad(ms) AS spread, count(*) AS steps, min(iteration) AS from_iteration, max(iteration) AS to_iteration,
         min(ts) AS began, max(ts) AS ended, min(file_id) AS file_id, min(line) AS line, min(part) AS part
  FROM cut
  GROUP BY ALL),
usual AS (
  SELECT attempt, quantile_disc(ms, 0.1) AS ms, median(spread) AS spread FROM stretches GROUP BY ALL),
marked AS (     -- 8 % above the usual pace is more than the noise of steps; logs that jump more need more
  SELECT s.*, u.ms AS usual_ms, s.ms > u.ms * 1.08 + 4 * u.spread AS is_slow
  FROM stretches s
  JOIN usual u ON u.attempt IS NOT DISTINCT FROM s.attempt)
SELECT attempt, in_ms, sum(steps) AS steps, min(usual_ms) AS usual_ms, median(ms) FILTER (WHERE is_slow) AS slow_ms,
       round(coalesce(median(ms) FILTER (WHERE is_slow) / min(usual_ms), 1), 2) AS ratio,
       coalesce(sum(steps) FILTER (WHERE is_slow), 0) AS slow_steps,
       min(from_iteration) FILTER (WHERE is_slow) AS slow_from, max(to_iteration) FILTER (WHERE is_slow) AS slow_to,
       min(began) FILTER (WHERE is_slow) AS slow_began, max(ended) FILTER (WHERE is_slow) AS slow_ended,
       -- said behind a finding's sentence; empty where the pace did not change
       CASE WHEN bool_or(is_slow) AND in_ms
            THEN printf('; a step took %.1f s instead of %.1f s', median(ms) FILTER (WHERE is_slow) / 1e3, min(usual_ms) / 1e3)
            WHEN bool_or(is_slow) THEN printf('; the job ran %.1f times slower', median(ms) FILTER (WHERE is_slow) / min(usual_ms)) ELSE '' END AS effect,
       -- of a fault that steps of this attempt do not show; NULL, which is what its rule declares, where they do. No row: no steps tell
       CASE WHEN NOT bool_or(is_slow) THEN 'context' END AS role, CASE WHEN NOT bool_or(is_slow) THEN 'info' END AS severity,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY stretch) FILTER (WHERE is_slow) AS slow_lines
FROM marked
GROUP BY attempt, in_ms
