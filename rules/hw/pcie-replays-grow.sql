/*
title    = "The PCI Express link of a GPU sends again and again"
kind     = "hw.pcie"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "perf.pcie_degraded"]
needs    = ["dcgm", "nvidia_smi", "nvidia_smi_text"]
explanation = '''
Between two readings the replay counter of this GPU's link grew by many, and that of its siblings did not: packets arrive damaged and are sent again. Copies to and from the host and the traffic of the adapter beside it slow down; such a
link often ends in a GPU that falls off the bus.
'''
advice = '''
`dmesg -T | grep -i aer` and `lspci -vvv -s BUS | grep -E 'LnkSta|CESta'` on the host; reseat the GPU, riser or cable, and watch `nvidia-smi --query-gpu=index,pcie.replay.counter --format=csv -l 60`.
'''
false_positives = "A few replays an hour are normal; up to eight a minute are what DCGM's own health check lets pass."
references = ["DCGM: DCGM_FI_DEV_PCIE_REPLAY_COUNTER, health checks"]
[[test]]
fires = 1
expect = { hosts = ["n5"], gpus = ["n5:1"] }
logs."a.prom" = """
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="0",UUID="GPU-0a",device="nvidia0",Hostname="n5"} 0 1717000000000
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="1",UUID="GPU-0b",device="nvidia1",Hostname="n5"} 12 1717000000000
"""
logs."b.prom" = """
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="0",UUID="GPU-0a",device="nvidia0",Hostname="n5"} 0 1717000600000
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="1",UUID="GPU-0b",device="nvidia1",Hostname="n5"} 9120 1717000600000
"""
[[test]]
fires = 1
expect = { gpus = ["GPU 0"] }
logs."smi.csv" = """
timestamp, index, pcie.replay.counter
2026/03/01 10:00:00.000, 0, 3
2026/03/01 10:00:00.000, 1, 0
2026/03/01 10:10:00.000, 0, 4411
2026/03/01 10:10:00.000, 1, 0
"""
[[test]]
fires = 0                        # a few
logs."a.prom" = """
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="0",UUID="GPU-0a",device="nvidia0",Hostname="n5"} 0 1717000000000
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="1",UUID="GPU-0b",device="nvidia1",Hostname="n5"} 12 1717000000000
"""
logs."b.prom" = """
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="0",UUID="GPU-0a",device="nvidia0",Hostname="n5"} 0 1717000600000
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="1",UUID="GPU-0b",device="nvidia1",Hostname="n5"} 31 1717000600000
"""
[[test]]
fires = 0                        # once read: since when is unknown
logs."a.prom" = """
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="0",UUID="GPU-0a",device="nvidia0",Hostname="n5"} 0 1717000000000
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="1",UUID="GPU-0b",device="nvidia1",Hostname="n5"} 48213 1717000000000
"""
*/
-- The test: more than eight a minute over the whole time, a hundred at least, and ten times the growth of the median sibling.
WITH reading AS (
  SELECT attempt, file_id, line, part, ts, host, gpu, value FROM metrics
  WHERE  name = 'pcie.replay.counter' AND gpu IS NOT NULL AND ts_from = 'line' AND NOT duplicate),
grown AS (       -- counters start again with the driver: only what grew counts
  SELECT max(attempt) AS attempt, host, gpu, max(value) - min(value) AS delta, min(ts) AS began, max(ts) AS ended, epoch(max(ts) - min(ts)) / 60 AS minutes,
         [min({'ts': ts, 'e': {'file_id': file_id, 'line': line, 'part': part}}).e, max({'ts': ts, 'e': {'file_id': file_id, 'line': line, 'part': part}}).e] AS evidence
  FROM   reading
  GROUP  BY host, gpu
  HAVING count(DISTINCT ts) > 1),
compared AS (
  SELECT *, median(delta) OVER (PARTITION BY host) AS usual, count(*) OVER (PARTITION BY host) AS gpus FROM grown)
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, [coalesce(host || ':' || gpu, 'GPU ' || gpu)] AS gpus, began, ended, evidence,
       coalesce(host || ': ', '') || printf('the PCIe link of GPU %d sent %d packets again in %d minutes', gpu, CAST(delta AS BIGINT), CAST(ceil(minutes) AS BIGINT)) AS summary
FROM   compared
WHERE  delta >= 100 AND delta > 8 * minutes AND gpus >= 2 AND delta >= 10 * CASE WHEN gpus > 2 THEN usual ELSE 2 * usual - delta END
