-- Lines whose label means a rank though it does not say so: workers of an inference server, and processes as mpirun tags their output. With several
-- engines side by side (data parallel) every engine counts from 0; where mpirun starts launchers or several jobs, its number is no rank.
WITH labelled AS (
  SELECT attempt, file_id, line, rank, kind LIKE 'elastic.%' AS launcher, TRY_CAST(fields['worker_rank'] AS INTEGER) AS worker,
         TRY_CAST(fields['task'] AS INTEGER) AS task, fields['mpi_job'] AS job, fields['worker'] AS name
  FROM   events
  WHERE  fields['worker_rank'] IS NOT NULL OR fields['mpi_job'] IS NOT NULL OR fields['worker'] IS NOT NULL OR kind LIKE 'elastic.%'),
judged AS (
  SELECT attempt, coalesce(bool_or(regexp_matches(name, '_DP[1-9]')), false) AS engines,
         count(DISTINCT job) > 1 OR bool_or(launcher) OR coalesce(bool_or(job IS NOT NULL AND rank <> task), false) AS other
  FROM   labelled
  GROUP  BY attempt)
SELECT l.file_id, l.line, min(coalesce(CASE WHEN NOT j.engines THEN l.worker END, CASE WHEN NOT j.other AND l.job IS NOT NULL THEN l.task END)) AS rank
FROM   labelled l
JOIN   judged j ON j.attempt IS NOT DISTINCT FROM l.attempt
WHERE  NOT j.engines AND l.worker IS NOT NULL OR NOT j.other AND l.job IS NOT NULL AND l.task IS NOT NULL
GROUP  BY l.file_id, l.line
