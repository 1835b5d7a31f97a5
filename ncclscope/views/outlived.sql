-- Lines with an exception that its program caught: in the same file at least three more steps, or the end of the training, come after it. Steps of
-- another rank do not count, and nothing does where the attempt shows that a process ended badly, or where the steps begin again from a lower
-- number: that is a restart.
WITH fault AS (
  SELECT attempt, rank, ts, ts_from, file_id, line FROM python_exception
  UNION ALL SELECT attempt, rank, ts, ts_from, file_id, line FROM python_traceback
  UNION ALL SELECT attempt, rank, ts, ts_from, file_id, line FROM cuda_oom
  UNION ALL SELECT attempt, rank, ts, ts_from, file_id, line FROM dataloader_exception),
failed AS (
  SELECT attempt FROM exits_of_ranks WHERE coalesce(exit_code, 1) <> 0
  UNION SELECT attempt FROM peer_faults
  UNION SELECT attempt FROM elastic_worker_failed
  UNION SELECT attempt FROM elastic_signal_sent
  UNION SELECT attempt FROM elastic_restart
  UNION SELECT attempt FROM process_terminate
  UNION SELECT attempt FROM python_fatal
  UNION SELECT attempt FROM cuda_error
  UNION SELECT attempt FROM slurm_task_exit WHERE how NOT LIKE 'Exited%' OR coalesce(exit_code, 1) <> 0),
work AS (
  SELECT file_id, rank, line, iteration, CASE WHEN ts_from = 'line' THEN ts END AS ts FROM steps
  WHERE  file_id IN (SELECT file_id FROM fault)),
late AS (        -- where the third step before the end of a file's steps stands, or its last word on the training
  SELECT file_id, rank, line FROM work QUALIFY row_number() OVER (PARTITION BY file_id, rank ORDER BY line DESC) = 3
  UNION ALL
  SELECT file_id, rank, max(line) FROM train_done GROUP BY file_id, rank),
around AS (
  SELECT f.*, b.iteration AS before, a.iteration AS after, a.ts AS after_ts
  FROM   fault f
  ASOF LEFT JOIN (SELECT file_id, line, iteration FROM work) b ON b.file_id = f.file_id AND b.line <= f.line
  ASOF LEFT JOIN (SELECT file_id, line, iteration, ts FROM work) a ON a.file_id = f.file_id AND a.line >= f.line)
SELECT DISTINCT f.file_id, f.line
FROM   around f
JOIN   late l ON l.file_id = f.file_id AND l.line > f.line AND (l.rank = f.rank OR l.rank IS NULL OR f.rank IS NULL)
WHERE  NOT EXISTS (SELECT 1 FROM failed x WHERE x.attempt IS NOT DISTINCT FROM f.attempt)
AND    NOT coalesce(f.after < f.before, false)
-- output that was kept back and written at the end of the process is older than the exception
AND    NOT coalesce(f.ts_from = 'line' AND f.after_ts < f.ts, false)
