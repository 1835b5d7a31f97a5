/*
title    = "The PCIe link of a GPU is narrower than its siblings'"
kind     = "perf.pcie_degraded"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "data.stall"]
needs    = ["nvidia_smi", "nvidia_smi_text", "dcgm"]
explanation = """
The width of a link does not change with load. One GPU that is narrower than its siblings has lost lanes: a contact, a riser, a retimer. Copies between host and GPU, and
between GPU and NIC, take longer by the same factor.
"""
advice = """
Drain the host and reseat the GPU or its riser; compare `lspci -vv -s BUS` (LnkCap, LnkSta) of the GPU and of the port above with a sibling, and look for AER lines in `dmesg -T`.
"""
false_positives = "A width that all GPUs of the host share is how the board is wired."
references = ["nvidia-smi manual: pcie.link.width.current"]
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max
2024/05/01 12:00:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:00:00.107, 1, 99 %, 5, 5, 4, 16
2024/05/01 12:00:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.107, 1, 99 %, 5, 5, 4, 16
2024/05/01 12:01:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.107, 1, 99 %, 5, 5, 4, 16
2024/05/01 12:02:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.107, 1, 99 %, 5, 5, 4, 16
2024/05/01 12:03:00.114, 2, 99 %, 5, 5, 16, 16
'''
[[test]]
# Load does not matter.
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:3"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max
2024/05/01 12:00:00.100, 0, 0 %, 1, 5, 16, 16
2024/05/01 12:00:00.107, 1, 0 %, 1, 5, 16, 16
2024/05/01 12:00:00.114, 2, 0 %, 1, 5, 16, 16
2024/05/01 12:00:00.121, 3, 0 %, 1, 5, 8, 16
2024/05/01 12:01:00.100, 0, 0 %, 1, 5, 16, 16
2024/05/01 12:01:00.107, 1, 0 %, 1, 5, 16, 16
2024/05/01 12:01:00.114, 2, 0 %, 1, 5, 16, 16
2024/05/01 12:01:00.121, 3, 0 %, 1, 5, 8, 16
'''
[[test]]
# All alike: wiring.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max
2024/05/01 12:00:00.100, 0, 99 %, 4, 4, 8, 16
2024/05/01 12:00:00.107, 1, 99 %, 4, 4, 8, 16
2024/05/01 12:00:00.114, 2, 99 %, 4, 4, 8, 16
2024/05/01 12:01:00.100, 0, 99 %, 4, 4, 8, 16
2024/05/01 12:01:00.107, 1, 99 %, 4, 4, 8, 16
2024/05/01 12:01:00.114, 2, 99 %, 4, 4, 8, 16
2024/05/01 12:02:00.100, 0, 99 %, 4, 4, 8, 16
2024/05/01 12:02:00.107, 1, 99 %, 4, 4, 8, 16
2024/05/01 12:02:00.114, 2, 99 %, 4, 4, 8, 16
2024/05/01 12:03:00.100, 0, 99 %, 4, 4, 8, 16
2024/05/01 12:03:00.107, 1, 99 %, 4, 4, 8, 16
2024/05/01 12:03:00.114, 2, 99 %, 4, 4, 8, 16
'''
[[test]]
# Idle speed.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max
2024/05/01 12:00:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:00:00.107, 1, 0 %, 1, 5, 16, 16
2024/05/01 12:00:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.107, 1, 0 %, 1, 5, 16, 16
2024/05/01 12:01:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.107, 1, 0 %, 1, 5, 16, 16
2024/05/01 12:02:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.107, 1, 0 %, 1, 5, 16, 16
2024/05/01 12:03:00.114, 2, 99 %, 5, 5, 16, 16
'''
*/
-- The test: the widest that this GPU ever showed is narrower than that of most GPUs of its host, of which there are two more at least.
WITH gpu AS (
  SELECT s.attempt, s.file_id, s.host, p.name, p.who, p.ranks, max(s.width) AS width, max(s.width_max) AS width_max, min(s.line) AS line, max(s.line) AS last_line
  FROM gpu_samples s
  JOIN gpu_places p ON p.attempt IS NOT DISTINCT FROM s.attempt AND p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host
                   AND p.gpu IS NOT DISTINCT FROM s.gpu AND p.device IS NOT DISTINCT FROM s.device
  WHERE s.width > 0
  GROUP BY ALL),
host AS (
  SELECT attempt, file_id, host, quantile_disc(width, 0.5) AS width, count(*) AS gpus FROM gpu GROUP BY ALL)
SELECT g.attempt, CASE WHEN g.host IS NOT NULL THEN [g.host] ELSE [] END AS hosts, g.ranks, [g.name] AS gpus,
       list({'file_id': g.file_id, 'line': g.line, 'part': 0} ORDER BY g.file_id, g.line) AS evidence,
       printf('GPU %s has a PCIe link of x%d where its siblings have x%d', g.who, CAST(min(g.width) AS INTEGER), CAST(max(h.width) AS INTEGER)) AS summary
FROM gpu g
JOIN host h ON h.attempt IS NOT DISTINCT FROM g.attempt AND h.file_id = g.file_id AND h.host IS NOT DISTINCT FROM g.host
WHERE h.gpus >= 3 AND g.width < h.width
GROUP BY g.attempt, g.host, g.name, g.who, g.ranks
