/*
title    = "One host runs another GPU driver"
kind     = "config.version_mismatch"
severity = "info"
role     = "context"
confidence = "certain"
needs    = ["nccl", "nvidia_smi_lines"]
explanation = """
The driver of this host is not that of its siblings. Drivers need not be equal, so this alone explains nothing; it is worth knowing when this host also is slow, uses
another transport or fails alone.
"""
advice = """
Bring the host to the driver of its siblings at the next maintenance; run the job once without it if it is suspected.
"""
false_positives = "Hosts of two generations in one job on purpose."
references = ["NCCL source: init.cc, cudaDriverVersion"]
[[test]]
fires = 1
expect = { hosts = ["n3"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO cudaDriverVersion 12040
n1:10:20 [0] NCCL INFO Using network IB
n2:10:20 [0] NCCL INFO cudaDriverVersion 12040
n2:10:20 [0] NCCL INFO Using network IB
n3:10:20 [0] NCCL INFO cudaDriverVersion 12020
n3:10:20 [0] NCCL INFO Using network IB
'''
[[test]]
fires = 1                        # one against one
expect = { hosts = ["n1", "n2"], either = true }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO cudaDriverVersion 12040
n2:10:20 [0] NCCL INFO cudaDriverVersion 12020
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO cudaDriverVersion 12040
n2:10:20 [0] NCCL INFO cudaDriverVersion 12040
'''
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO cudaDriverVersion 12040"
*/
WITH used AS (
  SELECT d.attempt, d.host, CAST(d.driver AS VARCHAR) AS driver, list({'file_id': d.file_id, 'line': d.line, 'part': d.part} ORDER BY d.file_id, d.line, d.part) AS evidence
  FROM   nccl_cuda_driver d
  JOIN   job_hosts j ON j.attempt = d.attempt AND j.host = d.host
  GROUP  BY d.attempt, d.host, d.driver),
camp AS (
  SELECT attempt, driver, count(*) AS n, list(host ORDER BY host) AS hosts, flatten(list(evidence ORDER BY host)) AS evidence FROM used GROUP BY attempt, driver),
total AS (
  SELECT attempt, sum(n) AS hosts, max(n) AS largest FROM camp GROUP BY attempt HAVING count(*) > 1),
odd AS (
  SELECT c.*, t.largest, t.largest * 2 <= t.hosts AS open
  FROM   camp c JOIN total t ON t.attempt = c.attempt
  WHERE  c.n < t.largest OR t.largest * 2 <= t.hosts)
SELECT attempt, list_sort(flatten(list(hosts ORDER BY driver))) AS hosts, bool_or(open) AS either, flatten(list(evidence ORDER BY driver)) AS evidence,
       string_agg(printf('%s: CUDA driver %d.%d', list_aggregate(hosts, 'string_agg', ', '), CAST(driver AS INTEGER) // 1000, CAST(driver AS INTEGER) // 10 % 100), '; ' ORDER BY driver)
         || CASE WHEN bool_or(open) THEN '' ELSE printf('; %d other hosts another', CAST(min(largest) AS INTEGER)) END AS summary
FROM   odd
GROUP  BY attempt
-- more than eight odd hosts are no exception but a mixture
HAVING sum(n) <= 8
