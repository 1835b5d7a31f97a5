/*
title    = "nvidia-smi can no longer read a GPU"
kind     = "hw.gpu_lost"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.*", "desync.*", "net.*", "perf.*", "data.stall"]
needs    = ["nvidia_smi", "nvidia_smi_text", "nvidia_smi_lines"]
explanation = """
In place of numbers nvidia-smi prints for this GPU that it is lost, needs a reset, or cannot be read, from some moment on. The process on it fails or freezes, and
everybody waits for it. The kernel log of the host says why (Xid 79, 119, AER of the slot).
"""
advice = """
Drain the host and read its kernel log around that time: `dmesg -T | grep -iE 'xid|nvrm|aer|pcieport'`.
Power-cycle it (a warm reset is not enough for a GPU that fell off the bus); replace the GPU or its riser when it happens again.
"""
false_positives = "A single cell without a value (a fan, a power sensor) is no lost GPU; one failed poll of a busy driver comes back."
references = ["nvidia-smi manual; NVIDIA Xid catalogue"]
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"], confidence = "certain" }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, pci.bus_id, temperature.gpu, power.draw [W], utilization.gpu [%]
2024/05/01 12:00:00.100, 0, 00000000:1B:00.0, 40, 412.00 W, 90 %
2024/05/01 12:00:00.101, 1, 00000000:43:00.0, 41, 412.00 W, 91 %
2024/05/01 12:00:00.102, 2, 00000000:9A:00.0, 42, 412.00 W, 92 %
2024/05/01 12:01:00.100, 0, 00000000:1B:00.0, 40, 412.01 W, 90 %
2024/05/01 12:01:00.101, 1, 00000000:43:00.0, 41, 412.01 W, 91 %
2024/05/01 12:01:00.102, 2, 00000000:9A:00.0, 42, 412.01 W, 92 %
2024/05/01 12:02:00.100, 0, 00000000:1B:00.0, 40, 412.02 W, 90 %
2024/05/01 12:02:00.101, 1, 00000000:43:00.0, [GPU is lost], [GPU is lost], [GPU is lost]
2024/05/01 12:02:00.102, 2, 00000000:9A:00.0, 42, 412.02 W, 92 %
2024/05/01 12:03:00.100, 0, 00000000:1B:00.0, 40, 412.03 W, 90 %
2024/05/01 12:03:00.101, 1, 00000000:43:00.0, [GPU is lost], [GPU is lost], [GPU is lost]
2024/05/01 12:03:00.102, 2, 00000000:9A:00.0, 42, 412.03 W, 92 %
'''
[[test]]
fires = 1
expect = { gpus = ["0000:91:00.0"], confidence = "likely" }
logs."console.log" = '''
Unable to determine the device handle for GPU0000:91:00.0: Unknown Error
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:2"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, pci.bus_id, temperature.gpu, power.draw [W], utilization.gpu [%]
2024/05/01 12:00:00.100, 0, 00000000:1B:00.0, 40, 412.00 W, 90 %
2024/05/01 12:00:00.101, 1, 00000000:43:00.0, 41, 412.00 W, 91 %
2024/05/01 12:00:00.102, 2, 00000000:9A:00.0, 42, 412.00 W, 92 %
2024/05/01 12:01:00.100, 0, 00000000:1B:00.0, 40, 412.01 W, 90 %
2024/05/01 12:01:00.101, 1, 00000000:43:00.0, 41, 412.01 W, 91 %
2024/05/01 12:01:00.102, 2, 00000000:9A:00.0, [Unknown Error], [Unknown Error], [Unknown Error]
2024/05/01 12:02:00.100, 0, 00000000:1B:00.0, 40, 412.02 W, 90 %
2024/05/01 12:02:00.101, 1, 00000000:43:00.0, 41, 412.02 W, 91 %
2024/05/01 12:02:00.102, 2, 00000000:9A:00.0, [Unknown Error], [Unknown Error], [Unknown Error]
2024/05/01 12:03:00.100, 0, 00000000:1B:00.0, 40, 412.03 W, 90 %
2024/05/01 12:03:00.101, 1, 00000000:43:00.0, 41, 412.03 W, 91 %
2024/05/01 12:03:00.102, 2, 00000000:9A:00.0, [Unknown Error], [Unknown Error], [Unknown Error]
'''
[[test]]
# One poll failed and the next did not.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, pci.bus_id, temperature.gpu, power.draw [W], utilization.gpu [%]
2024/05/01 12:00:00.100, 0, 00000000:1B:00.0, 40, 412.00 W, 90 %
2024/05/01 12:00:00.101, 1, 00000000:43:00.0, 41, 412.00 W, 91 %
2024/05/01 12:00:00.102, 2, 00000000:9A:00.0, 42, 412.00 W, 92 %
2024/05/01 12:01:00.100, 0, 00000000:1B:00.0, 40, 412.01 W, 90 %
2024/05/01 12:01:00.101, 1, 00000000:43:00.0, 41, 412.01 W, 91 %
2024/05/01 12:01:00.102, 2, 00000000:9A:00.0, [Unknown Error], [Unknown Error], [Unknown Error]
2024/05/01 12:02:00.100, 0, 00000000:1B:00.0, 40, 412.02 W, 90 %
2024/05/01 12:02:00.101, 1, 00000000:43:00.0, 41, 412.02 W, 91 %
2024/05/01 12:02:00.102, 2, 00000000:9A:00.0, 42, 412.02 W, 92 %
2024/05/01 12:03:00.100, 0, 00000000:1B:00.0, 40, 412.03 W, 90 %
2024/05/01 12:03:00.101, 1, 00000000:43:00.0, 41, 412.03 W, 91 %
2024/05/01 12:03:00.102, 2, 00000000:9A:00.0, 42, 412.03 W, 92 %
'''
[[test]]
# A sensor.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, fan.speed [%], temperature.gpu, power.draw [W], utilization.gpu [%]
2024/05/01 12:00:00.101, 0, [Unknown Error], 41, 412.10 W, 97 %
2024/05/01 12:01:00.101, 0, [Unknown Error], 41, 412.10 W, 97 %
2024/05/01 12:02:00.101, 0, [Unknown Error], 41, 412.10 W, 97 %
'''
[[test]]
fires = 1
expect = { gpus = ["0000:3b:00.0"], confidence = "likely" }
logs."smi.txt" = '''
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |
| N/A   34C    P0            116W /  700W |       1MiB /  81559MiB |      0%      Default |
|                                         |                        |             Disabled |
|   1  NVIDIA H100 80GB HBM3          ERR! |   00000000:3B:00.0 Off |                 ERR! |
|ERR!  ERR! ERR!             ERR! / ERR!  |       1MiB /  81559MiB |    ERR!      Default |
|                                         |                        |                 ERR! |
'''
[[test]]
fires = 1
expect = { gpus = ["0000:47:00.0"], confidence = "likely" }
logs."smi.txt" = '''
|   2  ERR!                           On  |   00000000:47:00.0 Off |                 ERR! |
|ERR!  ERR! ERR!            ERR! / ERR!   |     ERR!   /  81920MiB |    ERR!      Default |
|                                         |                        |                 ERR! |
'''
[[test]]
fires = 0                        # a fan
logs."smi.txt" = '''
|   1  NVIDIA GeForce RTX 3090        Off |   00000000:3B:00.0 Off |                  N/A |
|ERR!  44C    P8              21W / 350W  |       1MiB /  24576MiB |      0%      Default |
|                                         |                        |                  N/A |
'''
*/
-- The test: at least half of the numbers are missing for that reason, and no later poll of the same file reads the GPU again.
WITH fault AS (
  SELECT f.attempt, f.file_id, f.line, f.part, f.host, f.gpu, f.bdf, f.uuid, f.value, CASE WHEN f.ts_from = 'line' THEN f.ts END AS ts
  FROM gpu_fault f
  WHERE CASE WHEN f.field = 'device handle' THEN true
             WHEN f.field = 'table' THEN len(string_split(f.message, 'ERR!')) > 3
             WHEN f.columns IS NOT NULL THEN f.cells >= 0.5 * f.columns
             ELSE regexp_matches(lower(f.value), 'lost|reset|blocked') END
  UNION ALL      -- the table that nvidia-smi prints
  SELECT attempt, file_id, line, part, host, gpu, bdf, NULL, 'ERR!', CASE WHEN ts_from = 'line' THEN ts END
  FROM gpu_status
  -- one sensor without a value is no lost GPU; of seven cells three are. The title of the card may be gone too
  WHERE len(string_split(message, 'ERR!')) > 3 OR len(string_split(message, 'Unknown Error')) > 2),
