/*
title    = "A GPU is slowed by its hardware and does not say why"
kind     = "perf.straggler"
severity = "medium"
role     = "cause"
confidence = "likely"
needs    = ["nvidia_smi", "dcgm"]
explanation = """
The general hardware slowdown is on, and neither heat nor the power brake with it. The clock is far below that of GPUs that do the same work. The board
protects itself from something its sensors see: a voltage regulator, the slot's power, a cable.
"""
advice = """
Drain the host, run `dcgmi diag -r 3` and `nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE` under load, and read the BMC event log; replace the board if it repeats.
"""
false_positives = "Drivers that do not show thermal and brake reasons separately hide the reason; the temperature then tells."
references = ["nvidia-smi manual: clocks_event_reasons.hw_slowdown"]
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"], confidence = "likely" }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 50, 705 MHz, 100 %, 0x0000000000000008
2024/05/01 12:00:00.115, 2, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.108, 1, 50, 705 MHz, 100 %, 0x0000000000000008
2024/05/01 12:01:00.115, 2, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.108, 1, 50, 705 MHz, 100 %, 0x0000000000000008
2024/05/01 12:02:00.115, 2, 60, 1410 MHz, 100 %, 0x0000000000000004
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:0"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, clocks.current.sm [MHz], utilization.gpu [%], clocks_throttle_reasons.hw_slowdown, clocks_throttle_reasons.hw_thermal_slowdown, clocks_throttle_reasons.hw_power_brake_slowdown
2024/05/01 12:00:00.101, 0, 900 MHz, 100 %, Active, Not Active, Not Active
2024/05/01 12:00:00.108, 1, 1980 MHz, 100 %, Not Active, Not Active, Not Active
2024/05/01 12:00:00.115, 2, 1980 MHz, 100 %, Not Active, Not Active, Not Active
2024/05/01 12:01:00.101, 0, 900 MHz, 100 %, Active, Not Active, Not Active
2024/05/01 12:01:00.108, 1, 1980 MHz, 100 %, Not Active, Not Active, Not Active
2024/05/01 12:01:00.115, 2, 1980 MHz, 100 %, Not Active, Not Active, Not Active
2024/05/01 12:02:00.101, 0, 900 MHz, 100 %, Active, Not Active, Not Active
2024/05/01 12:02:00.108, 1, 1980 MHz, 100 %, Not Active, Not Active, Not Active
2024/05/01 12:02:00.115, 2, 1980 MHz, 100 %, Not Active, Not Active, Not Active
'''
[[test]]
# With the power brake: another finding.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 50, 345 MHz, 100 %, 0x0000000000000088
2024/05/01 12:00:00.115, 2, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.108, 1, 50, 345 MHz, 100 %, 0x0000000000000088
2024/05/01 12:01:00.115, 2, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.108, 1, 50, 345 MHz, 100 %, 0x0000000000000088
2024/05/01 12:02:00.115, 2, 60, 1410 MHz, 100 %, 0x0000000000000004
'''
[[test]]
# The bit flickers and the clock is that of the siblings.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 50, 1410 MHz, 100 %, 0x0000000000000008
2024/05/01 12:00:00.115, 2, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.108, 1, 50, 1395 MHz, 100 %, 0x0000000000000008
2024/05/01 12:01:00.115, 2, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.108, 1, 50, 1395 MHz, 100 %, 0x0000000000000008
2024/05/01 12:02:00.115, 2, 60, 1410 MHz, 100 %, 0x0000000000000004
'''
*/
-- The test: three minutes with the general bit, without a reason, below 0.8 of the busy siblings' median clock (0.8 of its own best where it is alone),
-- and not hot: 80 C is where GPUs that hide their reasons begin to slow down.
WITH gpu AS (
  SELECT attempt, host, name, who, ranks, min(began) AS began, max(ended) AS ended, median(sm_mhz) AS sm_mhz,
         median(CASE WHEN siblings >= 2 THEN sibling_mhz ELSE best_mhz END) AS reference_mhz,
         list({'file_id': file_id, 'line': telling_line, 'part': part} ORDER BY file_id, telling_line, part) AS evidence
  FROM gpu_minutes
  WHERE name IS NOT NULL AND slowed >= 0.5 AND coalesce(hot, 0) < 0.2 AND coalesce(braked, 0) < 0.2 AND coalesce(temp_c, 0) < 80
    AND sm_mhz < 0.8 * CASE WHEN siblings >= 2 THEN sibling_mhz ELSE best_mhz END
  GROUP BY ALL
  HAVING count(*) >= 3)
SELECT g.attempt, [g.host] AS hosts, g.ranks, [g.name] AS gpus, g.began, g.ended, g.evidence,
       s.severity, s.role,
       printf('GPU %s was slowed by its hardware without a stated reason: %d MHz instead of %d', g.who, CAST(g.sm_mhz AS INTEGER), CAST(g.reference_mhz AS INTEGER))
       || coalesce(s.effect, '') AS summary
FROM gpu g
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM g.attempt
