/*
title    = "A GPU has a lower power limit than its siblings"
kind     = "perf.straggler_power"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["nvidia_smi"]
explanation = """
At full load every GPU draws what its limit allows. Where somebody set a lower limit on one GPU or one host, that one runs at a lower clock and all wait for it.
A cap that all GPUs share is a configuration, and normal.
"""
advice = """
Set the limit back: `nvidia-smi -i INDEX -pl WATTS` with the value of the siblings (see `nvidia-smi -q -d POWER`), and find out who set it (boot script, BMC, power manager).
"""
false_positives = "Boards of different models in one job have different limits; then their maximum clocks differ too."
references = ["nvidia-smi manual: power.limit, enforced.power.limit"]
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, power.draw [W], power.limit [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.107, 1, 399.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.114, 2, 696.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.100, 0, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.107, 1, 399.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.114, 2, 696.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.100, 0, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.107, 1, 399.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.114, 2, 696.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.100, 0, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.107, 1, 399.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.114, 2, 696.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:0", "node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, power.draw [W], power.limit [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 395.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.107, 1, 395.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.100, 0, 395.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.107, 1, 395.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.100, 0, 395.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.107, 1, 395.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.100, 0, 395.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.107, 1, 395.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
'''
logs."gpu_metrics-node2.csv" = '''
timestamp, index, power.draw [W], power.limit [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.107, 1, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.114, 2, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.100, 0, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.107, 1, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.114, 2, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.100, 0, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.107, 1, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.114, 2, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.100, 0, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.107, 1, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.114, 2, 695.0 W, 700.00 W, 1755 MHz, 100 %, 0x0000000000000004
'''
[[test]]
# All alike.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, power.draw [W], power.limit [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 398.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.107, 1, 399.0 W, 400.00 W, 1230 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.114, 2, 398.0 W, 400.00 W, 1215 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.100, 0, 398.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.107, 1, 399.0 W, 400.00 W, 1230 MHz, 100 %, 0x0000000000000004
2024/05/01 12:01:00.114, 2, 398.0 W, 400.00 W, 1215 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.100, 0, 398.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.107, 1, 399.0 W, 400.00 W, 1230 MHz, 100 %, 0x0000000000000004
2024/05/01 12:02:00.114, 2, 398.0 W, 400.00 W, 1215 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.100, 0, 398.0 W, 400.00 W, 1200 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.107, 1, 399.0 W, 400.00 W, 1230 MHz, 100 %, 0x0000000000000004
2024/05/01 12:03:00.114, 2, 398.0 W, 400.00 W, 1215 MHz, 100 %, 0x0000000000000004
'''
[[test]]
# Lower, but nobody reaches it.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, power.draw [W], power.limit [W], clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.100, 0, 310.0 W, 700.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.107, 1, 305.0 W, 400.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:00:00.114, 2, 311.0 W, 700.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.100, 0, 310.0 W, 700.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.107, 1, 305.0 W, 400.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:01:00.114, 2, 311.0 W, 700.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.100, 0, 310.0 W, 700.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.107, 1, 305.0 W, 400.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:02:00.114, 2, 311.0 W, 700.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.100, 0, 310.0 W, 700.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.107, 1, 305.0 W, 400.00 W, 1980 MHz, 100 %, 0x0000000000000000
2024/05/01 12:03:00.114, 2, 311.0 W, 700.00 W, 1980 MHz, 100 %, 0x0000000000000000
'''
*/
-- The test: the limit is below 0.95 of the median limit of the job's GPUs, the GPU draws at least 0.95 of it in three minutes, and its clock is then below
-- 0.95 of the busy siblings' median.
WITH usual AS (
  SELECT attempt, quantile_disc(limit_w, 0.5) AS limit_w, quantile_disc(max_mhz, 0.5) AS max_mhz FROM gpu_minutes WHERE limit_w > 0 GROUP BY attempt),
gpu AS (
  SELECT m.attempt, m.host, m.name, m.who, m.ranks, min(m.began) AS began, max(m.ended) AS ended, max(m.limit_w) AS limit_w, max(u.limit_w) AS usual_w,
         median(m.sm_mhz) AS sm_mhz, median(m.sibling_mhz) AS sibling_mhz,
         list({'file_id': m.file_id, 'line': m.telling_line, 'part': m.part} ORDER BY m.file_id, m.telling_line, m.part) AS evidence
  FROM gpu_minutes m
  JOIN usual u ON u.attempt IS NOT DISTINCT FROM m.attempt
  WHERE m.name IS NOT NULL AND m.limit_w < 0.95 * u.limit_w AND m.power_w >= 0.95 * m.limit_w AND m.siblings >= 2 AND m.sm_mhz < 0.95 * m.sibling_mhz
    AND coalesce(m.braked, 0) < 0.5 AND coalesce(m.max_mhz = u.max_mhz, true)
  GROUP BY m.attempt, m.host, m.name, m.who, m.ranks
  HAVING count(*) >= 3),
place AS (
  SELECT attempt, host, list(DISTINCT name ORDER BY name) AS gpus, list(DISTINCT who ORDER BY who) AS whos, flatten(list(ranks ORDER BY name)) AS ranks,
         min(began) AS began, max(ended) AS ended, min(limit_w) AS limit_w, max(usual_w) AS usual_w, min(sm_mhz) AS sm_mhz, max(sibling_mhz) AS sibling_mhz,
         flatten(list(evidence ORDER BY name)) AS evidence
  FROM gpu
  GROUP BY attempt, host, CASE WHEN host IS NULL THEN name END)
SELECT g.attempt, [g.host] AS hosts, g.ranks, g.gpus, g.began, g.ended, g.evidence,
       'GPU ' || array_to_string(g.whos[:3], ', ') || CASE WHEN len(g.whos) > 3 THEN printf(' and %d more', len(g.whos) - 3) ELSE '' END
       || printf(' is limited to %d W where the others may draw %d: %d MHz instead of %d', CAST(g.limit_w AS INTEGER), CAST(g.usual_w AS INTEGER),
                 CAST(g.sm_mhz AS INTEGER), CAST(g.sibling_mhz AS INTEGER)) AS summary
FROM place g
