-- When each attempt of the job ran, by its own lines: one row for each host, and one without host for the lines that name none.
-- `broke` is when its first wait or error began there. Hosts may write in other zones: compare times of one host only.
-- Carried times say when something before a line happened, not this, and are left out.
WITH said AS MATERIALIZED (
  SELECT attempt, file_id, host, rank, fields['task'] AS task, severity, CASE WHEN ts_from = 'line' THEN ts END AS ts,
         CASE WHEN kind = 'torch.watchdog.timeout' AND fields['via'] IS DISTINCT FROM 'what'
              THEN to_milliseconds(coalesce(TRY_CAST(fields['elapsed_ms'] AS BIGINT), TRY_CAST(fields['timeout_ms'] AS BIGINT))) END AS waited,
         TRY_CAST(fields['timeout_ms'] AS BIGINT) AS timeout_ms
  FROM events
  WHERE NOT duplicate AND (regexp_matches(kind, '^(torch|elastic|train|launcher|cuda|ray)\.') OR kind = 'python.traceback' OR (kind LIKE 'nccl.%' AND severity >= 2))
  UNION ALL
  SELECT attempt, file_id, host, rank, NULL, 1, CASE WHEN ts_from = 'line' THEN ts END, NULL, NULL FROM steps WHERE NOT duplicate),
labelled AS (   -- under which label of a merged console a host speaks
  SELECT o.file_id, o.task, min(r.host) AS host
  FROM said o
  JOIN ranks r ON r.attempt = o.attempt AND r.rank = o.rank
  WHERE o.task IS NOT NULL AND r.host IS NOT NULL
  GROUP BY ALL
  HAVING count(DISTINCT r.host) = 1),
placed AS (
  SELECT o.attempt, coalesce(r.host, o.host, l.host) AS host, o.severity, o.ts, o.ts - o.waited AS began, o.timeout_ms
  FROM said o
  LEFT JOIN ranks r ON r.attempt = o.attempt AND r.rank = o.rank
  LEFT JOIN labelled l ON l.file_id = o.file_id AND l.task = o.task
  UNION ALL
  SELECT attempt, host, NULL, NULL, NULL, NULL FROM ranks)
SELECT attempt, host, min(ts) AS began, max(ts) AS ended, least(min(ts) FILTER (WHERE severity >= 3), min(began)) AS broke, max(timeout_ms) AS patience_ms
FROM placed
GROUP BY ALL
