/*
title    = "An NVLink failed"
kind     = "hw.nvlink"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hw.xid", "hw.nvlink", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "perf.transport_fallback", "sched.cancelled"]
needs    = ["kernel_gpu"]
explanation = """
Xid 74 and the fatal ones of 144 to 150 and 173: a link between GPUs, or between a GPU and its switch, failed. Both ends may report it;
the switch's SXid follows. A single reporter is named; two reporters are two ends of one fault; more point to the switch or baseboard.
"""
advice = """
Drain the host; compare `nvidia-smi nvlink -s` and `-e` of both ends and the switch's SXid lines in `dmesg`.
Reset the GPUs. If the same link fails again, reseat or replace by what both ends say.
"""
false_positives = "A peer that fell off the bus or was reset in the same minute takes its links down; nonfatal NVLink events are notes."
references = ["NVIDIA Xid catalogue: 74, 144-150"]
[[test]]
fires = 1
expect = { hosts = ["node3"], gpus = ["0000:bb:00"], confidence = "certain" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:bb:00): 74, pid=9, name=python3, NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:bb:00): 45, pid=9, name=python3, Ch 00000008
'''
[[test]]
fires = 1                       # two ends of one link
expect = { gpus = ["0000:bb:00", "0000:cb:00"], either = true, confidence = "likely" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:bb:00): 74, pid=9, name=python3, NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:cb:00): 74, pid=8, name=python3, NVLink: fatal error detected on link 2(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)
'''
[[test]]
fires = 0                       # the peer was lost first
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:cb:00): 79, pid=1234, name=python3, GPU has fallen off the bus.
May  1 12:00:01 node3 kernel: NVRM: Xid (PCI:0000:bb:00): 74, pid=9, name=python3, NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)
'''
[[test]]
fires = 0                       # nonfatal
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0018:01:00): 145, pid=88, name=python3, RLW_RXPIPE Nonfatal XC0 i0 Link -1 (0x1 0x2 0x0 0x0)
'''
*/
WITH link AS (
  SELECT *
  FROM   xids x
  WHERE  hit AND NOT echo AND family = 'nvlink' AND class <> 'followup' AND (grade IN ('error', 'fatal') OR fatality = 'Fatal' OR grave)
  AND    NOT EXISTS (SELECT 1 FROM xids o WHERE o.family = 'lost' AND o.host IS NOT DISTINCT FROM x.host AND abs(epoch(o.ts - x.ts)) <= 60)),
said AS (
  SELECT *, dense_rank() OVER (PARTITION BY attempt, host ORDER BY bdf) AS nth FROM link),
host_of AS (
  SELECT attempt, host, max(nth) AS n FROM said GROUP BY ALL)
SELECT s.attempt, list_distinct(list(s.host ORDER BY s.host) FILTER (WHERE s.host IS NOT NULL)) AS hosts,
       CASE WHEN min(n) <= 2 THEN list_distinct(flatten(list(ranks ORDER BY file_id, line) FILTER (WHERE ranks IS NOT NULL))) END AS ranks,
       CASE WHEN min(n) <= 2 THEN list_distinct(flatten(list(gpus ORDER BY file_id, line))) END AS gpus,
       min(n) = 2 AS either, CASE WHEN min(n) <> 1 AND min(certainty) = 'certain' THEN 'likely' ELSE min(certainty) END AS confidence, min(began) AS began,
       CASE min(n) WHEN 1 THEN printf('%s reported a%s NVLink error%s%s', min(gpu_said), CASE WHEN bool_and(fatality = 'Nonfatal') THEN 'n' ELSE ' fatal' END, coalesce(' on link ' || min(link) FILTER (WHERE link >= 0), ''),
                                      coalesce(strftime(min(began), ' at %H:%M:%S'), ''))
                   WHEN 2 THEN printf('%s and %s reported NVLink errors%s: one of the two, or the link between them', min(gpu_said), max(gpu_said),
                                      coalesce(strftime(min(began), ' at %H:%M:%S'), ''))
                   ELSE printf('%d GPUs%s reported NVLink errors%s: the switch or the baseboard', min(n), coalesce(' of ' || min(s.host), ''),
                               coalesce(strftime(min(began), ' at %H:%M:%S'), '')) END
       || printf(' (Xid %s)', string_agg(DISTINCT CAST(xid AS VARCHAR), ', ' ORDER BY CAST(xid AS VARCHAR))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   said s
JOIN   host_of h ON h.attempt = s.attempt AND h.host IS NOT DISTINCT FROM s.host
GROUP  BY s.attempt, s.host
