-- How error counters of NVLinks grew between the first and the last reading of a link (of a GPU, where a tool gives only its sum). Readings without
-- times are ordered as their files are labelled or called.
WITH reading AS (
  SELECT m.attempt, m.file_id, m.line, m.part, CASE WHEN m.ts_from = 'line' THEN m.ts END AS ts, m.host, m.gpu, m.device, m.name, m.value,
         CASE WHEN regexp_matches(f.path, '(?i)before|pre[._-]|start') THEN 0 WHEN regexp_matches(f.path, '(?i)after|post|end[._-]') THEN 1 END AS position, f.path
  FROM metrics m
  JOIN files f ON f.file_id = m.file_id
  WHERE m.mode = 'counter' AND m.name LIKE 'nvlink.%' AND NOT m.duplicate
    AND regexp_matches(m.name, 'replay|recovery|crc|symbol_err|effective_err|malformed|overrun|integrity|rx_errors|rx_general|tx_discards')),
timed AS (
  SELECT *, bool_and(ts IS NOT NULL) OVER k AS all_timed FROM reading WINDOW k AS (PARTITION BY host, gpu, device, name)),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY host, gpu, device, name ORDER BY CASE WHEN all_timed THEN ts END, position, path, line) AS nth,
         count(*) OVER (PARTITION BY host, gpu, device, name) AS n
  FROM timed),
grown AS (
  SELECT max(attempt) AS attempt, host, gpu, device, name, max(value) FILTER (WHERE nth = n) - max(value) FILTER (WHERE nth = 1) AS delta,
         epoch(max(ts) - min(ts)) AS seconds, min(ts) AS began, max(ts) AS ended,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY nth) AS evidence
  FROM placed
  WHERE n > 1 AND nth IN (1, n)
  GROUP BY host, gpu, device, name)
SELECT g.*, quantile_disc(g.delta, 0.25) OVER (PARTITION BY g.attempt, g.name) AS usual, count(*) OVER (PARTITION BY g.attempt, g.name) - 1 AS siblings,
       CASE WHEN host IS NOT NULL AND gpu IS NOT NULL THEN host || ':' || gpu WHEN gpu IS NOT NULL THEN 'GPU ' || gpu ELSE device END AS gpu_name
FROM grown g
