/*
title    = "DCGM's check found an Xid on a GPU"
kind     = "hw.xid"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.cuda_error", "perf.straggler", "hang.watchdog_timeout"]
needs    = ["dcgm_reports"]
explanation = '''
A diagnostic or health check of DCGM reports an Xid of this GPU that stands for a fault of hardware or firmware. When it happened only the kernel log tells.
'''
advice = '''
`dmesg -T | grep -i xid` on the host for the time and the full line; drain the host if it fits the failure, reset the GPU (`nvidia-smi -r -i GPU`) and run `dcgmi diag -r 3` again.
'''
false_positives = "Xids that a program causes (13, 31, 43, 45) are left out. A code from long before the job."
references = ["DCGM user guide: DCGM diagnostics", "NVIDIA Xid catalogue"]
[[test]]
fires = 1
expect = { gpus = ["GPU 2"] }
logs."dcgmi.txt" = '''
| Error                     | GPU 2 Detected XID 79 for GPU 2                |
'''
[[test]]
fires = 1
expect = { hosts = ["n7"], gpus = ["n7:2"] }
logs."n7/dcgmi.txt" = '''
| Error                     | GPU 2 Detected XID errors: 119 for GPU 2       |
'''
[[test]]
fires = 0                        # a program's own doing
logs."dcgmi.txt" = '''
| Error                     | GPU 2 Detected XID 31 for GPU 2                |
'''
[[test]]
fires = 0                        # the kernel log tells it better
logs."n7/dcgmi.txt" = '''
| Error                     | GPU 2 Detected XID 79 for GPU 2                |
'''
logs."n7/kern.log" = '''
2026-11-30T03:13:52.000000+00:00 n7 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1234, name=python3, GPU has fallen off the bus.
'''
*/
SELECT d.attempt, [d.host] AS hosts, [d.name] AS gpus,
       printf('DCGM says that GPU %s had Xid %s: %s', regexp_replace(d.name, '^GPU ', ''), string_agg(DISTINCT CAST(d.xid AS VARCHAR), ', ' ORDER BY CAST(d.xid AS VARCHAR)),
              min(CASE WHEN regexp_matches(c.meaning, '^[A-Z][a-z]') THEN lower(c.meaning[1]) || c.meaning[2:] ELSE c.meaning END)) AS summary,
       list({'file_id': d.file_id, 'line': d.line, 'part': d.part} ORDER BY d.file_id, d.line, d.part) AS evidence
FROM   dcgm_complaints d
JOIN   xid_classes c ON c.code = d.xid
WHERE  d.subject = 'xid' AND c.class = 'hardware' AND c.grade IN ('error', 'fatal')
AND    NOT EXISTS (SELECT 1 FROM xids x WHERE x.xid = d.xid AND x.host IS NOT DISTINCT FROM d.host)
GROUP  BY d.attempt, d.host, d.name
