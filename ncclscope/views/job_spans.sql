-- From when to when the processes of each attempt spoke: kernel and system logs, schedulers and telemetry reach further.
SELECT attempt, min(ts) AS began, max(ts) AS ended
FROM (SELECT attempt, ts FROM events
      WHERE ts_from = 'line' AND NOT duplicate
      AND (source LIKE 'nccl%' OR source LIKE 'torch%' OR source IN ('progress', 'python', 'traceback', 'steps', 'step_parts', 'checkpoints', 'ray'))
      UNION ALL SELECT attempt, ts FROM steps WHERE ts_from = 'line')
GROUP BY attempt
