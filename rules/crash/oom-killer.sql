/*
title    = "The kernel killed a process for lack of host memory"
kind     = "crash.oom_host"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["crash.oom_host", "crash.signal", "crash.python", "hw.xid.program", "host.*", "hang.*", "desync.*", "data.stall", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["kernel_memory", "services"]
explanation = """
The memory limit of the job (its cgroup) or the memory of the whole host was used up, and the kernel killed the process named in `Killed
process`. The one that invoked the killer only asked last. GPU memory has nothing to do with it.
"""
advice = """
Raise the job's memory limit (`--mem`, the pod's limit) or use less: fewer loader workers, less pinned memory and /dev/shm, no full state on one rank.
The task table in the kernel log shows who held the memory; growth over hours is a leak.
"""
false_positives = "Kills inside other jobs' cgroups on a shared host, or hours before, are left out."
references = ["Linux: mm/oom_kill.c"]
[[test]]
fires = 1                       # cgroup, and the pid is rank 1's
expect = { hosts = ["node2"], ranks = [1], confidence = "certain" }
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
'''
logs."node2.messages" = '''
Sep 10 04:21:11 node2 kernel: pt_data_worker invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
Sep 10 04:21:11 node2 kernel: Memory cgroup out of memory: Killed process 200 (python3) total-vm:543069387kB, anon-rss:181023129kB, file-rss:116765kB, shmem-rss:4497408kB, UID:10432 pgtables:452557kB oom_score_adj:0
'''
[[test]]
fires = 1                       # the whole host
expect = { hosts = ["node3"], ranks = [] }
logs."messages" = '''
May  1 12:00:00 node3 kernel: Out of memory: Killed process 1234 (python3) total-vm:543069kB, anon-rss:181023kB, file-rss:116kB, shmem-rss:0kB, UID:0 pgtables:123kB oom_score_adj:0
'''
[[test]]
fires = 1                       # the data worker of a rank
expect = { hosts = ["node2"], ranks = [6] }
logs."node2/stdout.rank6" = '''
RuntimeError: DataLoader worker (pid 51877) is killed by signal: Killed.
'''
logs."node2/messages" = '''
Sep 10 04:21:11 node2 kernel: Memory cgroup out of memory: Killed process 51877 (python3) total-vm:101223344kB, anon-rss:58112233kB, file-rss:11200kB, shmem-rss:2101200kB, UID:0 pgtables:120334kB oom_score_adj:0
'''
[[test]]
fires = 1                       # systemd tells of it, the kernel log is not there
expect = { hosts = ["n8"], ranks = [] }
logs."journal.log" = '''
May 05 02:10:11 n8 systemd[1]: session-31.scope: A process of this unit has been killed by the OOM killer.
'''
[[test]]
fires = 0                       # a service of the host
logs."journal.log" = '''
May 05 02:10:11 n8 systemd[1]: snapd.service: A process of this unit has been killed by the OOM killer.
'''
[[test]]
fires = 0                       # another job's cgroup
logs."slurm-77.out" = '''
slurmstepd: error: *** STEP 77.0 ON node2 CANCELLED AT 2025-09-10T04:22:07 ***
'''
logs."node2.messages" = '''
Sep 10 04:21:11 node2 kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=task_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_99/step_0,task_memcg=/system.slice/slurmstepd.scope/job_99/step_0/user/task_0,task=python3,pid=300,uid=10432
Sep 10 04:21:11 node2 kernel: Memory cgroup out of memory: Killed process 300 (python3) total-vm:543069387kB, anon-rss:181023129kB, file-rss:116765kB, shmem-rss:4497408kB, UID:10432 pgtables:452557kB oom_score_adj:0
'''
[[test]]
fires = 0                       # asked, and nobody was killed
logs."messages" = '''
May  1 12:00:00 node3 kernel: python3: page allocation failure: order:5, mode:0x40cc0(GFP_HIGHUSER), nodemask=(null),cpuset=/,mems_allowed=0-1
'''
*/
WITH line AS MATERIALIZED (
  SELECT file_id, line, part, kind, host, fields['process'] AS process, TRY_CAST(fields['process_pid'] AS BIGINT) AS pid, fields['scope'] AS scope, fields['job'] AS job, fields['unit'] AS unit,
         TRY_CAST(fields['anon_rss_kb'] AS BIGINT) + coalesce(TRY_CAST(fields['shmem_rss_kb'] AS BIGINT), 0) AS kb
  FROM   events
  WHERE  NOT duplicate AND kind IN ('kernel.oom_kill', 'kernel.oom_chosen', 'kernel.oom_constraint', 'host.memory_kill', 'service.oom_killed')),
