-- How each attempt ended, as far as anything says so: `failed` something of it broke, `completed` it reached its end.
SELECT attempt,
       count(*) FILTER (WHERE kind IN ('torch.watchdog.timeout', 'elastic.child_failed', 'elastic.worker_failed', 'python.traceback', 'cuda.error') OR (kind LIKE 'torch.%' AND severity >= 3)
                              OR (kind = 'slurm.task_exit' AND (fields['how'] NOT LIKE 'Exited%' OR coalesce(fields['exit_code'], '1') <> '0'))
                              OR (kind = 'slurm.sacct' AND regexp_matches(fields['state'], 'FAIL|TIMEOUT|CANCEL|PREEMPT|OUT_OF_ME'))) > 0 AS failed,
       count(*) FILTER (WHERE kind IN ('train.done', 'elastic.finished') OR (kind = 'slurm.sacct' AND fields['state'] LIKE 'COMPLETED%' AND fields['step'] IS NULL)) > 0 AND NOT failed AS completed
FROM events
WHERE NOT duplicate AND NOT (kind = 'python.traceback' AND (file_id, line) IN (SELECT (file_id, line) FROM outlived)) AND (regexp_matches(kind, '^(torch|elastic|train|launcher|cuda|ray|nccl)\.') OR kind IN ('python.traceback', 'slurm.task_exit', 'slurm.sacct'))
GROUP BY attempt
