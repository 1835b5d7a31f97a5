/*
title    = "A GPU met an uncorrectable memory error"
kind     = "hw.ecc"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hw.xid", "hw.ecc", "hw.nvlink", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["kernel_gpu"]
explanation = """
Xids 48, 94, 95, 140, 64 and their kin: data in GPU memory or caches could not be corrected, or a bad row not be replaced. The process
that touched it dies (94, contained) or every process on the GPU (95); the other ranks wait for it.
"""
advice = """
Reset the GPU before the next job (`nvidia-smi --gpu-reset -i N`) and look at `nvidia-smi -q -d ROW_REMAPPER,ECC`.
Replace the GPU if remapping failed or errors come back within days; one contained error alone is no reason.
"""
false_positives = "Xid 63 and 92 alone (a row marked for repair, corrected errors) are notes and do not fire this."
references = ["NVIDIA GPU memory error management", "NVIDIA Xid catalogue: 48, 63, 64, 94, 95, 140"]
[[test]]
fires = 1
expect = { hosts = ["node3"], gpus = ["0000:91:00"], confidence = "certain" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 48, pid=77, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 0.
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 63, pid=77, name=python3, Row Remapper: New row (0x000000010a3b) marked for remapping, reset gpu to activate.
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 94, pid=77, name=python3, Contained: FBHUB (0x0, 0x0). RST: No, D-RST: No
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)
'''
[[test]]
fires = 1                       # the job broke a second later
expect = { hosts = ["node3"], confidence = "certain" }
logs."train.log" = '''
2025-05-01 12:00:01,100 | ERROR | rank 0 | x
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-05-01T11:50:00.000000+00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 95, pid=77, name=python3, Uncontained: LTC TAG (0x2,0x0). physAddr: 0x1f RST: Yes, D-RST: No
'''
[[test]]
fires = 0                       # corrected errors, and a row waiting for its repair
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 92, pid=77, name=python3, High single-bit ECC error rate
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 63, pid=77, name=python3, Row Remapper: New row (0x000000010a3b) marked for remapping, reset gpu to activate.
'''
[[test]]
fires = 0                       # the day before the job
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-04-30T09:20:00.000000+00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 94, pid=77, name=python3, Contained: FBHUB (0x0, 0x0). RST: No, D-RST: No
'''
*/
WITH hurt AS (                   -- 63, 92, 156 and the like only record or warn
  SELECT DISTINCT attempt, host, bdf
  FROM   xids
  WHERE  hit AND NOT echo AND family = 'memory' AND grade IN ('error', 'fatal'))
SELECT x.attempt, list_distinct(list(x.host ORDER BY x.host) FILTER (WHERE x.host IS NOT NULL)) AS hosts,
       list_distinct(flatten(list(ranks ORDER BY file_id, line) FILTER (WHERE ranks IS NOT NULL))) AS ranks,
       list_distinct(flatten(list(gpus ORDER BY file_id, line))) AS gpus,
       min(certainty) AS confidence, min(began) AS began,
       printf('%s met an uncorrectable memory error%s (Xid %s)%s', min(gpu_said), coalesce(strftime(min(began), ' at %H:%M:%S'), ''),
              string_agg(DISTINCT CAST(xid AS VARCHAR), ', ' ORDER BY CAST(xid AS VARCHAR)),
              CASE WHEN bool_or(xid = 64) THEN ', and a bad row could not be replaced' WHEN bool_or(xid = 95) THEN ', which ended every process on it' ELSE '' END)
       AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   xids x
JOIN   hurt h ON h.attempt = x.attempt AND h.host IS NOT DISTINCT FROM x.host AND h.bdf = x.bdf
WHERE  x.hit AND x.family = 'memory'
GROUP  BY x.attempt, x.host, x.bdf
