/*
title    = "An NVSwitch reported errors"
kind     = "hw.nvlink"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hw.nvlink", "hw.xid", "crash.*", "hang.*", "desync.*", "launcher.*", "perf.*", "sched.cancelled"]
needs    = ["kernel_nvswitch"]
explanation = """
A fatal SXid stops the GPUs on that switch or port. It follows when a GPU fell off the bus, was reset or reported the link first, and
counts only when no Xid of the host comes within the same minute. Nonfatal ones are notes.
"""
advice = """
Drain the host. Find the GPU of the port in `fabricmanager.log` or the topology; the port is not the GPU's index.
Reset all GPUs and restart nvidia-fabricmanager; a port that repeats is a link or a switch to replace.
"""
false_positives = "20034 (link fault up) after a GPU reset on purpose."
references = ["NVIDIA NVSwitch SXid catalogue"]
[[test]]
fires = 1
expect = { hosts = ["node3"], devices = ["node3/nvidia-nvswitch2"], severity = "high", role = "cause" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 19049, Fatal, Link 29 nvlipt fatal
'''
[[test]]
fires = 1                       # nonfatal: possible at most, and only alone
expect = { confidence = "possible", severity = "medium" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 22013, Non-fatal, Link 34 Minion Link DLREQ interrupt
'''
[[test]]
fires = 0                       # a GPU was first
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:bb:00): 79, pid=9, name=python3, GPU has fallen off the bus.
May  1 12:00:03 node3 kernel: nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 20034, Fatal, Link 29 LTSSM Fault Up
'''
[[test]]
fires = 0                       # a nonfatal one hours before a job's failure
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-05-01T09:20:00.000000+00:00 node3 kernel: nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 22013, Non-fatal, Link 34 Minion Link DLREQ interrupt
'''
*/
WITH said AS (
  SELECT s.file_id, s.line, s.part, s.host, s.device, s.sxid, s.class, s.link, h.ts, h.attempt, h.place, h.sure, h.began
  FROM   gpu_sxid s
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit AND s.class IN ('Fatal', 'Non-fatal') AND (s.class = 'Fatal' OR h.place = 'alone')
  AND    NOT EXISTS (SELECT 1 FROM xids x WHERE x.class = 'hardware' AND x.host IS NOT DISTINCT FROM s.host AND (h.ts IS NULL OR x.ts IS NULL OR abs(epoch(x.ts - h.ts)) <= 60)))
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       list(DISTINCT coalesce(host || '/', '') || device ORDER BY coalesce(host || '/', '') || device) AS devices,
       CASE WHEN NOT bool_or(class = 'Fatal') THEN 'possible' ELSE 'likely' END AS confidence,
       CASE WHEN NOT bool_or(class = 'Fatal') THEN 'medium' ELSE 'high' END AS severity, min(began) AS began,
       printf('%s%s reported %s SXid %s%s%s', coalesce(min(host) || ': ', ''), device, CASE WHEN bool_or(class = 'Fatal') THEN 'fatal' ELSE 'nonfatal' END,
              string_agg(DISTINCT CAST(sxid AS VARCHAR), ', ' ORDER BY CAST(sxid AS VARCHAR)),
              CASE WHEN count(DISTINCT link) = 1 THEN ' on port ' || min(link) ELSE '' END, coalesce(strftime(min(began), ' at %H:%M:%S'), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   said
GROUP  BY attempt, host, device
