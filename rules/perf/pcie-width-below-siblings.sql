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
# From the fifth minute on.
fires = 1
expect = { gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max
2024/05/01 12:00:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:00:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:00:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:04:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:04:00.107, 1, 99 %, 5, 5, 8, 16
2024/05/01 12:04:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:05:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:05:00.107, 1, 99 %, 5, 5, 8, 16
2024/05/01 12:05:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:06:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:06:00.107, 1, 99 %, 5, 5, 8, 16
2024/05/01 12:06:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:07:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:07:00.107, 1, 99 %, 5, 5, 8, 16
2024/05/01 12:07:00.114, 2, 99 %, 5, 5, 16, 16
'''
[[test]]
# One reading.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max
2024/05/01 12:00:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:00:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:00:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:04:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:04:00.107, 1, 99 %, 5, 5, 8, 16
2024/05/01 12:04:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:05:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:05:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:05:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:06:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:06:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:06:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:07:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:07:00.107, 1, 99 %, 5, 5, 16, 16
2024/05/01 12:07:00.114, 2, 99 %, 5, 5, 16, 16
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
-- The test: the last reading, and three if there are as many, is narrower than what is usual on its host (the median of all readings of three GPUs or more),
-- and fewer than half of the GPUs are like that.
WITH reading AS (
  SELECT s.attempt, s.file_id, s.host, p.name, p.who, p.ranks, s.line, s.part, s.ts, s.width, s.nth,
         median(s.width) OVER (PARTITION BY s.attempt, s.file_id, s.host) AS usual
  FROM gpu_samples s
  JOIN gpu_places p ON p.attempt IS NOT DISTINCT FROM s.attempt AND p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host
                   AND p.gpu IS NOT DISTINCT FROM s.gpu AND p.device IS NOT DISTINCT FROM s.device
  WHERE s.width > 0),
gpu AS (
  SELECT attempt, file_id, host, name, who, ranks, count(*) AS readings, max(usual) AS usual, min(width) AS narrowest,
         coalesce(max(nth) FILTER (WHERE width >= usual), 0) AS last_wide, max(nth) AS latest
  FROM reading
  GROUP BY ALL),
host AS (
  SELECT attempt, file_id, host, count(*) AS gpus, count(*) FILTER (WHERE last_wide < latest) AS narrow FROM gpu GROUP BY ALL),
narrow AS (
  SELECT g.attempt, g.host, g.name, g.who, g.ranks, min(r.ts) AS began, max(r.width) AS width, max(g.usual) AS usual, bool_or(g.last_wide > 0) AS was_wide,
         list({'file_id': r.file_id, 'line': r.line, 'part': r.part} ORDER BY r.file_id, r.line, r.part) AS evidence
  FROM gpu g
  JOIN host h ON h.attempt IS NOT DISTINCT FROM g.attempt AND h.file_id = g.file_id AND h.host IS NOT DISTINCT FROM g.host
  JOIN reading r ON r.attempt IS NOT DISTINCT FROM g.attempt AND r.file_id = g.file_id AND r.host IS NOT DISTINCT FROM g.host AND r.name = g.name AND r.nth > g.last_wide
  WHERE h.gpus >= 3 AND h.narrow < 0.5 * h.gpus AND g.latest - g.last_wide >= least(3, g.readings)
  GROUP BY g.attempt, g.host, g.name, g.who, g.ranks)
SELECT n.attempt, [n.host] AS hosts, n.ranks, [n.name] AS gpus, CASE WHEN n.was_wide THEN n.began END AS began, n.evidence,
       CASE WHEN s.slow_steps > 0 THEN 'high' ELSE 'medium' END AS severity,
       printf('GPU %s has a PCIe link of x%d where its siblings have x%d', n.who, CAST(n.width AS INTEGER), CAST(n.usual AS INTEGER))
       || CASE WHEN n.was_wide THEN strftime(n.began, ', since %H:%M:%S') ELSE '' END || coalesce(s.effect, '') AS summary
FROM narrow n
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM n.attempt
