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
SELECT attempt, list_sort(flatten(list(hosts ORDER BY value))) AS hosts, bool_or(open) AS either, flatten(list(evidence ORDER BY value)) AS evidence,
       string_agg(printf('%s: %s %s', list_aggregate(hosts, 'string_agg', ', '), name, value), '; ' ORDER BY value)
         || CASE WHEN bool_or(open) THEN '' ELSE printf('; %d other hosts another', CAST(min(largest) AS INTEGER)) END AS summary
FROM   odd_hosts
WHERE  kind IN ('driver', 'cuda')
GROUP  BY attempt, kind
-- more than eight odd hosts are no exception but a mixture
HAVING sum(n) <= 8
-- the driver itself where it is known, else the CUDA that it runs, which several drivers share
QUALIFY row_number() OVER (PARTITION BY attempt ORDER BY kind DESC) = 1
