/*
title    = "The scheduler preempted the job"
kind     = "sched.preempted"
severity = "medium"
role     = "cause"
confidence = "certain"
explains = ["sched.*", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "hw.xid.program", "hw.host_lost", "data.stall", "perf.*"]
needs    = ["slurm", "kubernetes", "cloud_preemption", "launchers"]
explanation = """
Slurm, Kubernetes or another scheduler took the nodes for a job of higher priority, or requeued the job. What follows in the log is the
launcher's clean-up; nothing failed.
"""
advice = """
Requeue the job from its last checkpoint (`scontrol requeue JOB`), or use a partition or QOS that is not preempted.
Save a checkpoint on SIGTERM: the scheduler gives a grace time.
"""
false_positives = "Other jobs in a controller's log are left out where the job's own id is known."
references = ["Slurm: preemption", "Kubernetes: Preempted"]
[[test]]
fires = 1                       # a machine that the cloud takes back
logs."spot.log" = "2025/03/01 10:00:00 INF Drain request received for a Spot interruption notice event-id=spot-itn-1d2 instance-id=i-0a1"
[[test]]
fires = 1
expect = { hosts = [], ranks = [], confidence = "certain" }
logs."slurm-90311.out" = '''
slurmstepd: error: *** STEP 90311.0 ON basalt-n071 CANCELLED AT 2025-02-11T02:59:36 DUE TO PREEMPTION ***
W0211 02:59:36.856000 771232 torch/distributed/elastic/agent/server/api.py:704] Received 15 death signal, shutting down workers
'''
[[test]]
fires = 1
logs."sacct.txt" = '''
JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|NodeList
418514|vlm-pretrain|batch|PREEMPTED|0:15|2024-10-14T10:43:40|2024-10-14T11:07:07|00:23:27|hgx-isr1-[013-014]
'''
[[test]]
fires = 0                       # another job made room
logs."slurm-90311.out" = '''
slurmstepd: error: *** JOB 90311 ON n071 CANCELLED AT 2025-02-11T02:59:36 ***
'''
logs."slurmctld.log" = '''
[2025-02-11T02:59:36.496] preempted JobId=90300 has been requeued to reclaim resources for JobId=90377
'''
[[test]]
fires = 0
logs."slurm-90311.out" = '''
slurmstepd: error: *** JOB 90311 ON n071 CANCELLED AT 2025-02-11T02:59:36 DUE TO TIME LIMIT ***
'''
*/
WITH said AS (
  SELECT attempt, file_id, line, part, TRY_CAST("at" AS TIMESTAMP) - to_microseconds(coalesce((SELECT max(p.zone_us) FROM pieces p WHERE p.file_id = c.file_id), 0)) AS ts, 'Slurm' AS who FROM slurm_cancelled c WHERE regexp_matches(upper(reason), 'PREEMPT|REQUEUE')
  UNION ALL
  SELECT attempt, file_id, line, part, ts, 'Slurm' FROM slurm_preempted WHERE job IN (SELECT job FROM own_jobs) OR NOT EXISTS (SELECT 1 FROM own_jobs)
  UNION ALL
  SELECT attempt, file_id, line, part, NULL, 'Slurm' FROM slurm_sacct WHERE state LIKE 'PREEMPTED%' AND (job IN (SELECT job FROM own_jobs) OR NOT EXISTS (SELECT 1 FROM own_jobs))
  UNION ALL
  SELECT attempt, file_id, line, part, ts, CASE WHEN text IS NOT NULL THEN 'The cloud' ELSE 'Kubernetes' END FROM k8s_preempted
  UNION ALL
  SELECT attempt, file_id, line, part, ts, 'The batch system' FROM launcher_batch_limit WHERE reason LIKE '%PREEMPT%')
SELECT attempt, min(ts) AS began,
       printf('%s preempted the job%s; nothing of it had failed', min(who), coalesce(strftime(min(ts), ' at %H:%M:%S'), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   said
GROUP  BY attempt
