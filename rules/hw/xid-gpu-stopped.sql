/*
title    = "A GPU or its firmware stopped answering"
kind     = "hw.xid.hardware"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hw.xid", "hw.nvlink", "hw.gpu_lost", "host.*", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "perf.straggler", "data.stall", "sched.cancelled"]
needs    = ["kernel_gpu"]
explanation = """
Xids of the hardware class: firmware that does not answer (119, 120), a halted controller (62), a GPU that does not initialise (143),
fatal timeouts (158, 167) and the like. The process in the line is incidental: often a monitor that asked first.
"""
advice = """
Drain the host and reset the GPU (`nvidia-smi --gpu-reset -i N`); power-cycle the host if the reset fails.
Collect `nvidia-bug-report.sh` first. Several GPUs of a host with the same code at once have a shared cause: driver, power, baseboard.
"""
false_positives = "Codes that follow a GPU that fell off the bus or an NVLink error in the same minute are left to those rules."
references = ["NVIDIA Xid catalogue: 61, 62, 119, 120, 143, 158, 167"]
[[test]]
fires = 1
expect = { hosts = ["node3"], gpus = ["0000:91:00"], confidence = "certain" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 119, pid=1234, name=nvidia-smi, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) sequence 123 (0x20802a02 0x8).
May  1 12:00:06 node3 kernel: NVRM: Xid (PCI:0000:91:00): 119, pid=1234, name=nvidia-smi, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) sequence 124 (0x20802a02 0x8).
'''
[[test]]
fires = 1
expect = { hosts = ["node3"], gpus = ["0000:91:00"] }
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 62, 2c6a(2ea8) 00000000 00000000
'''
[[test]]
fires = 0                       # the GPU was lost: what follows belongs to that
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 79, pid=1234, name=python3, GPU has fallen off the bus.
May  1 12:00:06 node3 kernel: NVRM: Xid (PCI:0000:91:00): 119, pid=1234, name=nvidia-smi, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) sequence 123 (0x20802a02 0x8).
'''
[[test]]
fires = 0                       # a program's fault and its clean-up
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 13, pid=1234, name=python3, Graphics SM Warp Exception on (GPC 7, TPC 7, SM 0): Illegal Instruction Parameter
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 43, pid=1234, name=python3, Ch 00000008
'''
*/
SELECT attempt, list_distinct(list(host ORDER BY host) FILTER (WHERE host IS NOT NULL)) AS hosts,
       list_distinct(flatten(list(ranks ORDER BY file_id, line) FILTER (WHERE ranks IS NOT NULL))) AS ranks,
       list_distinct(flatten(list(gpus ORDER BY file_id, line))) AS gpus,
       min(certainty) AS confidence, min(began) AS began,
       printf('%s reported Xid %s%s: %s', min(gpu_said), string_agg(DISTINCT CAST(xid AS VARCHAR), ', ' ORDER BY CAST(xid AS VARCHAR)),
              coalesce(strftime(min(began), ' at %H:%M:%S'), ''), min({'t': ts, 'line': line, 'm': CASE WHEN regexp_matches(meaning, '^[A-Z][a-z]') THEN lower(meaning[1]) || meaning[2:] ELSE meaning END}).m) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   xids
WHERE  hit AND NOT echo AND family IN ('firmware', 'pcie', 'other') AND grade IN ('error', 'fatal')
GROUP  BY attempt, host, bdf
