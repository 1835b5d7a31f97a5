/*
title    = "Hosts run different NCCL versions"
kind     = "config.version_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.*", "desync.*"]
needs    = ["nccl"]
explanation = """
The processes of one job load different NCCL libraries. Handshakes of different releases do not understand each other: truncated messages, hangs at set-up,
or an error that says so. The host out of line with the majority is the odd one.
"""
advice = """
Use one image, or one environment, on all hosts; on the odd host look which library is loaded (`python -c "import torch; print(torch.cuda.nccl.version())"`, LD_LIBRARY_PATH, LD_PRELOAD).
"""
false_positives = "Versions that differ without a symptom: then this is only a risk."
references = ["NCCL source: init.cc, NCCL version"]
[[test]]
fires = 1
expect = { hosts = ["pine3"] }
logs."nccl.log" = '''
pine1:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
pine2:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
pine3:11:21 [0] NCCL INFO NCCL version 2.20.5+cuda12.4
'''
[[test]]
fires = 1                       # two against each other
expect = { either = true }
logs."nccl.log" = '''
pine1:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
pine2:11:21 [0] NCCL INFO NCCL version 2.20.5+cuda12.4
'''
[[test]]
fires = 0
logs."nccl.log" = '''
pine1:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
pine2:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
'''
[[test]]
fires = 0                       # one host, two libraries in different programs: not between hosts
logs."nccl.log" = "pine1:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4"
*/
WITH used AS (
  SELECT attempt, host, min(version) AS version, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_version
  WHERE  host IS NOT NULL AND version IS NOT NULL
  GROUP  BY attempt, host
  HAVING count(DISTINCT version) = 1),
camp AS (
  SELECT attempt, version, count(*) AS n, list(host ORDER BY host) AS hosts, flatten(list(evidence ORDER BY host)) AS evidence FROM used GROUP BY attempt, version),
total AS (
  SELECT attempt, count(*) AS camps, sum(n) AS hosts, max(n) AS largest FROM camp GROUP BY attempt HAVING count(*) > 1),
odd AS (
  SELECT c.*, t.largest * 2 <= t.hosts AS open, t.largest
  FROM   camp c JOIN total t ON t.attempt IS NOT DISTINCT FROM c.attempt
  WHERE  c.n < t.largest OR t.largest * 2 <= t.hosts)
SELECT attempt, list_sort(flatten(list(hosts ORDER BY version))) AS hosts, bool_or(open) AS either, CASE WHEN bool_or(open) THEN 'possible' ELSE 'likely' END AS confidence,
       string_agg(list_aggregate(hosts, 'string_agg', ', ') || ' loads NCCL ' || version, '; ' ORDER BY version)
         || CASE WHEN bool_or(open) THEN '' ELSE printf(', %d other hosts another', CAST(min(largest) AS INTEGER)) END AS summary,
       flatten(list(evidence ORDER BY version)) AS evidence
FROM   odd
GROUP  BY attempt
