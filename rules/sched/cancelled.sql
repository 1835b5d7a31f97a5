/*
title    = "The job was cancelled"
kind     = "sched.cancelled"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["sched.cancelled", "crash.signal", "crash.python", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "hw.xid.program", "hw.host_lost", "data.stall"]
needs    = ["slurm"]
explanation = """
A person or a script cancelled the job (scancel, a signal to the step) while nothing of it had failed. Slurm writes the same line when it
ends a step because a task failed: then the failure comes first and this rule is silent.
"""
advice = """
Ask who cancelled it: `sacct -j JOB -o State%40` names the user, the controller's log has REQUEST_KILL_JOB.
Restart from the last checkpoint.
"""
false_positives = "A job that is cancelled because it hung: then no step was made for long, and the stop is context only."
references = ["Slurm: scancel"]
[[test]]
fires = 1
expect = { role = "cause", hosts = [] }
logs."slurm-51236.out" = '''
slurmstepd: error: *** STEP 51236.0 ON gpu-a31 CANCELLED AT 2024-07-23T07:40:52 DUE to SIGNAL Terminated ***
'''
[[test]]
fires = 1                       # long after the last step: it was cancelled because it hung
expect = { role = "context" }
logs."slurm-51236.out" = '''
2024-07-23 06:13:09,136 | INFO | rank 0/4 | step 50/600 loss 0.00236 step_time_ms 53.4 data_ms 43.5 sync_ms 9.5
2024-07-23 06:14:46,136 | INFO | rank 0/4 | step 100/600 loss 0.00236 step_time_ms 53.4 data_ms 43.5 sync_ms 9.5
slurmstepd: error: *** STEP 51236.0 ON gpu-a31 CANCELLED AT 2024-07-23T07:40:52 ***
'''
[[test]]
fires = 0                       # Slurm cleans up after a task that was killed for memory
logs."slurm-7730418.err" = '''
slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7730418.0. Some of your processes may have been killed by the cgroup out-of-memory handler.
srun: error: cn31-08: task 0: Out Of Memory
slurmstepd: error: *** STEP 7730418.0 ON cn31-08 CANCELLED AT 2022-09-30T02:29:07 ***
'''
[[test]]
fires = 0                       # an exception came first
logs."slurm-77.err" = '''
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    main()
ValueError: bad shape
srun: error: cn31-08: task 0: Exited with exit code 1
slurmstepd: error: *** STEP 77.0 ON cn31-08 CANCELLED AT 2022-09-30T02:29:07 ***
'''
[[test]]
fires = 0                       # a step that could not be started on a node
logs."slurm-31.out" = '''
srun: error: Task launch for StepId=31.0 failed on node gpu-c07: Job prolog failed
slurmstepd: error: *** STEP 31.0 ON gpu-c01 CANCELLED AT 2025-02-03T08:11:40 ***
'''
*/
WITH said AS (
  SELECT attempt, file_id, line, part, TRY_CAST("at" AS TIMESTAMP) - to_microseconds(coalesce((SELECT max(p.zone_us) FROM pieces p WHERE p.file_id = c.file_id), 0)) AS ts, 'Slurm cancelled the job' AS what
  FROM   slurm_cancelled c WHERE reason IS NULL OR regexp_matches(upper(reason), 'SIGNAL|CANCEL')
  UNION ALL
  SELECT attempt, file_id, line, part, ts, 'User ' || uid || ' cancelled the job' FROM slurm_kill_request WHERE job IN (SELECT job FROM own_jobs)
  UNION ALL
  SELECT attempt, file_id, line, part, NULL, coalesce('User ' || by_uid, 'Somebody') || ' cancelled the job' FROM slurm_sacct
  WHERE  state LIKE 'CANCELLED%' AND (step IS NULL OR by_uid IS NOT NULL) AND (job IN (SELECT job FROM own_jobs) OR NOT EXISTS (SELECT 1 FROM own_jobs))
  UNION ALL
  SELECT attempt, file_id, line, part, ts, 'The batch system''s owner or administrator ended the job' FROM launcher_batch_limit WHERE regexp_matches(reason, 'OWNER|ADMIN')),
clean AS (
  SELECT s.*
  FROM   said s
  WHERE  NOT EXISTS (SELECT 1 FROM job_faults f WHERE f.attempt = s.attempt AND (f.ts IS NULL OR s.ts IS NULL OR f.ts <= s.ts + INTERVAL 2 SECOND OR (f.file_id = s.file_id AND f.line < s.line)))
  AND    NOT EXISTS (SELECT 1 FROM slurm_cancelled c WHERE c.attempt = s.attempt AND regexp_matches(upper(c.reason), 'PREEMPT|REQUEUE|TIME LIMIT|NODE FAILURE|TASK FAILURE')))
SELECT c.attempt, CASE WHEN NOT coalesce(bool_or(t.scattered), false) THEN min(c.ts) END AS began, CASE WHEN bool_or(t.hung) THEN 'context' ELSE 'cause' END AS role,
       printf('%s%s%s', coalesce(min(what) FILTER (WHERE what LIKE 'User%'), min(what)), coalesce(strftime(min(c.ts), ' at %H:%M:%S'), ''),
              CASE WHEN bool_or(t.hung) THEN printf(' after it had made no progress for %d min', CAST(max(t.idle_s) // 60 AS BIGINT)) ELSE '; nothing of it had failed' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   clean c
LEFT   JOIN standstills t ON t.attempt = c.attempt
GROUP  BY c.attempt
