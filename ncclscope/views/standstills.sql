-- For how long each attempt had shown no progress when a stop from outside reached it: NULL where no progress is dated. A job that
-- is stopped long after its last step was stopped because it hung, and the stop is not the story.
WITH zone AS (    -- Slurm writes local time inside its lines
  SELECT file_id, max(zone_us) AS us FROM pieces GROUP BY file_id),
word AS MATERIALIZED (
  SELECT attempt, kind, CASE WHEN ts_from = 'line' THEN ts END AS ts, TRY_CAST(fields['at'] AS TIMESTAMP) - to_microseconds(coalesce(z.us, 0)) AS at_time
  FROM events e
  LEFT JOIN zone z ON z.file_id = e.file_id
  WHERE NOT duplicate AND (regexp_matches(kind, '^(torch|train|elastic)\.') OR kind IN ('slurm.cancelled', 'slurm.kill_request'))),
first_stop AS (
  SELECT attempt, min(coalesce(at_time, ts)) AS ts, max(coalesce(at_time, ts)) AS last_ts
  FROM word
  WHERE kind IN ('elastic.death_signal', 'slurm.cancelled', 'slurm.kill_request')
  GROUP BY attempt
  HAVING min(coalesce(at_time, ts)) IS NOT NULL),
step AS MATERIALIZED (
  SELECT DISTINCT s.attempt, s.ts FROM steps s JOIN first_stop f ON f.attempt = s.attempt WHERE s.ts_from = 'line' AND s.ts <= f.ts + INTERVAL 5 SECOND),
pace AS (
  SELECT attempt, max(ts) AS latest, max(gap) AS longest
  FROM (SELECT attempt, ts, ts - lag(ts) OVER (PARTITION BY attempt ORDER BY ts) AS gap FROM step)
  GROUP BY attempt),
undated AS (     -- steps without a time say that it went on, not until when
  SELECT attempt FROM steps WHERE ts IS NULL OR ts_from <> 'line'
  UNION SELECT attempt FROM word WHERE ts IS NULL AND kind IN ('train.progress_bar', 'train.progress', 'train.timer', 'train.step_parts', 'train.epoch', 'train.megatron.straggler')),
latest AS (      -- without steps, the last line of a rank or launcher
  SELECT w.attempt, max(w.ts) AS ts
  FROM word w
  JOIN first_stop f ON f.attempt = w.attempt
  WHERE w.kind NOT IN ('elastic.death_signal', 'elastic.signal_sent', 'slurm.cancelled', 'slurm.kill_request') AND w.ts < f.ts - INTERVAL 1 SECOND
  GROUP BY w.attempt)
SELECT f.attempt, f.ts AS stopped, coalesce(p.latest, w.ts) AS latest, epoch(f.ts - coalesce(p.latest, w.ts)) AS idle_s,
       -- ten minutes, or three times the longest pause between steps where the log is sparse
       CASE WHEN p.latest IS NOT NULL OR f.attempt NOT IN (SELECT attempt FROM undated)
            THEN epoch(f.ts - coalesce(p.latest, w.ts)) > greatest(600, 3 * coalesce(epoch(p.longest), 0)) END AS hung,
       -- one stop that hosts date differently: their clocks are in several zones, and no order between hosts is known
       f.last_ts - f.ts > INTERVAL 10 MINUTE AS scattered
FROM first_stop f
LEFT JOIN pace p ON p.attempt = f.attempt
LEFT JOIN latest w ON w.attempt = f.attempt
