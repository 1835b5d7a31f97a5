/*
title    = "A GPU throttles for heat"
kind     = "perf.straggler_thermal"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "net.congestion", "data.stall", "hang.*", "desync.rank_behind", "sched.cancelled", "launcher.*"]
needs    = ["nvidia_smi", "dcgm"]
explanation = """
The GPU lowered its clock because it was too hot, while GPUs that did the same work ran faster. In a synchronous job everybody then
waits for it. The waiting GPUs stay at full clock and full utilisation with less power: they are victims.
"""
advice = """
Drain the host and look at the cooling of this GPU: fan or pump, air path, heat sink, inlet temperature (`nvidia-smi -q -d TEMPERATURE,PERFORMANCE`, BMC sensors).
Compare with its neighbours and with the same slot of other hosts: one hot GPU is its heat sink, a hot row is the air.
Until it is repaired, run without this host: a lower power limit (`nvidia-smi -pl`) only makes the slowness even.
"""
false_positives = "A few warm minutes that the step times do not show are reported as information only."
references = ["nvidia-smi manual: clocks_event_reasons"]
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"], confidence = "likely", severity = "high" }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_throttle_reasons.active
2024/05/01 12:00:00.101, 0, 60, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 87, 480.00 W, 1170 MHz, 100 %, 0x0000000000000020
2024/05/01 12:00:00.115, 2, 61, 612.00 W, 1770 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.101, 0, 60, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.108, 1, 88, 480.00 W, 1155 MHz, 100 %, 0x0000000000000020
2024/05/01 12:01:00.115, 2, 61, 612.00 W, 1770 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.101, 0, 60, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.108, 1, 88, 480.00 W, 1170 MHz, 99 %, 0x0000000000000068
2024/05/01 12:02:00.115, 2, 61, 612.00 W, 1770 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.101, 0, 60, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.108, 1, 88, 480.00 W, 1140 MHz, 100 %, 0x0000000000000020
2024/05/01 12:03:00.115, 2, 61, 612.00 W, 1770 MHz, 100 %, 0x0000000000000004
'''
[[test]]
# Words instead of bits, and steps that became slower.
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:0"], confidence = "certain" }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.hw_thermal_slowdown, clocks_event_reasons.sw_thermal_slowdown
2024/05/01 12:00:00.101, 0, 86, 1170 MHz, 100 %, Not Active, Active
2024/05/01 12:00:00.108, 1, 60, 1980 MHz, 100 %, Not Active, Not Active
2024/05/01 12:00:00.115, 2, 60, 1980 MHz, 100 %, Not Active, Not Active
2024/05/01 12:01:00.101, 0, 86, 1170 MHz, 100 %, Not Active, Active
2024/05/01 12:01:00.108, 1, 60, 1980 MHz, 100 %, Not Active, Not Active
2024/05/01 12:01:00.115, 2, 60, 1980 MHz, 100 %, Not Active, Not Active
2024/05/01 12:02:00.101, 0, 87, 1170 MHz, 100 %, Active, Active
2024/05/01 12:02:00.108, 1, 60, 1980 MHz, 100 %, Not Active, Not Active
2024/05/01 12:02:00.115, 2, 60, 1980 MHz, 100 %, Not Active, Not Active
'''
logs."train.log" = '''
iter 1: loss 2.4918, time 13576.08ms
iter 2: loss 2.4918, time 4201.08ms
iter 3: loss 2.4918, time 4190.01ms
iter 4: loss 2.4918, time 4205.33ms
iter 5: loss 2.4918, time 4200.10ms
iter 6: loss 2.4918, time 4210.54ms
iter 7: loss 2.4918, time 4200.08ms
iter 8: loss 2.4918, time 4199.77ms
iter 9: loss 2.4918, time 4200.08ms
iter 10: loss 2.4918, time 6200.08ms
iter 11: loss 2.4918, time 6210.08ms
iter 12: loss 2.4918, time 6190.08ms
iter 13: loss 2.4918, time 6205.08ms
iter 14: loss 2.4918, time 6202.08ms
iter 15: loss 2.4918, time 6203.08ms
'''
[[test]]
# Warm, but as fast as its siblings.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_throttle_reasons.active
2024/05/01 12:00:00.101, 0, 60, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 79, 612.00 W, 1740 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.101, 0, 60, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.108, 1, 80, 612.00 W, 1740 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.101, 0, 60, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.108, 1, 80, 612.00 W, 1740 MHz, 100 %, 0x0000000000000004
'''
[[test]]
# A blip, and a hot GPU on which nothing runs.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_throttle_reasons.active
2024/05/01 12:00:00.101, 0, 86, 610.10 W, 1455 MHz, 100 %, 0x0000000000000020
2024/05/01 12:00:00.108, 1, 87, 90.00 W, 345 MHz, 0 %, 0x0000000000000021
2024/05/01 12:01:00.101, 0, 70, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.108, 1, 88, 90.00 W, 345 MHz, 0 %, 0x0000000000000021
2024/05/01 12:02:00.101, 0, 70, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.108, 1, 88, 90.00 W, 345 MHz, 0 %, 0x0000000000000021
2024/05/01 12:03:00.101, 0, 70, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.108, 1, 88, 90.00 W, 345 MHz, 0 %, 0x0000000000000021
'''
*/
-- The test: in at least three minutes the GPU shows a thermal reason in half of its readings and runs below 0.9 of the median of its busy siblings in
-- the same minute (0.85 of its own usual clock where it has none). Files without reasons: 85 C, where data-centre GPUs begin to slow down
-- (or at most 1 degree of margin, or memory at 98 C). A braked GPU is a matter of power.
WITH minute AS (
  SELECT *, CASE WHEN siblings >= 2 THEN sibling_mhz ELSE best_mhz END AS reference_mhz
  FROM gpu_minutes
  WHERE name IS NOT NULL AND coalesce(braked, 0) < 0.5),
