/*
title    = "A host restarted under the job"
kind     = "hw.reboot"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hw.host_lost", "hang.*", "desync.*", "crash.signal", "net.*", "launcher.*", "sched.node_fail", "sched.cancelled", "hw.gpu_lost"]
needs    = ["boot", "slurm", "kubernetes"]
explanation = """
The host booted while the job ran, or its scheduler says that it rebooted unexpectedly. Without the lines of an orderly stop before it,
it crashed, lost power or was cycled from outside.
"""
advice = """
Read the BMC's event log and `last -x` of that host, and `journalctl -b -1 -e` for the last lines before.
Keep it drained until the reason is known.
"""
false_positives = "Boots in a host's log of days; only one after other lines of the same host and inside the job counts."
references = ["Slurm: validate_node_specs", "systemd: boot and shutdown messages"]
[[test]]
fires = 1
expect = { hosts = ["node17"], confidence = "certain" }
logs."slurmctld.log" = '''
[2024-05-01T12:00:00.123] error: validate_node_specs: Node node17 unexpectedly rebooted boot_time=1714564800 last response=1714564000
'''
[[test]]
fires = 1                       # no orderly stop before it
expect = { hosts = ["node3"], confidence = "likely" }
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-05-01T11:20:00.000000+00:00 node3 kernel: nfs: server 10.0.0.9 OK
2025-05-01T11:52:00.000000+00:00 node3 kernel: Linux version 5.15.0-119-generic (buildd@lcy02-amd64-059) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0, GNU ld (GNU Binutils for Ubuntu) 2.38) #129-Ubuntu SMP
'''
[[test]]
fires = 1                       # as `last -x` tells
expect = { hosts = [], confidence = "likely" }
logs."last.txt" = '''
reboot   system boot  5.15.0-101-gener Wed Apr 17 07:51:58 2024   still running
train    pts/3        10.0.0.40        Tue Apr 16 22:14:02 2024 - crash                     (09:37)
reboot   system boot  5.15.0-101-gener Mon Mar 25 10:02:30 2024   still running
'''
[[test]]
fires = 0                       # two boots ago
logs."last.txt" = '''
reboot   system boot  5.15.0-101-gener Wed Apr 17 07:51:58 2024   still running
train    pts/3        10.0.0.40        Tue Apr 16 22:14:02 2024 - down                      (09:37)
reboot   system boot  5.15.0-101-gener Mon Mar 25 10:02:30 2024 - 07:50 (22+21:48)
train    pts/3        10.0.0.40        Mon Mar 25 09:14:02 2024 - crash                     (00:47)
reboot   system boot  5.15.0-101-gener Mon Mar  4 10:02:30 2024 - 10:00 (20+21:48)
'''
[[test]]
fires = 0                       # the boot at the head of a log, long before
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."dmesg.txt" = '''
[    0.000000] Linux version 5.15.0-119-generic (buildd@lcy02-amd64-059) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0, GNU ld (GNU Binutils for Ubuntu) 2.38) #129-Ubuntu SMP
[   99.000000] nfs: server 10.0.0.9 OK
'''
[[test]]
fires = 0                       # a node of other jobs
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
'''
logs."slurmctld.log" = '''
[2024-05-01T12:00:00.123] error: validate_node_specs: Node cpu17 unexpectedly rebooted boot_time=1714564800 last response=1714564000
'''
*/
WITH boot AS (                   -- a boot in the middle of a host's log
  SELECT b.file_id, b.line, b.part, b.host, h.attempt, h.began, h.place,
         (SELECT count(*) FROM host_shutdown s WHERE s.file_id = b.file_id AND s.line < b.line AND CAST(s.line AS BIGINT) > CAST(b.line AS BIGINT) - 200
                 AND (s.ts IS NULL OR h.ts IS NULL OR h.ts - s.ts < INTERVAL 30 MINUTE)) > 0 AS orderly,
         false AS told
  FROM   host_boot b
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit AND h.place IN ('alone', 'during', 'late')
  AND    EXISTS (SELECT 1 FROM host_events o WHERE o.file_id = b.file_id AND o.line < b.line AND o.kind NOT IN ('host.boot', 'host.kernel_command_line'))),
told AS (
  SELECT file_id, line, part, nodes AS host, attempt, ts AS began, 'told' AS place, false AS orderly, true AS told FROM slurm_node_rebooted
  UNION ALL
  SELECT file_id, line, part, node, attempt, ts, 'told', false, true FROM k8s_node_rebooted),
crashed AS (                     -- `last`: a session without end before the newest boot. The newest lines stand first
  SELECT c.file_id, c.line, c.part, c.host, h.attempt, NULL::TIMESTAMP AS began, h.place, false AS orderly, false AS told
  FROM   host_session_crashed c
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit
  AND    (SELECT count(*) FROM host_boot_recorded b WHERE b.file_id = c.file_id AND b.line < c.line) = 1
  -- beside a job it may be of any day
  AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)),
every AS (
  SELECT * FROM boot
  UNION ALL
  SELECT * FROM crashed
  UNION ALL
  SELECT t.* FROM told t
  LEFT   JOIN job_ends e ON e.attempt = t.attempt
  WHERE  NOT coalesce(e.completed, false)
  -- of a controller's log only what concerns the hosts of the job; all of it where the job is not in the input
  AND    (NOT EXISTS (SELECT 1 FROM ranks WHERE host IS NOT NULL) OR t.host IN (SELECT host FROM ranks)
          OR EXISTS (SELECT 1 FROM host_names n JOIN ranks r ON r.host = n.host WHERE n.name = t.host)))
SELECT e.attempt, list(DISTINCT e.host ORDER BY e.host) FILTER (WHERE e.host IS NOT NULL) AS hosts,
       list(DISTINCT r.rank ORDER BY r.rank) FILTER (WHERE r.rank IS NOT NULL) AS ranks,
       CASE WHEN bool_or(told) THEN 'certain' ELSE 'likely' END AS confidence, min(e.began) AS began,
       CASE WHEN bool_and(orderly) THEN printf('%s was restarted in an orderly way%s while the job ran', coalesce(min(e.host), 'A host'), coalesce(strftime(min(e.began), ' at %H:%M:%S'), ''))
            ELSE printf('%s rebooted unexpectedly%s', coalesce(min(e.host), 'A host'), coalesce(strftime(min(e.began), ' at %H:%M:%S'), '')) END AS summary,
       list_distinct(list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part)) AS evidence
FROM   every e
LEFT   JOIN ranks r ON r.attempt = e.attempt AND r.host = e.host
WHERE  e.place <> 'alone' OR NOT e.orderly
GROUP  BY e.attempt, e.host
