-- Pairs of hosts between which requests were no longer acknowledged (status 12) when that began, one row each, and which host is an end of
-- all of them. Later ones are not counted: hosts that gave up are missed by others in their turn.
WITH request AS MATERIALIZED (
  SELECT f.*, min(ts) OVER (PARTITION BY attempt) AS first_ts FROM failed_completions f WHERE status = 12),
early AS (       -- two minutes: the spread of one retry window, which is half a minute to two minutes by setting
  SELECT * FROM request WHERE ts IS NULL OR first_ts IS NULL OR ts <= first_ts + INTERVAL 120 SECOND),
path AS MATERIALIZED (
  SELECT attempt, least(host, peer) AS one, greatest(host, peer) AS other, min(ts) AS began,
         list(DISTINCT host || '/' || hca ORDER BY host || '/' || hca) FILTER (WHERE host IS NOT NULL AND hca IS NOT NULL) AS adapters,
         list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS speakers,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM early
  WHERE host IS NOT NULL AND peer IS NOT NULL AND host <> peer
  GROUP BY ALL),
ends AS (
  SELECT attempt, one AS host, other FROM path UNION ALL SELECT attempt, other, one FROM path),
hub AS (
  SELECT e.attempt, e.host, count(*) AS spokes
  FROM ends e
  GROUP BY e.attempt, e.host
  HAVING count(*) >= 2 AND count(*) = (SELECT count(*) FROM path p WHERE p.attempt IS NOT DISTINCT FROM e.attempt))
SELECT p.*, h.host AS common, count(*) OVER (PARTITION BY p.attempt) AS paths
FROM path p
LEFT JOIN hub h ON h.attempt IS NOT DISTINCT FROM p.attempt
