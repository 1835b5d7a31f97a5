/*
title    = "Copies between host and one GPU are slow"
kind     = "perf.pcie_degraded"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "data.stall"]
needs    = ["bandwidth_matrix"]
explanation = '''
Copies from or to the host run at less than half of the rate that the other GPUs of this host reach: the PCIe link of this GPU lost lanes or speed.
'''
advice = '''
`nvidia-smi -q -d PCIE -i GPU` and `lspci -vv -s BUS | grep -E 'LnkCap|LnkSta'` while the test runs; reseat the GPU or its riser, and look for AER lines in `dmesg -T`.
'''
false_positives = "Another program on that GPU during the test; GPUs of the far socket are slower by a fifth at most."
references = ["nvbandwidth: host_to_device, device_to_host"]
[[test]]
fires = 1
expect = { gpus = ["GPU 4"] }
logs."nvbandwidth.txt" = '''
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1         2         3         4
 0     55.21     55.19     55.22     55.18      6.91
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 0"] }
logs."nvbandwidth.txt" = '''
memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)
           0         1         2
 0     12.21     55.19     55.22
'''
[[test]]
fires = 0
logs."nvbandwidth.txt" = '''
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1         2         3
 0     55.21     55.19     44.22     44.18
'''
[[test]]
fires = 0                        # all alike
logs."nvbandwidth.txt" = '''
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1         2         3
 0      6.21      6.19      6.22      6.18
'''
*/
WITH cell AS (
  SELECT *, median(gbps) OVER (PARTITION BY file_id, matrix) AS usual, count(*) OVER (PARTITION BY file_id, matrix) AS gpus FROM gpu_pair_bandwidth WHERE "from" IS NULL),
bad AS (
  SELECT *, count(*) OVER (PARTITION BY file_id, matrix) AS slow FROM cell WHERE gbps < 0.5 * usual)
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, [coalesce(host || ':' || "to", 'GPU ' || "to")] AS gpus,
       coalesce(host || ': ', '') || printf('copies between host and GPU %d run at %.0f GB/s where the others have %.0f', "to", min(gbps), max(usual)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line) AS evidence
FROM   bad
WHERE  gpus >= 3 AND slow * 3 <= gpus
GROUP  BY attempt, host, "to"
