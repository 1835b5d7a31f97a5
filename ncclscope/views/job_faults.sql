-- Lines that say that something of the job failed by itself: not the echo of a signal that was sent to it.
WITH line AS MATERIALIZED (
  SELECT attempt, file_id, line, part, kind, CASE WHEN ts_from = 'line' THEN ts END AS ts,
         CASE WHEN kind = 'torch.watchdog.timeout' THEN to_milliseconds(TRY_CAST(fields['elapsed_ms'] AS BIGINT)) END AS waited
  FROM events
  WHERE NOT duplicate
  AND   (kind IN ('torch.watchdog.timeout', 'cuda.error', 'cuda.oom', 'slurm.oom', 'slurm.launch_failed', 'slurm.exec_failed', 'slurm.container_failed', 'elastic.death_signal')
         OR (kind = 'slurm.prolog_failed' AND regexp_matches(fields['what'], '(?i)prolog'))
         OR (kind = 'elastic.worker_failed' AND fields['exitcode'] NOT IN ('-15', '-2', '-1', '143', '130', '129'))
         OR (kind = 'slurm.task_exit' AND NOT regexp_matches(fields['how'], '^(Terminated|Killed|Hangup|Interrupt)') AND coalesce(fields['exit_code'], '1') NOT IN ('0', '143', '137', '130', '129', '15'))
         OR (kind = 'python.traceback' AND NOT regexp_matches(fields['exception'], 'SignalException|KeyboardInterrupt|SystemExit|ChildFailedError|BrokenPipe|ConnectionReset')))),
stopped AS (    -- exits after a stop from outside are its echo
  SELECT attempt, file_id, min(line) AS line, min(ts) AS ts FROM line WHERE kind = 'elastic.death_signal' GROUP BY attempt, file_id)
SELECT l.attempt, l.file_id, l.line, l.part, coalesce(l.ts - l.waited, l.ts) AS ts, l.kind
FROM line l
LEFT JOIN stopped s ON s.attempt = l.attempt AND s.file_id = l.file_id
WHERE l.kind <> 'elastic.death_signal' AND (s.file_id IS NULL OR l.line < s.line OR l.ts < s.ts - INTERVAL 1 SECOND)
