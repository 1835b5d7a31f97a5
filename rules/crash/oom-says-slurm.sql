/*
title    = "Slurm saw a task killed for lack of host memory"
kind     = "crash.oom_host"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["crash.oom_host", "crash.signal", "crash.python", "hang.*", "desync.*", "data.stall", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["slurm"]
explanation = """
The cgroup of the step reached the job's memory limit and the kernel killed a process in it. Slurm names the task where it can; the
cancelled step follows from it.
"""
advice = """
Raise `--mem` or `--mem-per-cpu`, or use less: fewer loader workers, less pinned memory and /dev/shm.
`sacct -j JOB -o MaxRSS,MaxRSSNode,MaxRSSTask` and the kernel log of the node tell who held it.
"""
false_positives = "An oom_kill event of the batch or extern step alone may be a helper; the step of the ranks is what counts."
references = ["Slurm: oom_kill events"]
[[test]]
fires = 1
expect = { hosts = ["cn31-08"], confidence = "certain" }
logs."slurm-7730418.err" = '''
slurmstepd-cn31-08: error: Detected 1 oom-kill event(s) in StepId=7730418.0. Some of your processes may have been killed by the cgroup out-of-memory handler.
srun: error: cn31-08: task 0: Out Of Memory
srun: launch/slurm: _step_signal: Terminating StepId=7730418.0
'''
[[test]]
fires = 1                       # accounting alone
expect = { hosts = [], confidence = "likely" }
logs."sacct.txt" = '''
JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|NodeList
48811|imagenet-rn|gpu|OUT_OF_MEMORY|0:125|2025-03-12T20:15:44|2025-03-12T21:17:49|01:02:05|kestrel-[05-06]
'''
[[test]]
fires = 0
logs."slurm-7730418.err" = '''
srun: error: cn31-08: task 0: Exited with exit code 1
srun: error: cn31-08: task 1: Killed
'''
[[test]]
fires = 0                       # GPU memory
logs."train.log" = '''
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free.
'''
*/
WITH line AS (
  SELECT attempt, file_id, line, part, CASE WHEN ts_from = 'line' THEN ts END AS ts, host, NULL::INTEGER AS rank, NULL::BIGINT AS task, 1 AS weight FROM slurm_oom
  UNION ALL
  SELECT attempt, file_id, line, part, NULL, host, rank, task, 2 FROM slurm_tasks WHERE how = 'Out Of Memory'
  UNION ALL
  SELECT attempt, file_id, line, part, NULL, NULL, NULL, NULL, 0 FROM slurm_sacct WHERE state LIKE 'OUT_OF_ME%' AND (job IN (SELECT job FROM own_jobs) OR NOT EXISTS (SELECT 1 FROM own_jobs))
  UNION ALL
  SELECT attempt, file_id, line, part, ts, NULL, NULL, NULL, 0 FROM launcher_batch_limit WHERE reason LIKE '%MEMLIMIT%' OR regexp_matches(lower(reason), '\bmem\b')),
kernel AS (                      -- the kernel's own lines say more
  SELECT DISTINCT h.attempt FROM host_events h WHERE h.kind = 'kernel.oom_kill' AND h.hit),
named AS (
  SELECT l.*, (SELECT count(*) FROM slurm_job_nodes n WHERE n.count > 1) AS several FROM line l WHERE l.attempt NOT IN (SELECT attempt FROM kernel)),
best AS (
  SELECT attempt, max(weight) AS weight FROM named GROUP BY attempt)
SELECT n.attempt,
       -- a task names its node; without one, the step daemon that speaks does
       list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL AND (n.weight = 2 OR b.weight < 2)) AS hosts,
       list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, min(ts) AS began,
       CASE WHEN max(n.weight) = 0 THEN 'likely' ELSE 'certain' END AS confidence,
       printf('%s%s was killed for the job''s memory limit, says Slurm', coalesce(min(host) FILTER (WHERE n.weight = 2 OR b.weight < 2) || ': ', ''),
              CASE WHEN count(DISTINCT rank) = 1 THEN printf('rank %d', min(rank)) WHEN count(DISTINCT task) = 1 THEN printf('task %d', min(task))
                   WHEN count(DISTINCT task) > 1 THEN printf('%d tasks', count(DISTINCT task)) ELSE 'a process' END) AS summary,
       list_distinct(list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part)) AS evidence
FROM   named n
JOIN   best b ON b.attempt = n.attempt
GROUP  BY n.attempt
