-- For how long each attempt had shown no progress when a stop from outside reached it: NULL where no progress is dated. A job that
-- is stopped long after its last step was stopped because it hung, and the stop is not the story.
WITH word AS MATERIALIZED (
  SELECT attempt, kind, CASE WHEN ts_from = 'line' THEN ts END AS ts, TRY_CAST(fields['at'] AS TIMESTAMP) AS at_time
  FROM events
  WHERE NOT duplicate AND (regexp_matches(kind, '^(torch|train|elastic)\.') OR kind = 'slurm.cancelled')),
first_stop AS (
  SELECT attempt, min(coalesce(at_time, ts)) AS ts FROM word WHERE kind IN ('elastic.death_signal', 'slurm.cancelled') GROUP BY attempt HAVING min(coalesce(at_time, ts)) IS NOT NULL),
step AS MATERIALIZED (
  SELECT DISTINCT s.attempt, s.ts FROM steps s JOIN first_stop f ON f.attempt = s.attempt WHERE s.ts_from = 'line' AND s.ts <= f.ts + INTERVAL 5 SECOND),
pace AS (
  SELECT attempt, max(ts) AS latest, max(gap) AS longest
  FROM (SELECT attempt, ts, ts - lag(ts) OVER (PARTITION BY attempt ORDER BY ts) AS gap FROM step)
  GROUP BY attempt),
latest AS (      -- without steps, the last line of a rank or launcher
  SELECT w.attempt, max(w.ts) AS ts
  FROM word w
  JOIN first_stop f ON f.attempt = w.attempt
  WHERE w.kind NOT IN ('elastic.death_signal', 'elastic.signal_sent', 'slurm.cancelled') AND w.ts < f.ts - INTERVAL 1 SECOND
  GROUP BY w.attempt)
SELECT f.attempt, f.ts AS stopped, coalesce(p.latest, w.ts) AS latest, epoch(f.ts - coalesce(p.latest, w.ts)) AS idle_s,
       -- ten minutes, or three times the longest pause between steps where the log is sparse
       epoch(f.ts - coalesce(p.latest, w.ts)) > greatest(600, 3 * coalesce(epoch(p.longest), 0)) AS hung
FROM first_stop f
LEFT JOIN pace p ON p.attempt = f.attempt
LEFT JOIN latest w ON w.attempt = f.attempt
