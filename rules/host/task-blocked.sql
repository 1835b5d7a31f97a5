/*
title    = "A task of a host was blocked"
kind     = "host.hung_task"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "desync.*", "launcher.*", "perf.straggler"]
needs    = ["kernel_host"]
explanation = """
A task sat in the kernel for two minutes or more. The line shows what waited, not who is guilty: the frames tell on what. Frames of file
systems are a matter of storage and left to that rule; here remain drivers, locks and unknown ones.
"""
advice = """
Read the trace in `dmesg -T`: nv and uvm frames mean the GPU driver, ib and mlx5 the adapter; look for that device's own lines before.
`cat /proc/PID/stack` shows whether it is still blocked.
"""
false_positives = "Monitors (nvidia-smi, health checks) that hang are victims of the device they ask; they are not counted."
references = ["Linux: kernel/hung_task.c"]
[[test]]
fires = 1
expect = { hosts = ["node3"], confidence = "possible" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: INFO: task python3:12345 blocked for more than 122 seconds.
May  1 12:00:00 node3 kernel: Call Trace:
May  1 12:00:00 node3 kernel:  __schedule+0x2cd/0x890
May  1 12:00:00 node3 kernel:  rwsem_down_read_slowpath+0x1b1/0x2b0
May  1 12:00:00 node3 kernel:  uvm_va_space_mm_shutdown+0x4a/0x60 [nvidia_uvm]
'''
[[test]]
fires = 1                       # a rank, as the others began to wait
expect = { ranks = [1], confidence = "likely" }
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
[rank0]:[E1127 22:39:58.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2025-11-27T22:32:00.000000+00:00 node2 kernel: INFO: task python3:200 blocked for more than 122 seconds.
2025-11-27T22:32:00.000000+00:00 node2 kernel: Call Trace:
2025-11-27T22:32:00.000000+00:00 node2 kernel:  __schedule+0x2cd/0x890
2025-11-27T22:32:00.000000+00:00 node2 kernel:  os_acquire_rwlock_write+0x4a/0x60 [nvidia]
'''
[[test]]
fires = 0                       # a file system: storage
logs."messages" = '''
May  1 12:00:00 node3 kernel: INFO: task python3:12345 blocked for more than 122 seconds.
May  1 12:00:00 node3 kernel: Call Trace:
May  1 12:00:00 node3 kernel:  io_schedule+0x46/0x80
May  1 12:00:00 node3 kernel:  nfs_wait_on_request+0x4a/0x60 [nfs]
'''
[[test]]
fires = 0                       # a monitor waits for the device it asks, and ranks tell what happened
logs."messages" = '''
May  1 12:00:00 node3 kernel: INFO: task nvidia-smi:777 blocked for more than 122 seconds.
May  1 12:00:00 node3 kernel: Call Trace:
May  1 12:00:00 node3 kernel:  os_acquire_rwlock_write+0x4a/0x60 [nvidia]
'''
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
'''
[[test]]
fires = 1                       # nobody else speaks: the driver does not answer
expect = { hosts = ["node3"], confidence = "possible" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: INFO: task nvidia-smi:777 blocked for more than 122 seconds.
May  1 12:00:00 node3 kernel: Call Trace:
May  1 12:00:00 node3 kernel:  os_acquire_rwlock_write+0x4a/0x60 [nvidia]
'''
*/
SELECT h.attempt, list(DISTINCT t.host ORDER BY t.host) FILTER (WHERE t.host IS NOT NULL) AS hosts,
       list(DISTINCT h.rank ORDER BY h.rank) FILTER (WHERE h.rank IS NOT NULL) AS ranks,
       CASE WHEN bool_or(h.rank IS NOT NULL) THEN 'likely' ELSE 'possible' END AS confidence,
       min(h.began - to_seconds(t.secs)) AS began,
       printf('%s: task %s was blocked for more than %d s%s', coalesce(min(t.host), 'A host'), min(t.process), max(t.secs),
              CASE max(t.waits_on) WHEN 'gpu' THEN ' in the GPU driver' WHEN 'nic' THEN ' in the network driver' ELSE '' END) AS summary,
       list({'file_id': t.file_id, 'line': t.line, 'part': t.part} ORDER BY t.file_id, t.line, t.part) AS evidence
FROM   blocked_tasks t
JOIN   host_events h USING (file_id, line, part)
WHERE  h.hit AND t.waits_on <> 'storage'
-- a monitor waits for the device it asks: its word counts where no other is to be had
AND    (NOT regexp_matches(t.process, 'smi|dcgm|hostengine|exporter|health|nhc|telegraf|collectd') OR (h.place = 'alone' AND t.waits_on = 'gpu' AND NOT EXISTS (SELECT 1 FROM gpu_xid)))
GROUP  BY h.attempt, t.host
