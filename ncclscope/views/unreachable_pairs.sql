-- Pairs of hosts that could not connect to each other, one row each, and which host is an end of all of them.
WITH path AS MATERIALIZED (
  SELECT attempt, least(host, peer) AS one, greatest(host, peer) AS other, min(ts) AS began, min(error) AS error,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM failed_connects
  WHERE host IS NOT NULL AND peer IS NOT NULL AND host <> peer AND NOT local_only
  GROUP BY ALL),
ends AS (
  SELECT attempt, one AS host, other FROM path UNION ALL SELECT attempt, other, one FROM path),
hub AS (
  SELECT e.attempt, e.host
  FROM ends e
  GROUP BY e.attempt, e.host
  HAVING count(*) >= 2 AND count(*) = (SELECT count(*) FROM path p WHERE p.attempt IS NOT DISTINCT FROM e.attempt))
SELECT p.*, h.host AS common, count(*) OVER (PARTITION BY p.attempt) AS paths
FROM path p
LEFT JOIN hub h ON h.attempt IS NOT DISTINCT FROM p.attempt