foreigner AS (                   -- processes that died in another job's cgroup
  SELECT DISTINCT host, pid FROM line
  WHERE  job IS NOT NULL AND job NOT IN (SELECT job FROM own_jobs) AND EXISTS (SELECT 1 FROM own_jobs)),
victim AS (
  SELECT l.*, h.attempt, h.rank, h.began, h.sure, h.place
  FROM   line l
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit AND (l.kind <> 'service.oom_killed'
       -- systemd's word counts where the kernel's is not given, and only of units in which people's programs run
       OR (regexp_matches(l.unit, '(?i)^(session-|user@|user-|run-|app-|slurm|step|job|docker-|libpod-|cri-|kubepods|train|ray|torch)')
           AND NOT EXISTS (SELECT 1 FROM line o WHERE o.kind <> 'service.oom_killed' AND o.host IS NOT DISTINCT FROM l.host)))
  AND    NOT EXISTS (SELECT 1 FROM foreigner f WHERE f.host IS NOT DISTINCT FROM l.host AND f.pid = l.pid)
  -- beside a job: a rank, or something that a job starts
  AND    (h.place IN ('alone', 'rank') OR l.process IS NULL OR regexp_matches(lower(l.process), 'python|^pt_|torch|ray|worker|loader|train|slurmstep|bash|^sh$|mpi|deepspeed|accelerate|nccl|conda'))),
loader AS (                      -- the rank whose data worker it was says its number
  SELECT attempt, TRY_CAST(pid AS BIGINT) AS pid, min(rank) AS rank, min(host) AS host
  FROM   (SELECT attempt, rank, host, unnest(regexp_extract_all(pids, '\d+')) AS pid FROM dataloader_worker_died WHERE rank IS NOT NULL)
  GROUP  BY ALL
  HAVING count(DISTINCT rank) = 1),
placed AS (                      -- without a pid, Slurm's own list of killed tasks may tell the rank
  SELECT v.*, coalesce(v.rank, w.rank, t.rank) AS who
  FROM   victim v
  LEFT   JOIN loader w ON w.attempt = v.attempt AND w.pid = v.pid AND (w.host IS NULL OR v.host IS NULL OR w.host = v.host)
  LEFT   JOIN (SELECT attempt, host, min(rank) AS rank FROM slurm_tasks WHERE how = 'Out Of Memory' GROUP BY attempt, host HAVING count(DISTINCT task) = 1) t
         ON t.attempt = v.attempt AND t.host = v.host)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT who ORDER BY who) FILTER (WHERE who IS NOT NULL) AS ranks,
       CASE WHEN bool_or(sure) THEN 'certain' ELSE 'likely' END AS confidence, min(began) AS began,
       printf('%s: the kernel killed %s%s for lack of memory%s%s', coalesce(min(host), 'A host'),
              CASE WHEN count(DISTINCT pid) > 1 THEN printf('%d processes', count(DISTINCT pid)) WHEN count(DISTINCT who) = 1 THEN printf('rank %d (process %d)', min(who), min(pid))
                   WHEN count(pid) = 0 AND count(unit) > 0 THEN 'a process of ' || min(unit)
                   ELSE printf('process %s (%s)', coalesce(CAST(min(pid) AS VARCHAR), '?'), coalesce(min(process), '?')) END,
              coalesce(strftime(min(began), ' at %H:%M:%S'), ''),
              CASE WHEN bool_or(scope ILIKE '%cgroup%' OR scope LIKE '%MEMCG') THEN ': the limit of its cgroup' WHEN bool_or(scope LIKE 'Out of memory%' OR scope LIKE '%NONE') THEN ': the whole host was full' ELSE '' END,
              coalesce(printf('; it held %d GB', CAST(max(kb) // 1000000 AS BIGINT)), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   placed
GROUP  BY attempt, host
