/*
title    = "A process was killed because host memory ran out"
kind     = "crash.oom_host"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "crash.*", "net.*", "desync.*", "host.hung_task", "sched.cancelled"]
needs    = ["kernel_memory", "slurm", "kubernetes", "ray"]
explanation = """
The kernel, or the scheduler's cgroup, ended a process for memory. The process named is where it shows; who used the memory is in the table of
processes before the line. The others saw closed connections or waited.
"""
advice = """
On that host read the process table of the kernel's report (`dmesg -T | grep -B40 "Killed process"`); compare anon and shmem with the limit; fewer data workers, a larger limit, or no gather of the full state on one rank.
"""
false_positives = "A kill of another job's process on the same host: outside the job's time it stays silent."
references = ["Linux: mm/oom_kill.c", "Slurm: oom_kill event"]
[[test]]
fires = 1
expect = { hosts = ["cn31-08"] }
logs."slurm.out" = "slurmstepd-cn31-08: error: Detected 1 oom_kill event in StepId=7730418.0. Some of the step tasks have been OOM Killed."
[[test]]
fires = 1
expect = { hosts = ["n2"], ranks = [1] }
logs."n2.syslog" = "2024-05-20T11:04:13.000000+00:00 n2 kernel: [  123.456789] Memory cgroup out of memory: Killed process 11 (python3) total-vm:123kB, anon-rss:123kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:123kB oom_score_adj:0"
logs."n2.log" = '''
2024-05-20T11:00:13.000000Z n2:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
2024-05-20T11:04:13.000000Z n2:11:21 [1] NCCL INFO comm 0x5502 rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
'''
[[test]]
fires = 0                       # who asks last is not who is killed
logs."dmesg" = "[Mon May 20 11:04:13 2024] python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0"
[[test]]
fires = 0                       # a week before the job
logs."dmesg" = "[Sun May 12 11:04:13 2024] Out of memory: Killed process 11 (python3) total-vm:123kB, anon-rss:123kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:123kB oom_score_adj:0"
logs."train.log" = "2024-05-20 11:04:13,123 | INFO | rank 0/4 | step 5/30 loss 0.00371 step_time_ms 50.7 data_ms 40.1 sync_ms 10.2"
*/
WITH killed AS (
  SELECT attempt, host, process_pid AS pid, process, ts, file_id, line, part FROM kernel_oom_kill
  UNION ALL SELECT attempt, host, NULL, NULL, ts, file_id, line, part FROM slurm_oom
  UNION ALL SELECT attempt, nodes, NULL, NULL, ts, file_id, line, part FROM slurm_task_exit WHERE how = 'Out Of Memory' AND nodes NOT LIKE '%[%'
  UNION ALL SELECT attempt, host, NULL, NULL, ts, file_id, line, part FROM k8s_container_exit WHERE reason = 'OOMKilled'),
placed AS (
  SELECT k.*, r.rank, w.attempt AS job_attempt, (SELECT count(*) FROM job_window) AS jobs, (SELECT count(*) FROM processes) AS numbered
  FROM   killed k
  LEFT JOIN job_window w ON k.ts BETWEEN w.from_ts AND w.to_ts AND w.attempt IS NOT DISTINCT FROM k.attempt
  LEFT JOIN (SELECT attempt, host, pid, min(rank) AS rank FROM ranks WHERE pid IS NOT NULL GROUP BY ALL) r
       ON r.host = k.host AND r.pid = k.pid AND r.attempt IS NOT DISTINCT FROM k.attempt),
relevant AS (                    -- a rank's own process, or a kill while the job ran there, or no job to compare with
  SELECT * FROM placed WHERE jobs = 0 OR rank IS NOT NULL OR job_attempt IS NOT NULL OR ts IS NULL)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       min(ts) AS began, CASE WHEN bool_or(rank IS NOT NULL) OR min(jobs) = 0 OR bool_or(pid IS NULL) THEN 'certain' ELSE 'likely' END AS confidence,
       coalesce(printf('Rank %d', min(rank)), 'A process') || coalesce(' on ' || host, '') || ' was killed because memory ran out'
         || coalesce(printf(' (%s, pid %d)', min(process), min(pid)), '') AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   relevant r
-- the scheduler's word without a host repeats the kernel's with one
WHERE  host IS NOT NULL OR NOT EXISTS (SELECT 1 FROM relevant o WHERE o.host IS NOT NULL AND o.attempt IS NOT DISTINCT FROM r.attempt)
GROUP  BY attempt, host
