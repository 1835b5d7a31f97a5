/*
title    = "PCI Express corrects errors"
kind     = "hw.pcie"
severity = "info"
role     = "context"
confidence = "certain"
needs    = ["kernel_pcie"]
explanation = """
A corrected error was repeated on the wire and cost nothing but time. A few a day are normal; a flood points to a marginal lane, which
slows copies and network traffic of that device.
"""
advice = """
With a flood: reseat the card or riser of that port and compare `nvidia-smi --query-gpu=pcie.link.width.current --format=csv` with its siblings.
"""
false_positives = "The kernel limits how often it prints: counts are lower bounds."
references = ["Linux: AER"]
[[test]]
fires = 1                       # three in a second are a note
expect = { severity = "info", hosts = ["rig2"], devices = ["rig2/0000:00:01.1"] }
logs."messages" = '''
Nov 19 17:58:13 rig2 kernel: [101175.660839] pcieport 0000:00:01.1: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)
Nov 19 17:58:13 rig2 kernel: [101175.682926] pcieport 0000:00:01.1: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
Nov 19 17:58:13 rig2 kernel: [101175.771236] pcieport 0000:00:01.1: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)
'''
[[test]]
fires = 1
expect = { severity = "info" }
logs."messages" = '''
Nov 19 17:58:13 rig2 kernel: nvidia 0000:17:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
Nov 19 17:58:13 rig2 kernel: nvidia 0000:17:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
Nov 19 17:58:13 rig2 kernel: nvidia 0000:17:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
'''
[[test]]
fires = 0                       # one now and then
logs."messages" = '''
Nov 19 17:58:13 rig2 kernel: nvidia 0000:17:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
'''
[[test]]
fires = 0
logs."messages" = '''
Nov 19 17:58:13 rig2 kernel: pcieport 0000:4a:01.0: pciehp: Slot(12): Link Up
'''
*/
WITH line AS (
  SELECT b.file_id, b.line, b.part, b.host, b.device, h.attempt, h.place, h.hit, h.ts
  FROM   pcie_bus_error b
  JOIN   host_events h USING (file_id, line, part)
  WHERE  b.class LIKE 'Correct%'),
rated AS (
  SELECT *, count(*) OVER (PARTITION BY file_id, host, device ORDER BY ts RANGE BETWEEN INTERVAL 60 SECOND PRECEDING AND CURRENT ROW) AS in_minute
  FROM   line)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, [coalesce(host || '/', '') || device] AS devices,
       -- one a second is the rate at which to act
       CASE WHEN max(in_minute) FILTER (WHERE hit) >= 60 THEN 'medium' ELSE 'info' END AS severity,
       CASE WHEN max(in_minute) FILTER (WHERE hit) >= 60 AND min(place) = 'alone' THEN 'cause' ELSE 'context' END AS role,
       CASE WHEN max(in_minute) FILTER (WHERE hit) >= 60 AND min(place) = 'alone' THEN 'possible' ELSE 'certain' END AS confidence,
       printf('%s%s corrected %d PCI Express errors, up to %d in a minute', coalesce(min(host) || ': ', ''), device, count(*), max(in_minute)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   rated
GROUP  BY attempt, host, device
HAVING max(in_minute) >= 3
