/*
title    = "The PCIe link of a busy GPU is slower than its siblings'"
kind     = "perf.pcie_degraded"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "data.stall"]
needs    = ["nvidia_smi", "nvidia_smi_text", "dcgm"]
explanation = """
An idle GPU lowers the speed of its link, a busy one raises it. This one stays slow while it is busy and its siblings do not: the link could not be trained at
full speed, mostly for a bad contact, riser or retimer.
"""
advice = """
Drain the host and reseat the GPU or its riser; compare `lspci -vv -s BUS` (LnkSta, LnkCtl2 target speed) under load with a sibling, and look for AER lines in `dmesg -T`.
"""
false_positives = "Speeds at idle are not looked at."
references = ["nvidia-smi manual: pcie.link.gen.current"]
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max
2024/05/01 12:00:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:00:00.107, 1, 99 %, 3, 5, 16, 16
2024/05/01 12:00:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:01:00.107, 1, 99 %, 3, 5, 16, 16
2024/05/01 12:01:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:02:00.107, 1, 99 %, 3, 5, 16, 16
2024/05/01 12:02:00.114, 2, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.100, 0, 99 %, 5, 5, 16, 16
2024/05/01 12:03:00.107, 1, 99 %, 3, 5, 16, 16
2024/05/01 12:03:00.114, 2, 99 %, 5, 5, 16, 16
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:2"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current
2024/05/01 12:00:00.100, 0, 99 %, 4
2024/05/01 12:00:00.107, 1, 99 %, 4
2024/05/01 12:00:00.114, 2, 99 %, 1
2024/05/01 12:00:00.121, 3, 99 %, 4
2024/05/01 12:01:00.100, 0, 99 %, 4
2024/05/01 12:01:00.107, 1, 99 %, 4
2024/05/01 12:01:00.114, 2, 99 %, 1
2024/05/01 12:01:00.121, 3, 99 %, 4
2024/05/01 12:02:00.100, 0, 99 %, 4
2024/05/01 12:02:00.107, 1, 99 %, 4
2024/05/01 12:02:00.114, 2, 99 %, 1
2024/05/01 12:02:00.121, 3, 99 %, 4
2024/05/01 12:03:00.100, 0, 99 %, 4
2024/05/01 12:03:00.107, 1, 99 %, 4
2024/05/01 12:03:00.114, 2, 99 %, 1
2024/05/01 12:03:00.121, 3, 99 %, 4
2024/05/01 12:04:00.100, 0, 99 %, 4
2024/05/01 12:04:00.107, 1, 99 %, 4
2024/05/01 12:04:00.114, 2, 99 %, 1
2024/05/01 12:04:00.121, 3, 99 %, 4
'''
[[test]]
# From the fifth minute on.
fires = 1
expect = { gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max
2024/05/01 12:00:00.100, 0, 99 %, 4, 4, 16, 16
2024/05/01 12:00:00.107, 1, 99 %, 4, 4, 16, 16
2024/05/01 12:00:00.114, 2, 99 %, 4, 4, 16, 16
2024/05/01 12:01:00.100, 0, 99 %, 4, 4, 16, 16
2024/05/01 12:01:00.107, 1, 99 %, 4, 4, 16, 16
2024/05/01 12:01:00.114, 2, 99 %, 4, 4, 16, 16
2024/05/01 12:02:00.100, 0, 99 %, 4, 4, 16, 16
2024/05/01 12:02:00.107, 1, 99 %, 4, 4, 16, 16
2024/05/01 12:02:00.114, 2, 99 %, 4, 4, 16, 16
2024/05/01 12:03:00.100, 0, 99 %, 4, 4, 16, 16
2024/05/01 12:03:00.107, 1, 99 %, 4, 4, 16, 16
2024/05/01 12:03:00.114, 2, 99 %, 4, 4, 16, 16
2024/05/01 12:04:00.100, 0, 99 %, 4, 4, 16, 16
2024/05/01 12:04:00.107, 1, 99 %, 1, 4, 16, 16
2024/05/01 12:04:00.114, 2, 99 %, 4, 4, 16, 16
2024/05/01 12:05:00.100, 0, 99 %, 4, 4, 16, 16
2024/05/01 12:05:00.107, 1, 99 %, 1, 4, 16, 16
2024/05/01 12:05:00.114, 2, 99 %, 4, 4, 16, 16
2024/05/01 12:06:00.100, 0, 99 %, 4, 4, 16, 16
2024/05/01 12:06:00.107, 1, 99 %, 1, 4, 16, 16
2024/05/01 12:06:00.114, 2, 99 %, 4, 4, 16, 16
2024/05/01 12:07:00.100, 0, 99 %, 4, 4, 16, 16
2024/05/01 12:07:00.107, 1, 99 %, 1, 4, 16, 16
2024/05/01 12:07:00.114, 2, 99 %, 4, 4, 16, 16
2024/05/01 12:08:00.100, 0, 99 %, 4, 4, 16, 16
2024/05/01 12:08:00.107, 1, 99 %, 1, 4, 16, 16
2024/05/01 12:08:00.114, 2, 99 %, 4, 4, 16, 16
'''
[[test]]
# Idle.
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
[[test]]
# All alike: what the board can do.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, utilization.gpu [%], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max
2024/05/01 12:00:00.100, 0, 99 %, 4, 5, 16, 16
2024/05/01 12:00:00.107, 1, 99 %, 4, 5, 16, 16
2024/05/01 12:00:00.114, 2, 99 %, 4, 5, 16, 16
2024/05/01 12:01:00.100, 0, 99 %, 4, 5, 16, 16
2024/05/01 12:01:00.107, 1, 99 %, 4, 5, 16, 16
2024/05/01 12:01:00.114, 2, 99 %, 4, 5, 16, 16
2024/05/01 12:02:00.100, 0, 99 %, 4, 5, 16, 16
2024/05/01 12:02:00.107, 1, 99 %, 4, 5, 16, 16
2024/05/01 12:02:00.114, 2, 99 %, 4, 5, 16, 16
2024/05/01 12:03:00.100, 0, 99 %, 4, 5, 16, 16
2024/05/01 12:03:00.107, 1, 99 %, 4, 5, 16, 16
2024/05/01 12:03:00.114, 2, 99 %, 4, 5, 16, 16
'''
*/
-- The test: in at least three busy minutes, and in 80 % of the busy ones since the first, the link runs at a lower generation than the median of its busy siblings.
WITH minute AS (
  SELECT *, gen < sibling_gen AS is_low, min(minute) FILTER (WHERE gen < sibling_gen) OVER (PARTITION BY attempt, file_id, name) AS first_minute,
         min(minute) OVER (PARTITION BY attempt, file_id, name) AS very_first
  FROM gpu_minutes
  WHERE name IS NOT NULL AND siblings >= 2 AND gen > 0 AND sibling_gen > 0),
