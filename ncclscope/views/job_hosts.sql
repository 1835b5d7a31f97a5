-- Hosts on which NCCL spoke, without the names that torn lines give: those of which a hundredth as many lines come, and that begin or
-- end like a name of which many come.
WITH spoke AS MATERIALIZED (
  SELECT attempt, host, count(*) AS lines FROM events
  WHERE source LIKE 'nccl%' AND host IS NOT NULL AND NOT duplicate
  GROUP BY attempt, host)
SELECT s.attempt, s.host, s.lines
FROM spoke s
WHERE NOT EXISTS (SELECT 1 FROM spoke o WHERE o.attempt IS NOT DISTINCT FROM s.attempt AND o.host <> s.host AND o.lines >= 10 * s.lines
                  AND (suffix(s.host, o.host) OR suffix(o.host, s.host) OR prefix(o.host, s.host)))
