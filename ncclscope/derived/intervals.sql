-- Working from the first to the last own step, waiting from the start of an overdue operation, alive around them.
WITH alive AS (
  SELECT attempt, rank, min(host) AS host, min(ts) AS began, max(ts) AS ended
  FROM events WHERE rank IS NOT NULL AND ts IS NOT NULL GROUP BY ALL),
work AS (
  SELECT attempt, rank, min(host) AS host, min(ts) AS began, max(ts) AS ended, max(iteration) AS step
  FROM steps WHERE rank IS NOT NULL AND ts IS NOT NULL GROUP BY ALL),
wait AS (
  SELECT attempt, rank, min(host) AS host, min(began) AS began, max(ts) AS ended, min(seq) AS seq
  FROM waits WHERE rank IS NOT NULL AND began IS NOT NULL GROUP BY ALL)
SELECT attempt, rank, host, 'alive' AS state, began, ended, NULL AS step, NULL AS seq, 'own lines' AS why FROM alive
UNION ALL SELECT attempt, rank, host, 'working', began, ended, step, NULL, 'step lines' FROM work
UNION ALL SELECT attempt, rank, host, 'waiting', began, ended, NULL, seq, 'an operation ran into its timeout' FROM wait
ORDER BY ALL
