/*
title    = "A GPU is missing from later polls"
kind     = "hw.gpu_lost"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.*", "desync.*", "perf.*"]
needs    = ["nvidia_smi"]
explanation = """
nvidia-smi listed this GPU and from some poll on lists only the others: the driver no longer has it. The kernel log of the host says why.
"""
advice = """
Drain the host and read its kernel log around that time: `dmesg -T | grep -iE 'xid|nvrm|aer|pcieport'`; compare `lspci -d 10de:` with the number of GPUs that should be there.
"""
false_positives = "A poll that somebody started again for other GPUs."
references = ["nvidia-smi manual"]
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, pci.bus_id, temperature.gpu, power.draw [W], utilization.gpu [%]
2024/05/01 12:00:00.100, 0, 00000000:1B:00.0, 40, 412.00 W, 90 %
2024/05/01 12:00:00.101, 1, 00000000:43:00.0, 41, 412.00 W, 91 %
2024/05/01 12:00:00.102, 2, 00000000:9A:00.0, 42, 412.00 W, 92 %
2024/05/01 12:01:00.100, 0, 00000000:1B:00.0, 40, 412.01 W, 90 %
2024/05/01 12:01:00.101, 1, 00000000:43:00.0, 41, 412.01 W, 91 %
2024/05/01 12:01:00.102, 2, 00000000:9A:00.0, 42, 412.01 W, 92 %
2024/05/01 12:02:00.100, 0, 00000000:1B:00.0, 40, 412.02 W, 90 %
2024/05/01 12:02:00.101, 1, 00000000:43:00.0, 41, 412.02 W, 91 %
2024/05/01 12:02:00.102, 2, 00000000:9A:00.0, 42, 412.02 W, 92 %
2024/05/01 12:03:00.100, 0, 00000000:1B:00.0, 40, 412.03 W, 90 %
2024/05/01 12:03:00.101, 1, 00000000:43:00.0, 41, 412.03 W, 91 %
2024/05/01 12:03:00.102, 2, 00000000:9A:00.0, 42, 412.03 W, 92 %
2024/05/01 12:04:00.100, 0, 00000000:1B:00.0, 40, 412.04 W, 90 %
2024/05/01 12:04:00.102, 2, 00000000:9A:00.0, 42, 412.04 W, 92 %
2024/05/01 12:05:00.100, 0, 00000000:1B:00.0, 40, 412.05 W, 90 %
2024/05/01 12:05:00.102, 2, 00000000:9A:00.0, 42, 412.05 W, 92 %
2024/05/01 12:06:00.100, 0, 00000000:1B:00.0, 40, 412.06 W, 90 %
2024/05/01 12:06:00.102, 2, 00000000:9A:00.0, 42, 412.06 W, 92 %
2024/05/01 12:07:00.100, 0, 00000000:1B:00.0, 40, 412.07 W, 90 %
2024/05/01 12:07:00.102, 2, 00000000:9A:00.0, 42, 412.07 W, 92 %
'''
[[test]]
fires = 1
expect = { gpus = ["node1:3"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, pci.bus_id, temperature.gpu, power.draw [W], utilization.gpu [%]
2024/05/01 12:00:00.100, 0, 00000000:1B:00.0, 40, 412.00 W, 90 %
2024/05/01 12:00:00.101, 1, 00000000:43:00.0, 41, 412.00 W, 91 %
2024/05/01 12:00:00.102, 2, 00000000:9A:00.0, 42, 412.00 W, 92 %
2024/05/01 12:00:00.103, 3, 00000000:C4:00.0, 43, 412.00 W, 93 %
2024/05/01 12:01:00.100, 0, 00000000:1B:00.0, 40, 412.01 W, 90 %
2024/05/01 12:01:00.101, 1, 00000000:43:00.0, 41, 412.01 W, 91 %
2024/05/01 12:01:00.102, 2, 00000000:9A:00.0, 42, 412.01 W, 92 %
2024/05/01 12:01:00.103, 3, 00000000:C4:00.0, 43, 412.01 W, 93 %
2024/05/01 12:02:00.100, 0, 00000000:1B:00.0, 40, 412.02 W, 90 %
2024/05/01 12:02:00.101, 1, 00000000:43:00.0, 41, 412.02 W, 91 %
2024/05/01 12:02:00.102, 2, 00000000:9A:00.0, 42, 412.02 W, 92 %
2024/05/01 12:02:00.103, 3, 00000000:C4:00.0, 43, 412.02 W, 93 %
2024/05/01 12:03:00.100, 0, 00000000:1B:00.0, 40, 412.03 W, 90 %
2024/05/01 12:03:00.101, 1, 00000000:43:00.0, 41, 412.03 W, 91 %
2024/05/01 12:03:00.102, 2, 00000000:9A:00.0, 42, 412.03 W, 92 %
2024/05/01 12:03:00.103, 3, 00000000:C4:00.0, 43, 412.03 W, 93 %
2024/05/01 12:04:00.100, 0, 00000000:1B:00.0, 40, 412.04 W, 90 %
2024/05/01 12:04:00.101, 1, 00000000:43:00.0, 41, 412.04 W, 91 %
2024/05/01 12:04:00.102, 2, 00000000:9A:00.0, 42, 412.04 W, 92 %
2024/05/01 12:04:00.103, 3, 00000000:C4:00.0, 43, 412.04 W, 93 %
2024/05/01 12:05:00.100, 0, 00000000:1B:00.0, 40, 412.05 W, 90 %
2024/05/01 12:05:00.101, 1, 00000000:43:00.0, 41, 412.05 W, 91 %
2024/05/01 12:05:00.102, 2, 00000000:9A:00.0, 42, 412.05 W, 92 %
2024/05/01 12:06:00.100, 0, 00000000:1B:00.0, 40, 412.06 W, 90 %
2024/05/01 12:06:00.101, 1, 00000000:43:00.0, 41, 412.06 W, 91 %
2024/05/01 12:06:00.102, 2, 00000000:9A:00.0, 42, 412.06 W, 92 %
2024/05/01 12:07:00.100, 0, 00000000:1B:00.0, 40, 412.07 W, 90 %
2024/05/01 12:07:00.101, 1, 00000000:43:00.0, 41, 412.07 W, 91 %
2024/05/01 12:07:00.102, 2, 00000000:9A:00.0, 42, 412.07 W, 92 %
2024/05/01 12:08:00.100, 0, 00000000:1B:00.0, 40, 412.08 W, 90 %
2024/05/01 12:08:00.101, 1, 00000000:43:00.0, 41, 412.08 W, 91 %
2024/05/01 12:08:00.102, 2, 00000000:9A:00.0, 42, 412.08 W, 92 %
'''
[[test]]
# The file ends in the middle of a poll.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, pci.bus_id, temperature.gpu, power.draw [W], utilization.gpu [%]
2024/05/01 12:00:00.100, 0, 00000000:1B:00.0, 40, 412.00 W, 90 %
2024/05/01 12:00:00.101, 1, 00000000:43:00.0, 41, 412.00 W, 91 %
2024/05/01 12:00:00.102, 2, 00000000:9A:00.0, 42, 412.00 W, 92 %
2024/05/01 12:01:00.100, 0, 00000000:1B:00.0, 40, 412.01 W, 90 %
2024/05/01 12:01:00.101, 1, 00000000:43:00.0, 41, 412.01 W, 91 %
2024/05/01 12:01:00.102, 2, 00000000:9A:00.0, 42, 412.01 W, 92 %
2024/05/01 12:02:00.100, 0, 00000000:1B:00.0, 40, 412.02 W, 90 %
2024/05/01 12:02:00.101, 1, 00000000:43:00.0, 41, 412.02 W, 91 %
2024/05/01 12:02:00.102, 2, 00000000:9A:00.0, 42, 412.02 W, 92 %
2024/05/01 12:03:00.100, 0, 00000000:1B:00.0, 40, 412.03 W, 90 %
2024/05/01 12:03:00.101, 1, 00000000:43:00.0, 41, 412.03 W, 91 %
2024/05/01 12:03:00.102, 2, 00000000:9A:00.0, 42, 412.03 W, 92 %
2024/05/01 12:04:00.100, 0, 00000000:1B:00.0, 40, 412.04 W, 90 %
'''
[[test]]
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, pci.bus_id, temperature.gpu, power.draw [W], utilization.gpu [%]
2024/05/01 12:00:00.100, 0, 00000000:1B:00.0, 40, 412.00 W, 90 %
2024/05/01 12:00:00.101, 1, 00000000:43:00.0, 41, 412.00 W, 91 %
2024/05/01 12:00:00.102, 2, 00000000:9A:00.0, 42, 412.00 W, 92 %
2024/05/01 12:01:00.100, 0, 00000000:1B:00.0, 40, 412.01 W, 90 %
2024/05/01 12:01:00.101, 1, 00000000:43:00.0, 41, 412.01 W, 91 %
2024/05/01 12:01:00.102, 2, 00000000:9A:00.0, 42, 412.01 W, 92 %
2024/05/01 12:02:00.100, 0, 00000000:1B:00.0, 40, 412.02 W, 90 %
2024/05/01 12:02:00.101, 1, 00000000:43:00.0, 41, 412.02 W, 91 %
2024/05/01 12:02:00.102, 2, 00000000:9A:00.0, 42, 412.02 W, 92 %
2024/05/01 12:03:00.100, 0, 00000000:1B:00.0, 40, 412.03 W, 90 %
2024/05/01 12:03:00.101, 1, 00000000:43:00.0, 41, 412.03 W, 91 %
2024/05/01 12:03:00.102, 2, 00000000:9A:00.0, 42, 412.03 W, 92 %
2024/05/01 12:04:00.100, 0, 00000000:1B:00.0, 40, 412.04 W, 90 %
2024/05/01 12:04:00.101, 1, 00000000:43:00.0, 41, 412.04 W, 91 %
2024/05/01 12:04:00.102, 2, 00000000:9A:00.0, 42, 412.04 W, 92 %
2024/05/01 12:05:00.100, 0, 00000000:1B:00.0, 40, 412.05 W, 90 %
2024/05/01 12:05:00.101, 1, 00000000:43:00.0, 41, 412.05 W, 91 %
2024/05/01 12:05:00.102, 2, 00000000:9A:00.0, 42, 412.05 W, 92 %
'''
*/
-- The test: three readings before, none after, while every other GPU of the file (two at least) has three more.
WITH gpu AS (
  SELECT s.attempt, s.file_id, s.host, p.name, p.who, p.ranks, count(*) AS readings, max(s.line) AS last_line, max(s.ts) AS last_ts
  FROM gpu_samples s
  JOIN gpu_places p ON p.attempt IS NOT DISTINCT FROM s.attempt AND p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host
                   AND p.gpu IS NOT DISTINCT FROM s.gpu AND p.device IS NOT DISTINCT FROM s.device
  GROUP BY ALL),
