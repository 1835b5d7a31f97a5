/*
title    = "A GPU runs at a lower clock than its siblings"
kind     = "perf.straggler"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "sched.cancelled"]
needs    = ["nvidia_smi", "dcgm"]
explanation = """
Busy GPUs that do the same work have the same clock within some percent. This one runs slower and shows no reason (heat, brake, power cap): clocks that
somebody locked, an application clock, a power-management unit that gave up. The others wait for it.
"""
advice = """
On this host compare `nvidia-smi -q -d CLOCK,PERFORMANCE` of this GPU with a sibling; undo locked clocks with `nvidia-smi -i INDEX -rgc` and `-rac`.
If nobody locked them, look for Xid 61 or 62 in `dmesg -T`, reset the GPU, and run `dcgmi diag -r 3`.
"""
false_positives = "GPUs at their power cap differ by design and are left out; a GPU of another job is told apart only by its load."
references = ["nvidia-smi manual: clocks"]
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"], confidence = "likely" }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.107, 1, 52, 250.0 W, 1095 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.107, 1, 52, 250.0 W, 1095 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.107, 1, 52, 250.0 W, 1095 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.107, 1, 52, 250.0 W, 1095 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
'''
[[test]]
fires = 1
expect = { gpus = ["node1:3"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.107, 1, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.114, 2, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.121, 3, 250.0 W, 990 MHz, 100 %, 0x0000000000000002
2024/05/01 12:01:00.100, 0, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.107, 1, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.114, 2, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.121, 3, 250.0 W, 990 MHz, 100 %, 0x0000000000000002
2024/05/01 12:02:00.100, 0, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.107, 1, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.114, 2, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.121, 3, 250.0 W, 990 MHz, 100 %, 0x0000000000000002
2024/05/01 12:03:00.100, 0, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.107, 1, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.114, 2, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.121, 3, 250.0 W, 990 MHz, 100 %, 0x0000000000000002
2024/05/01 12:04:00.100, 0, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:04:00.107, 1, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:04:00.114, 2, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:04:00.121, 3, 250.0 W, 990 MHz, 100 %, 0x0000000000000002
'''
logs."train.log" = '''
iter 1: loss 2.4901, time 4207.08ms
iter 2: loss 2.4902, time 4201.08ms
iter 3: loss 2.4903, time 4208.08ms
iter 4: loss 2.4904, time 4202.08ms
iter 5: loss 2.4905, time 4209.08ms
iter 6: loss 2.4906, time 4203.08ms
iter 7: loss 2.4907, time 4210.08ms
iter 8: loss 2.4908, time 4204.08ms
iter 9: loss 2.4909, time 4211.08ms
iter 10: loss 2.4910, time 4205.08ms
iter 11: loss 2.4911, time 6912.08ms
iter 12: loss 2.4912, time 6906.08ms
iter 13: loss 2.4913, time 6900.08ms
iter 14: loss 2.4914, time 6907.08ms
iter 15: loss 2.4915, time 6901.08ms
iter 16: loss 2.4916, time 6908.08ms
iter 17: loss 2.4917, time 6902.08ms
iter 18: loss 2.4918, time 6909.08ms
'''
[[test]]
# From the fifth minute on.
fires = 1
expect = { gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.107, 1, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.107, 1, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.107, 1, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.107, 1, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:04:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:04:00.107, 1, 52, 250.0 W, 900 MHz, 100 %, 0x0000000000000000
2024/05/01 12:04:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:04:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:05:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:05:00.107, 1, 52, 250.0 W, 900 MHz, 100 %, 0x0000000000000000
2024/05/01 12:05:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:05:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:06:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:06:00.107, 1, 52, 250.0 W, 900 MHz, 100 %, 0x0000000000000000
2024/05/01 12:06:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:06:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:07:00.100, 0, 60, 310.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:07:00.107, 1, 52, 250.0 W, 900 MHz, 100 %, 0x0000000000000000
2024/05/01 12:07:00.114, 2, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
2024/05/01 12:07:00.121, 3, 61, 312.0 W, 1410 MHz, 100 %, 0x0000000000000000
'''
[[test]]
# Power caps differ with chip and work.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 60, 690.0 W, 1605 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.107, 1, 62, 698.0 W, 1380 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.114, 2, 61, 640.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.121, 3, 61, 640.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.100, 0, 60, 690.0 W, 1605 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.107, 1, 62, 698.0 W, 1380 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.114, 2, 61, 640.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.121, 3, 61, 640.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.100, 0, 60, 690.0 W, 1605 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.107, 1, 62, 698.0 W, 1380 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.114, 2, 61, 640.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.121, 3, 61, 640.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.100, 0, 60, 690.0 W, 1605 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.107, 1, 62, 698.0 W, 1380 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.114, 2, 61, 640.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.121, 3, 61, 640.0 W, 1980 MHz, 100 %, 0x0000000000000000
'''
[[test]]
# It works and the others wait: its clock is lower because it draws power.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 60, 180.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.107, 1, 66, 650.0 W, 1500 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.114, 2, 61, 182.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.121, 3, 61, 180.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.100, 0, 60, 180.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.107, 1, 66, 650.0 W, 1500 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.114, 2, 61, 182.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.121, 3, 61, 180.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.100, 0, 60, 180.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.107, 1, 66, 650.0 W, 1500 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.114, 2, 61, 182.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.121, 3, 61, 180.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.100, 0, 60, 180.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.107, 1, 66, 650.0 W, 1500 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.114, 2, 61, 182.0 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.121, 3, 61, 180.0 W, 1980 MHz, 100 %, 0x0000000000000000
'''
*/
-- The test: in at least three minutes, and in 80 % of the busy ones since the first, below 0.9 of the median clock of three or more busy siblings (0.85 where the file shows no reasons),
-- without a reason, and with no more power than they draw: a GPU that works while others wait runs slower because of its power.
WITH low AS (
  SELECT *, sm_mhz < CASE WHEN capped IS NULL THEN 0.85 ELSE 0.9 END * sibling_mhz AND coalesce(hot, 0) < 0.2 AND coalesce(braked, 0) < 0.2
            AND coalesce(slowed, 0) < 0.2 AND coalesce(capped, 0) < 0.2 AND coalesce(temp_c, 0) < 83
            AND coalesce(power_w <= 1.05 * sibling_power_w, true) AND coalesce(power_w < 0.9 * limit_w, true) AS is_low
  FROM gpu_minutes
  WHERE name IS NOT NULL AND siblings >= 3),
