/*
title    = "A GPU asks for a repair of its memory"
kind     = "hw.ecc"
severity = "info"
role     = "context"
confidence = "certain"
needs    = ["kernel_gpu"]
explanation = """
Xids 63 and 92 and the like record: a bad row was marked for remapping, corrected errors are frequent. Nothing died of it; with an
uncorrectable error before it, that error is the story.
"""
advice = """
Reset the GPU when it is idle and look at `nvidia-smi -q -d ROW_REMAPPER`.
"""
false_positives = "Driver start-up repeats some records of earlier boots."
references = ["NVIDIA Xid catalogue: 63, 92"]
[[test]]
fires = 1
expect = { gpus = ["0000:91:00"], severity = "medium", role = "cause", confidence = "possible" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 63, pid=77, name=python3, Row Remapper: New row (0x000000010a3b) marked for remapping, reset gpu to activate.
'''
[[test]]
fires = 1                       # beside a job it is a note
expect = { severity = "info", role = "context" }
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-05-01T11:50:01.000000+00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 92, pid=77, name=python3, High single-bit ECC error rate
'''
[[test]]
fires = 0                       # part of an uncorrectable error
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 48, pid=77, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 0.
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 63, pid=77, name=python3, Row Remapper: New row (0x000000010a3b) marked for remapping, reset gpu to activate.
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 43, pid=1234, name=python3, Ch 00000008
'''
*/
SELECT attempt, list_distinct(list(host ORDER BY host) FILTER (WHERE host IS NOT NULL)) AS hosts,
       list_distinct(flatten(list(gpus ORDER BY file_id, line))) AS gpus, min(began) AS began,
       -- with nothing else in the input, this is what there is to say
       CASE WHEN min(place) = 'alone' THEN 'cause' ELSE 'context' END AS role,
       CASE WHEN min(place) = 'alone' THEN 'medium' ELSE 'info' END AS severity,
       CASE WHEN min(place) = 'alone' THEN 'possible' ELSE 'certain' END AS confidence,
       printf('%s reported Xid %s: %s', min(gpu_said), string_agg(DISTINCT CAST(xid AS VARCHAR), ', ' ORDER BY CAST(xid AS VARCHAR)),
              min(CASE WHEN regexp_matches(meaning, '^[A-Z][a-z]') THEN lower(meaning[1]) || meaning[2:] ELSE meaning END)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   xids
WHERE  hit AND NOT echo AND class = 'hardware' AND family IN ('memory', 'pcie') AND grade = 'warning'
AND    NOT EXISTS (SELECT 1 FROM xids o WHERE o.hit AND o.family = 'memory' AND o.grade IN ('error', 'fatal') AND o.bdf = xids.bdf
                   AND o.host IS NOT DISTINCT FROM xids.host)
GROUP  BY attempt, host, bdf
