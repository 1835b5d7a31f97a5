/*
title    = "A GPU fell off the bus"
kind     = "hw.xid.fallen_off_bus"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hw.*", "host.*", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "perf.straggler", "data.stall", "sched.node_fail", "sched.cancelled"]
needs    = ["kernel_gpu"]
explanation = """
Xid 79: the driver read nothing but ones from the GPU. Power, heat, the slot, a riser or the GPU itself took it off PCIe. Its
process meets a CUDA error or freezes, and all other ranks wait until their watchdogs end the job.
"""
advice = """
Drain the host and power-cycle it: a reset or warm reboot is not enough.
Read `dmesg -T` and the BMC's event log of the minute before for AER, DPC, hotplug, power and temperature lines.
Swap the GPU (or the riser) if it happens again; several GPUs of a host at once point to the baseboard, the switch or power.
"""
false_positives = "Xid 79 of a GPU that was being reset or unbound on purpose; hours before the job it is context only."
references = ["NVIDIA Xid catalogue: 79"]
[[test]]
fires = 1                       # a kernel log alone: the fault is the answer
expect = { hosts = ["node040"], gpus = ["0000:9a:00"], confidence = "certain" }
logs."messages" = '''
Nov 27 22:29:54 node040 kernel: NVRM: Xid (PCI:0000:9a:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
Nov 27 22:29:54 node040 kernel: NVRM: GPU 0000:9a:00.0: GPU has fallen off the bus.
'''
[[test]]
fires = 1                       # the pid is a rank's
expect = { hosts = ["node2"], gpus = ["0000:9a:00"], ranks = [1], confidence = "certain" }
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
[rank0]:[E1127 22:59:58.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800009 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2025-11-27T22:29:54.000000+00:00 node2 kernel: NVRM: Xid (PCI:0000:9a:00): 79, pid=200, name=python3, GPU has fallen off the bus.
'''
[[test]]
fires = 0                       # hours before the job: another life of that GPU
logs."train.log" = '''
[rank0]:[E1127 22:59:58.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800009 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2025-11-27T03:11:09.000000+00:00 node2 kernel: NVRM: Xid (PCI:0000:9a:00): 79, pid=200, name=python3, GPU has fallen off the bus.
'''
[[test]]
fires = 0                       # other codes of a program
logs."messages" = '''
Nov 27 22:29:54 node040 kernel: NVRM: Xid (PCI:0000:9a:00): 31, pid=77, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_14 faulted @ 0x7f31_1f6ff779. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ
'''
*/
WITH lost AS (                   -- nothing runs on a lost GPU again before a reboot, so long before the failure counts as well
  SELECT *, hit OR (place = 'early' AND NOT completed) AS counts
  FROM   xids
  WHERE  family = 'lost')
SELECT attempt, list_distinct(list(host ORDER BY host) FILTER (WHERE host IS NOT NULL)) AS hosts,
       list_distinct(flatten(list(ranks ORDER BY file_id, line) FILTER (WHERE ranks IS NOT NULL))) AS ranks,
       list_distinct(flatten(list(gpus ORDER BY file_id, line))) AS gpus,
       CASE WHEN bool_or(sure) THEN 'certain' ELSE 'likely' END AS confidence, min(began) AS began,
       CASE WHEN count(DISTINCT bdf) = 1 THEN min(gpu_said) ELSE printf('%d GPUs%s', count(DISTINCT bdf), coalesce(' of ' || min(host), '')) END
       || ' fell off the bus' || coalesce(strftime(min(began), ' at %H:%M:%S'), '') || ' (Xid 79)'
       || CASE WHEN count(DISTINCT bdf) = 1 AND max(len(ranks)) = 1 THEN printf('; rank %d ran on it', max(ranks[1])) ELSE '' END AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   lost
WHERE  counts
GROUP  BY attempt, host
