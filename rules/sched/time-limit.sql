/*
title    = "The job reached its time limit"
kind     = "sched.time_limit"
severity = "medium"
role     = "cause"
confidence = "certain"
explains = ["sched.cancelled", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "hw.xid.program", "hw.host_lost", "data.stall"]
needs    = ["slurm", "launchers", "kubernetes"]
explanation = """
The scheduler ended the job because its time was over. If no step was made for long before, the job hung and only the end came from the
limit.
"""
advice = """
Ask for more time (`--time`), or save checkpoints often enough and chain jobs.
Have the scheduler send a signal before the end (`--signal=B:USR1@300`) and save on it.
"""
false_positives = "Other jobs in a controller's log are left out where the job's own id is known."
references = ["Slurm: --time, --signal"]
[[test]]
fires = 1
expect = { confidence = "certain", role = "cause" }
logs."slurm-123.out" = '''
slurmstepd: error: *** STEP 123.0 ON node17 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***
'''
[[test]]
fires = 1
logs."job.o123" = '''
=>> PBS: job killed: walltime 3625 exceeded limit 3600
'''
[[test]]
fires = 0
logs."slurm-123.out" = '''
slurmstepd: error: *** STEP 123.0 ON node17 CANCELLED AT 2024-05-01T12:00:00 DUE TO PREEMPTION ***
'''
[[test]]
fires = 0                       # another job's limit
logs."slurm-123.out" = '''
slurmstepd: error: *** STEP 123.0 ON node17 CANCELLED AT 2024-05-01T12:00:00 DUE to SIGNAL Terminated ***
'''
logs."slurmctld.log" = '''
[2024-05-01T12:00:00.123] Time limit exhausted for JobId=99
'''
*/
WITH said AS (
  SELECT attempt, file_id, line, part, TRY_CAST("at" AS TIMESTAMP) - to_microseconds(coalesce((SELECT max(p.zone_us) FROM pieces p WHERE p.file_id = c.file_id), 0)) AS ts, 'Slurm' AS who FROM slurm_cancelled c WHERE upper(reason) LIKE '%TIME LIMIT%'
  UNION ALL
  SELECT attempt, file_id, line, part, ts, 'Slurm' FROM slurm_time_limit WHERE job IN (SELECT job FROM own_jobs) OR NOT EXISTS (SELECT 1 FROM own_jobs)
  UNION ALL
  SELECT attempt, file_id, line, part, NULL, 'Slurm' FROM slurm_sacct
  WHERE  (state LIKE 'TIMEOUT%' OR state LIKE 'DEADLINE%') AND (job IN (SELECT job FROM own_jobs) OR NOT EXISTS (SELECT 1 FROM own_jobs))
  UNION ALL
  SELECT attempt, file_id, line, part, ts, 'The batch system' FROM launcher_batch_limit WHERE regexp_matches(lower(reason), 'walltime|runlimit')
  UNION ALL
  SELECT attempt, file_id, line, part, ts, 'Kubernetes' FROM k8s_event WHERE reason = 'DeadlineExceeded' OR text LIKE '%active longer than specified deadline%')
SELECT s.attempt, min(s.ts) AS began, CASE WHEN bool_or(t.hung) THEN 'likely' ELSE 'certain' END AS confidence,
       printf('%s ended the job at its time limit%s%s', min(who), coalesce(strftime(min(s.ts), ' at %H:%M:%S'), ''),
              CASE WHEN bool_or(t.hung) THEN printf('; it had made no step for %d min', CAST(max(t.idle_s) // 60 AS BIGINT)) ELSE '; nothing of it had failed' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   said s
LEFT   JOIN standstills t ON t.attempt = s.attempt
GROUP  BY s.attempt
