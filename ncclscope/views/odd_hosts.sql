-- Hosts that run with another value than most of their job, one row for each such value (see host_settings); `open` where no value has most of the hosts, so
-- that none is the odd one. `largest` is how many share the usual value.
WITH camp AS (
  SELECT attempt, kind, name, value, count(*) AS n, list(host ORDER BY host) AS hosts, flatten(list(evidence ORDER BY host)) AS evidence
  FROM host_settings
  GROUP BY attempt, kind, name, value),
total AS (
  SELECT attempt, kind, name, sum(n) AS hosts, max(n) AS largest FROM camp GROUP BY attempt, kind, name HAVING count(*) > 1)
SELECT c.*, t.largest, t.largest * 2 <= t.hosts AS open
FROM camp c
JOIN total t ON t.attempt IS NOT DISTINCT FROM c.attempt AND t.kind = c.kind AND t.name = c.name
WHERE c.n < t.largest OR t.largest * 2 <= t.hosts
