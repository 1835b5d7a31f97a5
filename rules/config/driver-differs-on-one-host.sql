/*
title    = "One host runs another GPU driver"
kind     = "config.version_mismatch"
severity = "info"
role     = "context"
confidence = "certain"
needs    = ["nccl", "nvidia_smi", "kernel_gpu", "dcgm"]
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
[[test]]
fires = 1                        # of telemetry alone; and the driver is named rather than the CUDA that it runs
expect = { hosts = ["n2"], either = false }
logs."nvidia-smi.csv" = '''
hostname, index, uuid, driver_version
n1, 0, GPU-00000000-0000-4000-8000-000000000001, 550.90.07
n2, 0, GPU-00000000-0000-4000-8000-000000000002, 535.129.03
n3, 0, GPU-00000000-0000-4000-8000-000000000003, 550.90.07
'''
[[test]]
fires = 0                        # upgraded before the job
logs."n1/kern.log" = '''
2026-11-29T03:13:52.000000+00:00 n1 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023
2026-11-30T03:13:52.000000+00:00 n1 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024
'''
logs."n2/kern.log" = '''
2026-11-30T03:13:52.000000+00:00 n2 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024
'''
*/
WITH place AS (  -- the hosts of the job; of telemetry alone all that it was taken on
  SELECT attempt, host FROM job_hosts
  UNION ALL
  SELECT 0, host FROM gpu_drivers WHERE NOT EXISTS (SELECT 1 FROM job_hosts)),
used AS (        -- the driver itself where it is known, else the CUDA that it runs, which several drivers share
  SELECT j.attempt, d.host, 1 AS source, 'driver ' || d.driver AS driver, [{'file_id': d.file_id, 'line': d.line, 'part': d.part}] AS evidence
  FROM   gpu_drivers d
  JOIN   place j ON j.host = d.host
  UNION ALL
  SELECT d.attempt, d.host, 2, printf('CUDA driver %d.%d', d.driver // 1000, d.driver // 10 % 100),
         list({'file_id': d.file_id, 'line': d.line, 'part': d.part} ORDER BY d.file_id, d.line, d.part)
  FROM   nccl_cuda_driver d
  JOIN   place j ON j.attempt = d.attempt AND j.host = d.host
  GROUP  BY d.attempt, d.host, d.driver),
camp AS (
  SELECT attempt, source, driver, count(*) AS n, list(host ORDER BY host) AS hosts, flatten(list(evidence ORDER BY host)) AS evidence FROM used GROUP BY attempt, source, driver),
total AS (
  SELECT attempt, source, sum(n) AS hosts, max(n) AS largest FROM camp GROUP BY attempt, source HAVING count(*) > 1),
odd AS (
  SELECT c.*, t.largest, t.largest * 2 <= t.hosts AS open
  FROM   camp c JOIN total t ON t.attempt = c.attempt AND t.source = c.source
  WHERE  c.n < t.largest OR t.largest * 2 <= t.hosts)
SELECT attempt, list_sort(flatten(list(hosts ORDER BY driver))) AS hosts, bool_or(open) AS either, flatten(list(evidence ORDER BY driver)) AS evidence,
       string_agg(printf('%s: %s', list_aggregate(hosts, 'string_agg', ', '), driver), '; ' ORDER BY driver)
         || CASE WHEN bool_or(open) THEN '' ELSE printf('; %d other hosts another', CAST(min(largest) AS INTEGER)) END AS summary
FROM   odd
GROUP  BY attempt, source
-- more than eight odd hosts are no exception but a mixture
HAVING sum(n) <= 8
QUALIFY row_number() OVER (PARTITION BY attempt ORDER BY source) = 1
