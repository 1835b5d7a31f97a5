/*
title    = "A kernel of the program faulted on a GPU"
kind     = "hw.xid.program"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "net.ib_error", "net.socket_error", "launcher.*", "crash.signal", "desync.rank_behind", "sched.cancelled"]
needs    = ["kernel_gpu"]
explanation = """
Xids 13, 31, 69, 109 and the copy engines: a kernel, copy or peer access of the program went wrong. The program is the first suspect; the
hardware only if the fault stays with one GPU across programs. 43 and 45 alone are clean-up and do not count.
"""
advice = """
Run the failing step under `compute-sanitizer`, or with CUDA_LAUNCH_BLOCKING=1, to find the kernel.
Swap the rank to another GPU: if the fault stays with the GPU, run `dcgmi diag -r 3` on it.
"""
false_positives = "Faults of other processes on the host are not counted where the ranks' process ids are known; peers that died leave 31 behind."
references = ["NVIDIA Xid catalogue: 13, 31, 43, 45, 69, 109"]
[[test]]
fires = 1
expect = { gpus = ["0000:9c:00"], confidence = "possible" }
logs."dmesg.txt" = '''
[Tue Oct 15 13:48:49 2024] NVRM: Xid (PCI:0000:9c:00): 13, pid='<unknown>', name=<unknown>, Graphics SM Warp Exception on (GPC 7, TPC 7, SM 0): Illegal Instruction Parameter
[Tue Oct 15 13:48:54 2024] NVRM: Xid (PCI:0000:9c:00): 109, pid=1863147, name=pt_main_thread, Ch 00000008, errorString CTX SWITCH TIMEOUT, Info 0x58005
'''
[[test]]
fires = 1                       # a rank's own process, as the wait began
expect = { ranks = [1], hosts = ["node2"], confidence = "likely" }
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
[rank0]:[E1127 22:39:58.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2025-11-27T22:29:54.000000+00:00 node2 kernel: NVRM: Xid (PCI:0000:18:00): 31, pid=200, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_14 faulted @ 0x7f31_1f6ff779. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ
'''
[[test]]
fires = 0                       # another process, though at that time and on a GPU of the job
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
[rank0]:[E1127 22:39:58.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2025-11-27T22:20:54.000000+00:00 node2 kernel: NVRM: Xid (PCI:0000:18:00): 31, pid=4711, name=jupyter, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_14 faulted @ 0x7f31_1f6ff779. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ
'''
[[test]]
fires = 0                       # clean-up after a kill
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 43, pid=1234, name=python3, Ch 00000008
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 45, pid=1234, name=python3, Ch 00000008
'''
[[test]]
fires = 0                       # the GPU's memory failed
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 48, pid=77, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 0.
May  1 12:00:01 node3 kernel: NVRM: Xid (PCI:0000:91:00): 31, pid=77, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_14 faulted @ 0x7f31_1f6ff779. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ
'''
*/
WITH known AS (                  -- hosts whose ranks all have a process id
  SELECT host FROM ranks WHERE host IS NOT NULL GROUP BY host HAVING count(*) = count(pid)),
fault AS (
  SELECT *, dense_rank() OVER (PARTITION BY attempt ORDER BY host, bdf) AS nth
  FROM   xids
  WHERE  hit AND NOT echo AND family = 'program' AND xid <> 43 AND grade IN ('error', 'fatal')
  AND    place <> 'undated'
         -- whole hours off may be another zone, or another program hours ago: then the job must have met a CUDA error
  AND    (place <> 'shifted' OR attempt IN (SELECT attempt FROM cuda_error))
  AND    (place IN ('alone', 'rank') OR process_pid IS NULL OR host IS NULL OR host NOT IN (SELECT host FROM known)
          -- a container numbers its processes itself: then only the GPU and the very moment speak for it
          OR (ranks IS NOT NULL AND place = 'during' AND after_s BETWEEN -120 AND 10))),
spread AS (
  SELECT attempt, max(nth) AS gpus_hit, min(ts) AS earliest FROM fault GROUP BY attempt)
SELECT f.attempt, CASE WHEN min(gpus_hit) <= 2 THEN list_distinct(list(host ORDER BY host) FILTER (WHERE host IS NOT NULL)) END AS hosts,
       CASE WHEN min(gpus_hit) <= 2 THEN list_distinct(flatten(list(ranks ORDER BY file_id, line) FILTER (WHERE ranks IS NOT NULL))) END AS ranks,
       CASE WHEN min(gpus_hit) <= 2 THEN list_distinct(flatten(list(gpus ORDER BY file_id, line))) END AS gpus,
       CASE WHEN bool_or(place = 'rank') THEN 'likely' ELSE 'possible' END AS confidence, min(began) AS began,
       CASE WHEN min(gpus_hit) <= 2
            THEN printf('%s reported Xid %s%s: %s; the program''s code or, less often, the GPU', min(gpu_said),
                        string_agg(DISTINCT CAST(xid AS VARCHAR), ', ' ORDER BY CAST(xid AS VARCHAR)), coalesce(strftime(min(began), ' at %H:%M:%S'), ''),
                        min({'t': ts, 'line': line, 'm': CASE WHEN regexp_matches(meaning, '^[A-Z][a-z]') THEN lower(meaning[1]) || meaning[2:] ELSE meaning END}).m)
            ELSE printf('%d GPUs reported Xid %s%s: the program''s code, not the GPUs', min(gpus_hit),
                        string_agg(DISTINCT CAST(xid AS VARCHAR), ', ' ORDER BY CAST(xid AS VARCHAR)), coalesce(strftime(min(began), ' from %H:%M:%S'), ''))
       END AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   fault f
JOIN   spread s ON s.attempt = f.attempt
-- many GPUs with one code are one fault; two are told apart
GROUP  BY f.attempt, CASE WHEN gpus_hit <= 2 THEN coalesce(host, '') || bdf END