gpu AS (
  SELECT attempt, host, name, who, ranks, min(began) FILTER (WHERE is_low) AS began, max(ended) FILTER (WHERE is_low) AS ended, max(gen) FILTER (WHERE is_low) AS gen,
         max(sibling_gen) AS sibling_gen, min(first_minute) > min(very_first) AS was_fast,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) FILTER (WHERE is_low) AS evidence
  FROM minute
  WHERE minute >= first_minute
  GROUP BY attempt, host, name, who, ranks
  HAVING count(*) FILTER (WHERE is_low) >= 3 AND count(*) FILTER (WHERE is_low) >= 0.8 * count(*))
SELECT g.attempt, [g.host] AS hosts, g.ranks, [g.name] AS gpus, CASE WHEN g.was_fast THEN g.began END AS began, g.ended, g.evidence,
       CASE WHEN s.slow_steps > 0 THEN 'high' ELSE 'medium' END AS severity,
       printf('GPU %s keeps its PCIe link at generation %d under load where its siblings use %d', g.who, CAST(g.gen AS INTEGER), CAST(g.sibling_gen AS INTEGER))
       || CASE WHEN g.was_fast THEN strftime(g.began, ', since %H:%M:%S') ELSE '' END || coalesce(s.effect, '') AS summary
FROM gpu g
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM g.attempt