since AS (
  SELECT *, min(minute) FILTER (WHERE is_low) OVER (PARTITION BY attempt, file_id, name) AS first_minute FROM low),
gpu AS (
  SELECT attempt, host, name, who, ranks, min(began) FILTER (WHERE is_low) AS began, max(ended) FILTER (WHERE is_low) AS ended,
         median(sm_mhz) FILTER (WHERE is_low) AS sm_mhz, median(sibling_mhz) FILTER (WHERE is_low) AS sibling_mhz, count(*) FILTER (WHERE is_low) AS minutes_low,
         list({'file_id': file_id, 'line': telling_line, 'part': part} ORDER BY file_id, telling_line, part) FILTER (WHERE is_low) AS evidence
  FROM since
  WHERE minute >= first_minute
  GROUP BY attempt, host, name, who, ranks
  HAVING count(*) FILTER (WHERE is_low) >= 3 AND count(*) FILTER (WHERE is_low) >= 0.8 * count(*)),
place AS (
  SELECT attempt, host, list(DISTINCT name ORDER BY name) AS gpus, list(DISTINCT who ORDER BY who) AS whos, flatten(list(ranks ORDER BY name)) AS ranks,
         min(began) AS began, max(ended) AS ended, min(sm_mhz) AS sm_mhz, max(sibling_mhz) AS sibling_mhz, flatten(list(evidence ORDER BY name)) AS evidence
  FROM gpu
  GROUP BY attempt, host, CASE WHEN host IS NULL THEN name END)
SELECT g.attempt, CASE WHEN g.host IS NOT NULL THEN [g.host] ELSE [] END AS hosts, g.ranks, g.gpus, g.began, g.ended, g.evidence,
       'GPU ' || array_to_string(g.whos[:3], ', ') || CASE WHEN len(g.whos) > 3 THEN printf(' and %d more', len(g.whos) - 3) ELSE '' END
       || printf(' ran at %d MHz where busy siblings ran at %d, without a stated reason', CAST(g.sm_mhz AS INTEGER), CAST(g.sibling_mhz AS INTEGER))
       || coalesce(s.effect, '') AS summary
FROM place g
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM g.attempt