hot_minute AS (
  SELECT *
  FROM minute
  WHERE (hot >= 0.5 OR (hot IS NULL AND (temp_c >= 85 OR margin_c <= 1 OR memory_c >= 98)))
    AND (sm_mhz < 0.9 * CASE WHEN siblings >= 2 THEN sibling_mhz END OR sm_mhz < 0.85 * best_mhz OR (sm_mhz IS NULL AND hot >= 0.5))),
gpu AS (
  SELECT attempt, host, name, who, ranks, count(*) AS hot_minutes, max(minutes) AS minutes, min(began) AS began, max(ended) AS ended,
         max(temp_c) AS temp_c, median(sm_mhz) AS sm_mhz, median(reference_mhz) AS reference_mhz, bool_and(hot IS NOT NULL) AS has_reason,
         list({'file_id': file_id, 'line': telling_line, 'part': part} ORDER BY file_id, telling_line, part) AS evidence
  FROM hot_minute
  GROUP BY ALL
  HAVING count(*) >= 3),
place AS (
  SELECT attempt, host, list(DISTINCT name ORDER BY name) AS gpus, list(DISTINCT who ORDER BY who) AS whos, flatten(list(ranks ORDER BY name)) AS ranks,
         min(began) AS began, max(ended) AS ended, max(temp_c) AS temp_c, min(sm_mhz) AS sm_mhz, max(reference_mhz) AS reference_mhz,
         bool_and(has_reason) AND bool_and(sm_mhz IS NOT NULL) AS is_sure, max(hot_minutes / minutes) AS share, flatten(list(evidence ORDER BY name)) AS evidence
  FROM gpu
  GROUP BY attempt, host, CASE WHEN host IS NULL THEN name END)
SELECT p.attempt, [p.host] AS hosts, p.ranks, p.gpus, CASE WHEN c.agree THEN p.began END AS began, CASE WHEN c.agree THEN p.ended END AS ended, p.evidence,
       CASE WHEN p.is_sure AND s.slow_steps > 0 THEN 'certain' WHEN p.is_sure OR s.slow_steps > 0 THEN 'likely' ELSE 'possible' END AS confidence,
       -- steps that show no change, or heat in less than a tenth of the time and no steps to tell: it did no harm
       CASE WHEN s.steps IS NULL AND p.share < 0.1 THEN 'info' ELSE s.severity END AS severity,
       CASE WHEN s.steps IS NULL AND p.share < 0.1 THEN 'context' ELSE s.role END AS role,
       printf('GPU %s%s throttled for heat', array_to_string(p.whos[:3], ', '), CASE WHEN len(p.whos) > 3 THEN printf(' and %d more', len(p.whos) - 3) ELSE '' END)
       || CASE WHEN p.began IS NOT NULL AND c.agree THEN strftime(p.began, ' from %H:%M:%S') ELSE '' END
       || CASE WHEN p.temp_c IS NOT NULL THEN printf(': %d C', CAST(p.temp_c AS INTEGER)) ELSE '' END
       || CASE WHEN p.sm_mhz IS NOT NULL AND p.reference_mhz > p.sm_mhz
               THEN printf(', %d MHz instead of %d', CAST(p.sm_mhz AS INTEGER), CAST(p.reference_mhz AS INTEGER)) ELSE '' END
       || coalesce(s.effect, '') AS summary
FROM place p
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM p.attempt
LEFT JOIN telemetry_clocks c ON c.attempt IS NOT DISTINCT FROM p.attempt
