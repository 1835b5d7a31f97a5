-- Lines whose label means a rank though it does not say so: workers of an inference server, and processes as mpirun tags their output. With several
-- engines side by side (data parallel) or in a pipeline every one counts from 0; where mpirun starts launchers or several jobs, its number is no rank.
WITH labelled AS (
  SELECT attempt, file_id, line, CASE WHEN kind = 'python.traceback' THEN n_lines ELSE 1 END AS n_lines, rank, kind LIKE 'elastic.%' AS launcher, TRY_CAST(fields['worker_rank'] AS INTEGER) AS worker,
         TRY_CAST(fields['task'] AS INTEGER) AS task, fields['mpi_job'] AS job, coalesce(fields['worker'], fields['parallel_ranks']) AS name
  FROM   events
  WHERE  fields['worker_rank'] IS NOT NULL OR fields['mpi_job'] IS NOT NULL OR fields['worker'] IS NOT NULL OR fields['parallel_ranks'] IS NOT NULL OR kind LIKE 'elastic.%'),
judged AS (
  SELECT attempt, coalesce(bool_or(regexp_matches(name, '(^|[_ ])(DP|PP)[1-9]')), false) AS engines,
         count(DISTINCT job) > 1 OR bool_or(launcher) OR coalesce(bool_or(job IS NOT NULL AND rank <> task), false) AS other
  FROM   labelled
  GROUP  BY attempt),
meant AS (
  SELECT l.file_id, l.line, l.n_lines, min(coalesce(CASE WHEN NOT j.engines THEN l.worker END, CASE WHEN NOT j.other AND l.job IS NOT NULL THEN l.task END)) AS rank
  FROM   labelled l
  JOIN   judged j ON j.attempt IS NOT DISTINCT FROM l.attempt
  WHERE  NOT j.engines AND l.worker IS NOT NULL OR NOT j.other AND l.job IS NOT NULL AND l.task IS NOT NULL
  GROUP  BY l.file_id, l.line, l.n_lines),
below AS (       -- only the first line of a stack may have the label
  SELECT file_id, CAST(unnest(range(CAST(line + 1 AS BIGINT), CAST(line + n_lines AS BIGINT))) AS UBIGINT) AS line, rank FROM meant WHERE n_lines > 1)
SELECT file_id, line, min(rank) AS rank FROM meant GROUP BY ALL
UNION ALL
SELECT file_id, line, min(rank) FROM below b WHERE NOT EXISTS (SELECT 1 FROM labelled o WHERE o.file_id = b.file_id AND o.line = b.line) GROUP BY ALL