place AS (
  SELECT f.*, coalesce(f.gpu, i.gpu) AS index, coalesce(i.bdf, CASE WHEN length(f.bdf) > 12 THEN lower(f.bdf[5:]) ELSE lower(f.bdf) END) AS bus
  FROM fault f
  LEFT JOIN (SELECT host, min(gpu) AS gpu, bdf FROM gpu_identity WHERE bdf IS NOT NULL AND gpu IS NOT NULL GROUP BY host, bdf HAVING count(DISTINCT gpu) = 1) i
    ON i.host IS NOT DISTINCT FROM f.host AND i.bdf = lower(CASE WHEN length(f.bdf) > 12 THEN f.bdf[5:] ELSE f.bdf END)),
lost AS (
  SELECT attempt, file_id, host, index, bus, coalesce(CASE WHEN host IS NOT NULL AND index IS NOT NULL THEN host || ':' || index END, bus, min(uuid), 'GPU ' || index) AS name,
         min(value) AS value, count(*) AS polls, min(ts) AS began, max(line) AS last_line,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line, part) AS evidence
  FROM place
  GROUP BY attempt, file_id, host, index, bus),
gone AS (
  SELECT l.*
  FROM lost l
  WHERE l.name IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM gpu_samples s JOIN gpu_places p ON p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host AND p.gpu IS NOT DISTINCT FROM s.gpu
                                                                 AND p.device IS NOT DISTINCT FROM s.device
                    WHERE s.file_id = l.file_id AND p.name = l.name AND s.line > l.last_line))
