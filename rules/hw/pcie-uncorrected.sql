/*
title    = "PCI Express lost a device or reported an uncorrected error"
kind     = "hw.pcie"
severity = "high"
role     = "cause"
confidence = "certain"
explains = ["hw.pcie", "hw.gpu_lost", "crash.*", "hang.*", "desync.*", "net.*", "launcher.*", "storage.*", "sched.cancelled"]
needs    = ["kernel_pcie"]
explanation = """
A fatal or uncorrected error, a port that isolated what is below it (DPC), or a slot whose link went down: the device there is lost to
its driver. Just before Xid 79 it tells why the GPU fell off: slot, riser, retimer, power or the GPU itself.
"""
advice = """
Find the device below the port with `lspci -tv`; drain the host and reseat or replace card, riser or cable.
Read the BMC's event log for power and temperature at this time.
"""
false_positives = "Errors while a device is reset on purpose; errors after a GPU was lost follow from it."
references = ["Linux: AER, DPC, pciehp"]
[[test]]
fires = 1
expect = { hosts = ["node3"], devices = ["node3/0000:4a:01.0"], confidence = "certain" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: pcieport 0000:4a:01.0: DPC: containment event, status:0x1f01 source:0x0000
May  1 12:00:00 node3 kernel: pcieport 0000:4a:01.0: pciehp: Slot(12): Link Down
'''
[[test]]
fires = 1
expect = { confidence = "likely" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: nvidia 0000:17:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer, (Requester ID)
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 node3 kernel: nvidia 0000:17:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
'''
[[test]]
fires = 0                       # the day before the job
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-04-30T09:20:00.000000+00:00 node3 kernel: pcieport 0000:4a:01.0: pciehp: Slot(12): Link Down
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, device, 'uncorrected error, ' || lower(regexp_extract(class, '\((.*)\)$', 1)) AS what,
         class LIKE '%(Fatal)%' AS fatal
  FROM   pcie_bus_error WHERE class LIKE 'Uncorrect%'
  UNION ALL
  SELECT file_id, line, part, host, device, 'uncorrected error, ' || lower(regexp_extract(class, '\((.*)\)$', 1)), class LIKE '%(Fatal)%' FROM pcie_aer WHERE class LIKE 'Uncorrect%'
  UNION ALL
  SELECT file_id, line, part, host, device, 'port isolated (DPC)', true FROM pcie_dpc
  UNION ALL
  SELECT file_id, line, part, host, port, 'link of the slot down', true FROM pcie_hotplug WHERE event LIKE 'Link Down%' OR event = 'Card not present'
  UNION ALL
  SELECT file_id, line, part, host, device, 'recovery failed', true FROM pcie_aer_recovery WHERE result = 'failed'
  UNION ALL
  SELECT file_id, line, part, host, device, 'fatal hardware error', true FROM host_apei WHERE class = 'fatal' AND device IS NOT NULL),
placed AS (
  SELECT l.*, h.attempt, h.certainty, h.began, h.ts, g.gpu, g.bdf, g.ranks
  FROM   line l
  JOIN   host_events h USING (file_id, line, part)
  LEFT   JOIN gpu_addresses g ON g.bdf = regexp_replace(lower(l.device), '\.[0-9a-f]$', '') AND g.host IS NOT DISTINCT FROM l.host
  WHERE  h.hit)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       list_distinct(flatten(list(ranks ORDER BY file_id, line) FILTER (WHERE ranks IS NOT NULL))) AS ranks,
       list_distinct(list_filter(flatten(list([host || ':' || gpu, bdf] ORDER BY file_id, line)), lambda n: n IS NOT NULL)) AS gpus,
       list(DISTINCT coalesce(host || '/', '') || device ORDER BY coalesce(host || '/', '') || device) FILTER (WHERE bdf IS NULL AND device IS NOT NULL) AS devices,
       CASE WHEN NOT bool_or(fatal) AND min(certainty) = 'certain' THEN 'likely' ELSE min(certainty) END AS confidence, min(began) AS began,
       printf('%sPCI Express at %s%s: %s', coalesce(min(host) || ': ', ''), string_agg(DISTINCT device, ', ' ORDER BY device),
              coalesce(strftime(min(began), ' at %H:%M:%S'), ''), string_agg(DISTINCT what, '; ' ORDER BY what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   placed
GROUP  BY attempt, host
