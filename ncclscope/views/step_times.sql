-- The steps of each attempt with how long each took, from the log that shows most of them: as logged, else from the times of the lines, else only relative
-- (`in_ms` is false). `gap_ms` is the time since the line before, `span` the steps between; the first steps are warm-up.
WITH stated AS (
  SELECT attempt, file_id, coalesce(rank, -1) AS rank, iteration, min(line) AS line, min(part) AS part,
         min(CASE WHEN ts_from = 'line' THEN ts END) AS ts, avg(step_ms) AS step_ms, avg(1e3 / nullif(throughput, 0)) AS inverse
  FROM (SELECT attempt, file_id, rank, iteration, line, part, ts, ts_from, step_ms, throughput FROM steps WHERE NOT duplicate
        UNION ALL
        SELECT attempt, file_id, rank, iteration, line, part, ts, ts_from, step_ms, NULL FROM train_step_parts
        UNION ALL   -- a line with a time of its own stands beside it where the log has times
        SELECT attempt, file_id, rank, iteration, line, part, ts, 'carried', step_ms, NULL FROM deepspeed_steps)
  WHERE iteration IS NOT NULL
  GROUP BY ALL),
stream AS (
  SELECT attempt, file_id, rank, count(step_ms) AS with_ms, count(inverse) AS with_inverse, count(DISTINCT ts) AS with_ts
  FROM stated
  GROUP BY attempt, file_id, rank
  HAVING count(*) >= 12
  QUALIFY row_number() OVER (PARTITION BY attempt ORDER BY greatest(count(step_ms), count(DISTINCT ts), count(inverse)) DESC, rank, file_id) = 1)
SELECT s.attempt, s.file_id, s.line, s.part, s.iteration, s.ts, lag(s.ts) OVER w AS previous_ts, s.iteration - lag(s.iteration) OVER w AS span,
       epoch_ms(s.ts) - epoch_ms(lag(s.ts) OVER w) AS gap_ms, t.with_ms >= 12 OR t.with_ts >= 12 AS in_ms,
       CASE WHEN t.with_ms >= 12 THEN s.step_ms
            WHEN t.with_ts >= 12 THEN (epoch_ms(s.ts) - epoch_ms(lag(s.ts) OVER w)) / nullif(s.iteration - lag(s.iteration) OVER w, 0)
            WHEN t.with_inverse >= 12 THEN s.inverse END AS ms,
       row_number() OVER w AS nth
FROM stated s
JOIN stream t ON t.attempt IS NOT DISTINCT FROM s.attempt AND t.file_id = s.file_id AND t.rank = s.rank
WINDOW w AS (PARTITION BY s.attempt ORDER BY s.iteration)
