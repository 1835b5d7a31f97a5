-- How far each rank got in each group: by its own word, by an operation that ran into its timeout, by its recorded calls.
WITH said AS (
  SELECT attempt, rank, grp AS comm, NULL AS first, completed, greatest(coalesce(enqueued, at_seq), coalesce(at_seq, enqueued)) AS entered
  FROM positions WHERE rank IS NOT NULL
  UNION ALL
  SELECT attempt, rank, grp, NULL, seq - 1, seq FROM waits WHERE rank IS NOT NULL AND seq IS NOT NULL
  UNION ALL          -- a call that is only logged says nothing of its end
  SELECT attempt, rank, comm, min(seq), max(seq) FILTER (WHERE state = 'completed'), max(seq)
  FROM collectives WHERE rank IS NOT NULL AND seq IS NOT NULL AND comm IS NOT NULL AND NOT duplicate GROUP BY ALL)
SELECT attempt, rank, comm, min(first) AS first, max(completed) AS completed, max(entered) AS entered
FROM said WHERE entered IS NOT NULL
GROUP BY ALL
ORDER BY ALL