SELECT g.attempt, [g.host] AS hosts, list(DISTINCT g.name ORDER BY g.name) AS gpus,
       coalesce(list(DISTINCT r.rank ORDER BY r.rank) FILTER (WHERE r.rank IS NOT NULL), []) AS ranks, min(g.began) AS began,
       flatten(list(g.evidence ORDER BY g.name, g.file_id)) AS evidence,
       CASE WHEN max(g.polls) >= 2 OR min(lower(g.value)) LIKE '%lost%' THEN 'certain' ELSE 'likely' END AS confidence,
       'GPU ' || array_to_string(list(DISTINCT regexp_replace(g.name, '^GPU ', '') ORDER BY regexp_replace(g.name, '^GPU ', ''))[:3], ', ')
       || CASE WHEN count(DISTINCT g.name) > 3 THEN printf(' and %d more', count(DISTINCT g.name) - 3) ELSE '' END
       || ' can no longer be read' || CASE WHEN min(g.began) IS NOT NULL THEN strftime(min(g.began), ' from %H:%M:%S') ELSE '' END
       || printf(': nvidia-smi says %s', regexp_replace(min(g.value), '[][]', '', 'g')) AS summary
FROM gone g
LEFT JOIN ranks r ON r.attempt IS NOT DISTINCT FROM g.attempt AND r.host = g.host
                 AND CASE WHEN r.pci_bus IS NOT NULL AND g.bus IS NOT NULL THEN r.pci_bus = g.bus ELSE coalesce(r.gpu, r.local_rank) = g.index END
GROUP BY g.attempt, g.host, CASE WHEN g.host IS NULL THEN g.name END
