/*
title    = "The power brake slows GPUs"
kind     = "perf.straggler_power"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.straggler_thermal", "perf.low_busbw", "net.congestion", "data.stall", "hang.*", "desync.rank_behind", "sched.cancelled", "launcher.*"]
needs    = ["nvidia_smi", "dcgm"]
explanation = """
A signal from outside the GPU (power supply, rack power cap, board management, a badly seated power cable) makes the GPU run at a fraction
of its clock, cool and with little power. It mostly hits all GPUs of a host in the same second. The rest of a synchronous job waits for them.
"""
advice = """
Drain the host and read its BMC event log (`ipmitool sel elist`): power supplies, power cables, power capping of the rack or PDU.
A board that the BMC does not know has no power table there and is always braked: update the BMC firmware.
`nvidia-smi -q -d PERFORMANCE` must show HW Power Brake Slowdown as Not Active before the host goes back.
"""
false_positives = "The software power cap (0x4) at full load is normal and is not looked at here."
references = ["nvidia-smi manual: clocks_event_reasons.hw_power_brake_slowdown"]
[[test]]
# Both GPUs of one host, from 12:01; the other host waits at full clock.
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:0", "node1:1"], confidence = "likely", severity = "high" }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 60, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 61, 612.00 W, 1770 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.101, 0, 44, 180.10 W, 510 MHz, 100 %, 0x0000000000000088
2024/05/01 12:01:00.108, 1, 43, 182.00 W, 525 MHz, 100 %, 0x0000000000000088
2024/05/01 12:02:00.101, 0, 42, 180.10 W, 510 MHz, 100 %, 0x0000000000000088
2024/05/01 12:02:00.108, 1, 42, 182.00 W, 525 MHz, 100 %, 0x0000000000000088
2024/05/01 12:03:00.101, 0, 41, 180.10 W, 510 MHz, 100 %, 0x0000000000000088
2024/05/01 12:03:00.108, 1, 41, 182.00 W, 525 MHz, 100 %, 0x0000000000000088
'''
logs."gpu_metrics-node2.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 60, 610.10 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 61, 612.00 W, 1770 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.101, 0, 50, 280.10 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.108, 1, 51, 282.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.101, 0, 50, 280.10 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.108, 1, 51, 282.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.101, 0, 50, 280.10 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.108, 1, 51, 282.00 W, 1980 MHz, 100 %, 0x0000000000000000
'''
[[test]]
# One GPU, in words, from the beginning.
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, clocks.current.sm [MHz], utilization.gpu [%], clocks_throttle_reasons.hw_slowdown, clocks_throttle_reasons.hw_power_brake_slowdown
2024/05/01 12:00:00.101, 0, 1410 MHz, 100 %, Not Active, Not Active
2024/05/01 12:00:00.108, 1, 345 MHz, 100 %, Active, Active
2024/05/01 12:01:00.101, 0, 1410 MHz, 100 %, Not Active, Not Active
2024/05/01 12:01:00.108, 1, 345 MHz, 100 %, Active, Active
2024/05/01 12:02:00.101, 0, 1410 MHz, 100 %, Not Active, Not Active
2024/05/01 12:02:00.108, 1, 345 MHz, 100 %, Active, Active
'''
[[test]]
# Power cap at full load, on all alike.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 60, 695.10 W, 1455 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 61, 696.00 W, 1470 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.101, 0, 60, 695.10 W, 1455 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.108, 1, 61, 696.00 W, 1470 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.101, 0, 60, 695.10 W, 1455 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.108, 1, 61, 696.00 W, 1470 MHz, 100 %, 0x0000000000000004
'''
[[test]]
# Hardware slowdown for heat, and a brake on a GPU that nobody uses.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 88, 1155 MHz, 100 %, 0x0000000000000048
2024/05/01 12:00:00.108, 1, 31, 345 MHz, 0 %, 0x0000000000000089
2024/05/01 12:01:00.101, 0, 88, 1155 MHz, 100 %, 0x0000000000000048
2024/05/01 12:01:00.108, 1, 31, 345 MHz, 0 %, 0x0000000000000089
2024/05/01 12:02:00.101, 0, 88, 1155 MHz, 100 %, 0x0000000000000048
2024/05/01 12:02:00.108, 1, 31, 345 MHz, 0 %, 0x0000000000000089
'''
*/
-- The test: in at least two minutes half of the readings of a busy GPU show the brake. The signal itself is abnormal; that the clock is below 0.7 of the
-- siblings', its own best or its maximum shows what it costs.
WITH minute AS (
  SELECT *, nullif(greatest(coalesce(sibling_mhz, 0), coalesce(best_mhz, 0), coalesce(0.7 * max_mhz, 0)), 0) AS reference_mhz
  FROM gpu_minutes
  WHERE name IS NOT NULL AND braked >= 0.5),
gpu AS (
  SELECT attempt, host, name, who, ranks, min(began) AS began, max(ended) AS ended, median(sm_mhz) AS sm_mhz, median(reference_mhz) AS reference_mhz,
         max(temp_c) AS temp_c, count(*) AS braked_minutes, max(minutes) AS minutes,
         list({'file_id': file_id, 'line': telling_line, 'part': part} ORDER BY file_id, telling_line, part) AS evidence
  FROM minute
  GROUP BY ALL
  HAVING count(*) >= 2),
place AS (
  SELECT attempt, host, list(DISTINCT name ORDER BY name) AS gpus, list(DISTINCT who ORDER BY who) AS whos, flatten(list(ranks ORDER BY name)) AS ranks,
         min(began) AS began, max(ended) AS ended, median(sm_mhz) AS sm_mhz, max(reference_mhz) AS reference_mhz,
         max(braked_minutes / minutes) AS share, flatten(list(evidence ORDER BY name)) AS evidence
  FROM gpu
  GROUP BY attempt, host, CASE WHEN host IS NULL THEN name END)
SELECT p.attempt, [p.host] AS hosts, p.ranks, p.gpus, CASE WHEN c.agree THEN p.began END AS began, CASE WHEN c.agree THEN p.ended END AS ended, p.evidence,
       CASE WHEN s.slow_steps > 0 THEN 'certain' ELSE 'likely' END AS confidence,
       CASE WHEN s.steps IS NULL AND p.share < 0.1 THEN 'info' ELSE s.severity END AS severity,
       CASE WHEN s.steps IS NULL AND p.share < 0.1 THEN 'context' ELSE s.role END AS role,
       CASE WHEN p.host IS NOT NULL THEN p.host || ': the power brake slowed GPU ' ELSE 'The power brake slowed GPU ' END
       || array_to_string(p.whos[:3], ', ') || CASE WHEN len(p.whos) > 3 THEN printf(' and %d more', len(p.whos) - 3) ELSE '' END
       || CASE WHEN p.began IS NOT NULL AND c.agree THEN strftime(p.began, ' from %H:%M:%S') ELSE '' END
       || CASE WHEN p.sm_mhz < p.reference_mhz THEN printf(' to %d MHz instead of %d', CAST(p.sm_mhz AS INTEGER), CAST(p.reference_mhz AS INTEGER)) ELSE '' END
       || coalesce(s.effect, '') AS summary
FROM place p
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM p.attempt
LEFT JOIN telemetry_clocks c ON c.attempt IS NOT DISTINCT FROM p.attempt
