/*
title    = "A task was blocked in a file system"
kind     = "storage.stall"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["storage.*", "host.hung_task", "data.stall", "hang.*", "desync.*", "launcher.*", "crash.signal"]
needs    = ["kernel_host"]
explanation = """
The kernel found a task asleep for two minutes in a file system's code or in page writeback: the file server or the disk behind it did not
answer. The line shows who waited; the frames show on what.
"""
advice = """
Find the mount: `cat /proc/PID/stack`, `df`, `mount`; look for server messages on several hosts at once.
Check quota, free space and load of the file server or disk.
"""
false_positives = "Very large writebacks on slow disks recover by themselves; then the job only lost time."
references = ["Linux: kernel/hung_task.c"]
[[test]]
fires = 1
expect = { hosts = ["node3"], confidence = "likely" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: INFO: task python3:12345 blocked for more than 122 seconds.
May  1 12:00:00 node3 kernel: Call Trace:
May  1 12:00:00 node3 kernel:  io_schedule+0x46/0x80
May  1 12:00:00 node3 kernel:  folio_wait_bit_common+0x14c/0x3a0
May  1 12:00:00 node3 kernel:  nfs_wait_on_request+0x4a/0x60 [nfs]
'''
[[test]]
fires = 1                       # it is a rank
expect = { ranks = [1], hosts = ["node2"] }
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
[rank0]:[E1127 22:39:58.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2025-11-27T22:32:00.000000+00:00 node2 kernel: INFO: task python3:200 blocked for more than 122 seconds.
2025-11-27T22:32:00.000000+00:00 node2 kernel: Call Trace:
2025-11-27T22:32:00.000000+00:00 node2 kernel:  rpc_wait_bit_killable+0x1b1/0x2b0 [sunrpc]
2025-11-27T22:32:00.000000+00:00 node2 kernel:  nfs4_proc_getattr+0x4a/0x60 [nfsv4]
'''
[[test]]
fires = 0                       # the GPU driver
logs."messages" = '''
May  1 12:00:00 node3 kernel: INFO: task python3:12345 blocked for more than 122 seconds.
May  1 12:00:00 node3 kernel: Call Trace:
May  1 12:00:00 node3 kernel:  rwsem_down_read_slowpath+0x1b1/0x2b0
May  1 12:00:00 node3 kernel:  uvm_va_space_mm_shutdown+0x4a/0x60 [nvidia_uvm]
'''
[[test]]
fires = 0                       # the day before the job
logs."train.log" = '''
[rank0]:[E1127 22:39:58.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2025-11-26T21:02:00.000000+00:00 node2 kernel: INFO: task rsync:200 blocked for more than 122 seconds.
2025-11-26T21:02:00.000000+00:00 node2 kernel: Call Trace:
2025-11-26T21:02:00.000000+00:00 node2 kernel:  rpc_wait_bit_killable+0x1b1/0x2b0 [sunrpc]
'''
*/
WITH task AS (
  SELECT t.file_id, t.line, t.part, t.host, t.process, t.process_pid, t.secs, t.file_system, h.attempt, h.rank, h.began, h.sure, h.place
  FROM   blocked_tasks t
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit AND t.waits_on = 'storage')
SELECT t.attempt, list(DISTINCT t.host ORDER BY t.host) FILTER (WHERE t.host IS NOT NULL) AS hosts,
       list(DISTINCT coalesce(t.rank, l.rank) ORDER BY coalesce(t.rank, l.rank)) FILTER (WHERE coalesce(t.rank, l.rank) IS NOT NULL) AS ranks,
       CASE WHEN bool_or(t.rank IS NOT NULL) THEN 'certain' ELSE 'likely' END AS confidence, CASE WHEN bool_or(t.rank IS NOT NULL) THEN 'critical' ELSE 'high' END AS severity,
       min(t.began - to_seconds(t.secs)) AS began,
       printf('%s: task %s was blocked in %s for more than %d s%s', coalesce(min(t.host), 'A host'), min(process), coalesce(min(file_system), 'file input and output'), max(secs),
              CASE WHEN count(DISTINCT coalesce(t.rank, l.rank)) = 1 THEN printf('; rank %d was held back', min(coalesce(t.rank, l.rank))) ELSE '' END) AS summary,
       list_distinct(list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part)) AS evidence
FROM   task t
LEFT   JOIN late_ranks l ON l.attempt = t.attempt AND l.host = t.host
GROUP  BY t.attempt, t.host
