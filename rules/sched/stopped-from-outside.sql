/*
title    = "The job was stopped from outside"
kind     = "sched.cancelled"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["launcher.*", "net.socket_error", "crash.signal", "crash.python", "hang.watchdog_timeout"]
needs    = ["torch_elastic", "slurm", "launchers"]
explanation = """
The launcher received a signal, or the scheduler says that the job was cancelled, and nothing had failed before. 1 is a terminal or session that closed,
2 a person, 15 the scheduler, a platform or a parent script. Everything after it is teardown.
"""
advice = """
Nothing to repair in the job: look in the scheduler's accounting (`sacct -j JOB -o State,ExitCode,Reason`) for who stopped it; for signal 1 start it under nohup, tmux or a batch job.
"""
false_positives = "The agents of the other nodes get the same signal when one node's workers failed: a failure before it takes precedence."
references = ["torch.distributed.elastic: death signal", "Slurm: CANCELLED"]
[[test]]
fires = 1
logs."train.log" = "[2024-04-21 13:33:55,261] torch.distributed.elastic.agent.server.api: [WARNING] Received Signals.SIGTERM death signal, shutting down workers"
[[test]]
fires = 1
logs."slurm.out" = "slurmstepd: error: *** STEP 123.0 ON node17 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***"
[[test]]
fires = 0                       # its own worker failed first
logs."train.log" = '''
E1130 11:57:33.057000 7801 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 2 (pid: 7837) of binary: /usr/bin/python3
W1130 11:57:34.057000 7801 torch/distributed/elastic/agent/server/api.py:688] Received Signals.SIGTERM death signal, shutting down workers
'''
[[test]]
fires = 0
logs."train.log" = "W1130 11:57:32.860000 7801 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 7835 closing signal SIGTERM"
*/
WITH stop AS (
  SELECT attempt, ts, 'received signal ' || signal AS what, file_id, line, part FROM elastic_death_signal
  UNION ALL
  SELECT attempt, ts, CASE WHEN reason ILIKE '%TIME LIMIT%' THEN 'reached its time limit' WHEN reason ILIKE '%PREEMPTION%' THEN 'was preempted'
                           ELSE 'was cancelled' END, file_id, line, part
  FROM   slurm_cancelled
  WHERE  reason IS NULL OR NOT reason ILIKE '%NODE FAILURE%' AND NOT reason ILIKE '%TASK FAILURE%'
  UNION ALL SELECT attempt, ts, 'was preempted', file_id, line, part FROM slurm_preempted
  UNION ALL SELECT attempt, ts, 'reached its time limit', file_id, line, part FROM slurm_time_limit),
first_stop AS (
  SELECT attempt, min(ts) AS ts, min(file_id) AS file_id FROM stop GROUP BY attempt),
failure AS (                     -- anything that went wrong by itself
  SELECT attempt, ts, file_id, line FROM own_faults
  UNION ALL SELECT attempt, ts, file_id, line FROM peer_faults
  UNION ALL SELECT attempt, ts, file_id, line FROM elastic_worker_failed
  UNION ALL SELECT attempt, ts, file_id, line FROM slurm_oom
  UNION ALL SELECT attempt, ts, file_id, line FROM kernel_oom_kill
  UNION ALL SELECT attempt, ts, file_id, line FROM slurm_node_failure),
earlier AS (
  SELECT s.file_id, s.line, s.part
  FROM   stop s JOIN failure f ON f.attempt IS NOT DISTINCT FROM s.attempt AND (f.file_id = s.file_id AND f.line < s.line OR f.ts <= s.ts))
SELECT attempt, min(ts) AS began, 'The job ' || min(what) || ' and was stopped from outside; nothing had failed before' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   stop s
WHERE  NOT EXISTS (SELECT 1 FROM earlier e WHERE e.file_id = s.file_id AND e.line = s.line AND e.part = s.part)
AND    NOT EXISTS (SELECT 1 FROM earlier e JOIN stop o ON o.file_id = e.file_id AND o.line = e.line AND o.part = e.part WHERE o.attempt IS NOT DISTINCT FROM s.attempt)
GROUP  BY attempt
