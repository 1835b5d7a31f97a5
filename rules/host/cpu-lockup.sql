/*
title    = "A CPU of a host was stuck"
kind     = "host.soft_lockup"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["host.*", "hang.*", "desync.*", "launcher.*", "net.ib_error", "net.socket_error", "perf.straggler", "crash.signal"]
needs    = ["kernel_host"]
explanation = """
The kernel could not schedule on a CPU for 20 s or more. What ran there stood still: the rank itself, or NCCL's proxy thread. A driver
that spins on dead hardware is a common reason, and then the hardware's own lines are the story.
"""
advice = """
Look at the function named in the trace (`dmesg -T`), and at GPU, network and storage errors of the host just before.
Drain the host if it repeats.
"""
false_positives = "Virtual machines that were paused, and hosts that were being debugged, print the same."
references = ["Linux: kernel/watchdog.c"]
[[test]]
fires = 1
expect = { hosts = ["node3"] }
logs."messages" = '''
May  1 12:00:00 node3 kernel: watchdog: BUG: soft lockup - CPU#18 stuck for 27s! [python3:2254956]
'''
[[test]]
fires = 1                       # the stuck process is a rank
expect = { hosts = ["node2"], ranks = [1] }
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
[rank0]:[E1127 22:39:58.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2025-11-27T22:29:54.000000+00:00 node2 kernel: watchdog: BUG: soft lockup - CPU#18 stuck for 27s! [python3:200]
'''
[[test]]
fires = 0                       # hours before
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-05-01T02:20:00.000000+00:00 node3 kernel: watchdog: BUG: soft lockup - CPU#18 stuck for 27s! [kworker/18:1:2254956]
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 node3 kernel: perf: interrupt took too long (4910 > 4901), lowering kernel.perf_event_max_sample_rate to 40750
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, cpu, secs, process, rip, 'stuck' AS what FROM kernel_soft_lockup
  UNION ALL
  SELECT file_id, line, part, host, cpu, NULL, NULL, NULL, 'locked up' FROM kernel_hard_lockup
  UNION ALL
  SELECT file_id, line, part, host, NULL, NULL, NULL, NULL, 'stalled' FROM kernel_rcu_stall)
SELECT h.attempt, list(DISTINCT l.host ORDER BY l.host) FILTER (WHERE l.host IS NOT NULL) AS hosts,
       list(DISTINCT h.rank ORDER BY h.rank) FILTER (WHERE h.rank IS NOT NULL) AS ranks,
       -- printed when the CPU had already been stuck
       min(h.began - to_seconds(coalesce(secs, 0))) AS began,
       printf('%s: %d CPU%s %s%s%s%s', coalesce(min(l.host), 'A host'), greatest(count(DISTINCT cpu), 1), CASE WHEN count(DISTINCT cpu) > 1 THEN 's' ELSE '' END, max(what),
              coalesce(' for ' || max(secs) || ' s', ''), coalesce(strftime(min(h.began), ' at %H:%M:%S'), ''), coalesce(' in ' || min(rip), coalesce(' in process ' || min(process), ''))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   line l
JOIN   host_events h USING (file_id, line, part)
WHERE  h.hit
GROUP  BY h.attempt, l.host
