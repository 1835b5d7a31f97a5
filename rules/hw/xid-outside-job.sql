/*
title    = "Earlier or later Xids that this job did not suffer from"
kind     = "hw.xid"
severity = "info"
role     = "context"
confidence = "certain"
needs    = ["kernel_gpu"]
explanation = """
Xids of other processes, of other times, or of a job that went on to its end. They matter when they repeat on one GPU over jobs.
"""
advice = """
Compare with the same GPU in other jobs; nothing to do for this one.
"""
false_positives = "None: it is a note."
references = ["NVIDIA Xid catalogue"]
[[test]]
fires = 1
expect = { gpus = ["0000:91:00"], severity = "info", role = "context" }
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-04-30T09:20:00.000000+00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 94, pid=77, name=python3, Contained: FBHUB (0x0, 0x0). RST: No, D-RST: No
'''
[[test]]
fires = 1                       # two codes of one GPU are one note
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-04-30T09:20:00.000000+00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 31, pid=77, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_14 faulted @ 0x7f31_1f6ff779. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ
2025-04-30T09:20:00.100000+00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 13, pid=77, name=python3, Graphics SM Warp Exception on (GPC 7, TPC 7, SM 0): Illegal Instruction Parameter
'''
[[test]]
fires = 0                       # a kernel log alone: the fault is the answer
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 94, pid=77, name=python3, Contained: FBHUB (0x0, 0x0). RST: No, D-RST: No
'''
[[test]]
fires = 0                       # clean-up lines are not worth a note
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-04-30T09:20:00.000000+00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 45, pid=77, name=python3, Ch 00000008
'''
*/
SELECT attempt, list_distinct(list(host ORDER BY host) FILTER (WHERE host IS NOT NULL)) AS hosts,
       list_distinct(flatten(list(gpus ORDER BY file_id, line))) AS gpus,
       printf('%s reported Xid %s%s, which this job did not suffer from%s', min(gpu_said),
              string_agg(DISTINCT CAST(xid AS VARCHAR), ', ' ORDER BY CAST(xid AS VARCHAR)), coalesce(strftime(min(ts), ' at %Y-%m-%d %H:%M:%S'), ''),
              CASE WHEN bool_and(completed) THEN ': it went on to its end' ELSE ': another time or another process' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   xids
WHERE  NOT hit AND xid NOT IN (43, 45, 154) AND NOT (family = 'lost' AND place = 'early' AND NOT completed)
GROUP  BY attempt, host, bdf