later AS (
  SELECT g.attempt, g.file_id, g.host, g.name, g.who, g.ranks, g.last_line, g.last_ts,
         (SELECT min(n) FROM (SELECT p.name, count(*) AS n
                              FROM gpu_samples s JOIN gpu_places p ON p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host AND p.gpu IS NOT DISTINCT FROM s.gpu
                                                                   AND p.device IS NOT DISTINCT FROM s.device
                              WHERE s.file_id = g.file_id AND s.line > g.last_line GROUP BY p.name)) AS readings_after,
         (SELECT count(DISTINCT o.name) FROM gpu o WHERE o.file_id = g.file_id AND o.host IS NOT DISTINCT FROM g.host AND o.last_line > g.last_line) AS others_after,
         (SELECT count(DISTINCT o.name) - 1 FROM gpu o WHERE o.file_id = g.file_id AND o.host IS NOT DISTINCT FROM g.host) AS others
  FROM gpu g
  WHERE g.readings >= 3)
SELECT attempt, [host] AS hosts, [name] AS gpus, ranks, last_ts AS began,
       [{'file_id': file_id, 'line': last_line, 'part': 0}] AS evidence,
       printf('GPU %s is missing from all polls', who) || CASE WHEN last_ts IS NOT NULL THEN strftime(last_ts, ' after %H:%M:%S') ELSE '' END
       || ', its siblings are still there' AS summary
FROM later
WHERE others_after >= 2 AND others_after = others AND readings_after >= 3
  -- rows that say that it cannot be read are another finding
  AND NOT EXISTS (SELECT 1 FROM gpu_fault f WHERE f.file_id = later.file_id AND f.line > later.last_line)
