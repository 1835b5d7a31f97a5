/*
title    = "A PCIe link was trained below what the device can do"
kind     = "perf.pcie_degraded"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["perf.low_busbw"]
needs    = ["kernel_pcie"]
explanation = """
When it found the device, the kernel said that a link on the way gives less bandwidth than the device could use, and which port limits it. A lower speed may rise under
load, lanes that are missing do not come back. Whether it harms depends on what the job copies.
"""
advice = """
Check the width under load: `lspci -vv -s DEVICE | grep LnkSta` for the device and the port above it, against a sibling; reseat the card or use a slot with all lanes.
"""
false_positives = "Cards in slots with fewer lanes, and devices that train at low speed when idle; only a quarter of the lanes or less is reported, and only where siblings have more."
references = ["Linux drivers/pci/pci.c: pcie_report_downtraining"]
[[test]]
fires = 1
expect = { devices = ["0000:07:00.0"], confidence = "possible" }
logs."dmesg.txt" = '''
[    1.234567] pci 0000:07:00.0: 8.000 Gb/s available PCIe bandwidth, limited by 2.5 GT/s PCIe x4 link at 0000:00:1c.6 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)
'''
[[test]]
fires = 1
expect = { devices = ["0000:1b:00.0"] }
logs."dmesg.txt" = '''
[    1.234567] pci 0000:1b:00.0: 15.752 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x2 link at 0000:15:01.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)
[    1.334567] mlx5_core 0000:3b:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)
'''
[[test]]
# Half of the lanes, beside two adapters of its kind that have them all.
fires = 1
expect = { devices = ["0000:5c:00.0"] }
logs."dmesg.txt" = '''
[   12.801120] mlx5_core 0000:1b:00.0: 504.112 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x16 link)
[   13.220917] mlx5_core 0000:3d:00.0: 504.112 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x16 link)
[   13.640201] mlx5_core 0000:5c:00.0: 126.024 Gb/s available PCIe bandwidth, limited by 16.0 GT/s PCIe x8 link at 0000:58:02.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)
'''
[[test]]
# The adapter for storage has the narrow slot, and one sibling is no majority.
fires = 0
logs."dmesg.txt" = '''
[   12.801120] mlx5_core 0000:1b:00.0: 504.112 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x16 link)
[   13.640201] mlx5_core 0000:5c:00.0: 126.024 Gb/s available PCIe bandwidth, limited by 16.0 GT/s PCIe x8 link at 0000:58:02.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)
'''
[[test]]
# All lanes: idle speed.
fires = 0
logs."dmesg.txt" = '''
[    1.234567] pci 0000:1b:00.0: 32.000 Gb/s available PCIe bandwidth, limited by 2.5 GT/s PCIe x16 link at 0000:15:01.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)
'''
[[test]]
# All alike: wiring.
fires = 0
logs."dmesg.txt" = '''
[    1.234567] pci 0000:07:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at 0000:00:1c.6 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)
[    1.244567] pci 0000:08:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at 0000:00:1c.7 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)
[    1.254567] pci 0000:09:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at 0000:00:1c.8 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)
'''
*/
-- The test: an x16 device (GPUs and NICs) with a quarter of its lanes or less, on at most one device of its kind; links of a virtual machine tell nothing and show it on all.
-- What a host found at its start holds for every attempt: it counts with the last. A device that the input shows to be a GPU of the job is named as such.
-- Half of the lanes count where two siblings of the same driver, as fast as this one could be, have them all: then it is not the board.
WITH said AS (
  SELECT coalesce((SELECT max(attempt) FROM attempts), attempt) AS attempt, host, device, limited_at, width, max_width, speed_gts, max_speed_gts,
         width <= 8 AND driver <> 'pci' AND (SELECT count(DISTINCT w.device) FROM pcie_link w WHERE w.host IS NOT DISTINCT FROM l.host AND w.driver = l.driver
                                              AND w.width = l.max_width AND w.speed_gts = l.max_speed_gts) >= 2 AS odd,
         file_id, line, part
  FROM pcie_link_limited l
  WHERE max_width = 16 AND device IS NOT NULL),
narrow AS (
  SELECT attempt, host, device, limited_at, max(width) AS width, max(max_width) AS max_width,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM said
  WHERE width <= 4 OR odd
  GROUP BY ALL),
alone AS (
  SELECT attempt, host FROM narrow GROUP BY ALL HAVING count(DISTINCT device) = 1),
gpu AS (
  SELECT host, pci_bus, min(rank) AS rank FROM ranks WHERE pci_bus IS NOT NULL GROUP BY ALL)
SELECT n.attempt, [n.host] AS hosts, [n.device] AS devices,
       CASE WHEN g.pci_bus IS NOT NULL THEN [n.device] ELSE [] END AS gpus, CASE WHEN g.rank IS NOT NULL THEN [g.rank] ELSE [] END AS ranks, n.evidence,
       CASE WHEN g.pci_bus IS NOT NULL THEN 'likely' ELSE 'possible' END AS confidence,
       CASE WHEN n.host IS NOT NULL THEN n.host || ': ' ELSE '' END
       || printf('%s has %d of %d PCIe lanes, limited at %s', n.device, n.width, n.max_width, n.limited_at) AS summary
FROM narrow n
JOIN alone a ON a.attempt IS NOT DISTINCT FROM n.attempt AND a.host IS NOT DISTINCT FROM n.host
LEFT JOIN gpu g ON g.host IS NOT DISTINCT FROM n.host AND g.pci_bus = n.device
