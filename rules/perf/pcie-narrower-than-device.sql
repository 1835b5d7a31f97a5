/*
title    = "lspci shows a link narrower than its device"
kind     = "perf.pcie_degraded"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["lspci"]
explanation = '''
The link of this GPU or adapter trained with fewer lanes than the device has, and its siblings' did not: a contact, a riser, a cable or a retimer. Width does not change with load; copies take longer by the same factor.
'''
advice = '''
Drain the host and reseat the device or its riser; compare `lspci -vv -s BUS` with that of the port above and of a sibling, and look for AER lines in `dmesg -T`.
'''
false_positives = "A slot that is wired for fewer lanes: then all of the kind are alike, and without siblings this is possible at most."
references = ["pciutils: LnkCap, LnkSta"]
[[test]]
fires = 1
expect = { gpus = ["65:00.0"], confidence = "likely" }
logs."lspci.txt" = '''
17:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 80GB] (rev a1)
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 16GT/s (ok), Width x16 (ok)
65:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 80GB] (rev a1)
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 16GT/s (ok), Width x4 (downgraded)
ca:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 80GB] (rev a1)
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 16GT/s (ok), Width x16 (ok)
'''
[[test]]
fires = 1
expect = { gpus = [], devices = [], confidence = "possible" }
logs."lspci.txt" = '''
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 8GT/s (downgraded), Width x8 (downgraded)
'''
[[test]]
fires = 0                        # an idle GPU
logs."lspci.txt" = '''
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 2.5GT/s (downgraded), Width x16 (ok)
'''
[[test]]
fires = 0                        # all alike: the board
logs."lspci.txt" = '''
17:00.0 3D controller: NVIDIA Corporation TU104GL [Tesla T4] (rev a1)
		LnkCap:	Port #0, Speed 8GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 8GT/s (ok), Width x8 (downgraded)
65:00.0 3D controller: NVIDIA Corporation TU104GL [Tesla T4] (rev a1)
		LnkCap:	Port #0, Speed 8GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 8GT/s (ok), Width x8 (downgraded)
'''
*/
WITH device AS (
  SELECT attempt, file_id, line, part, host, bdf, class, name, cap_width, sta_width, n_lines,
         count(*) OVER k AS siblings, count(*) FILTER (WHERE sta_width < cap_width) OVER k AS narrow
  FROM   pcie_lspci
  WHERE  sta_width > 0 AND class <> 'PCI bridge'
  WINDOW k AS (PARTITION BY file_id, host, name)),
bad AS (
  SELECT attempt, file_id, line, part, host, bdf, class, name, printf('x%d of x%d lanes', sta_width, cap_width) AS what, siblings - narrow AS whole FROM device
  WHERE  sta_width < cap_width AND (narrow < siblings OR siblings = 1)
  UNION ALL       -- a cut line, whose device is not shown
  SELECT attempt, file_id, line, part, host, NULL, NULL, NULL, printf('x%d', sta_width), 0 FROM pcie_lspci_narrow n
  WHERE  NOT EXISTS (SELECT 1 FROM pcie_lspci d WHERE d.file_id = n.file_id))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts,
       CASE WHEN bdf IS NOT NULL AND regexp_matches(class, '3D|VGA|accel') THEN [bdf] ELSE [] END AS gpus,
       CASE WHEN bdf IS NOT NULL AND NOT regexp_matches(class, '3D|VGA|accel') THEN [coalesce(host || '/', '') || bdf] ELSE [] END AS devices,
       CASE WHEN whole > 0 THEN 'likely' ELSE 'possible' END AS confidence,
       coalesce(host || ': ', '') || printf('the PCIe link of %s has %s%s', coalesce(bdf, 'a device'), what, CASE WHEN whole > 0 THEN ', that of its siblings all' ELSE '' END) AS summary,
       [{'file_id': file_id, 'line': line, 'part': part}] AS evidence
FROM   bad
-- disks are often wired so
WHERE  class IS NULL OR class <> 'Non-Volatile memory controller'
