/*
title    = "The CPUs of a host throttled for heat"
kind     = "perf.straggler_thermal"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "data.stall", "desync.rank_behind"]
needs    = ["kernel_host"]
explanation = """
The kernel of this host lowered the clock of its processors because a package was too hot, and the steps of the job became slower at the same time. Input pipeline, Python and the
threads that drive the network run on these processors, so a hot host holds all others back. Where the steps show nothing it is only worth knowing.
"""
advice = """
Look at fans, filters and inlet temperature of this host (`ipmitool sdr type Temperature`, `ipmitool sdr type Fan`, `ipmitool sel elist`) and at the thermal paste of the package named by `sensors`.
Keep it out of large jobs until `dmesg -T | grep throttled` stays quiet under load.
"""
false_positives = "One core that throttles for a moment at a burst of vector code: single cores are left out, and so are events outside the job."
references = ["Linux: arch/x86 therm_throt"]
[[test]]
fires = 1
expect = { hosts = ["node3"], role = "cause", severity = "medium" }
logs."node3/kern.log" = '''
2026-11-30T03:01:40.000000+00:00 node3 kernel: CPU12: Package temperature is above threshold, cpu clock is throttled (total events = 17)
2026-11-30T03:06:40.000000+00:00 node3 kernel: CPU12: Package temperature is above threshold, cpu clock is throttled (total events = 40912)
'''
logs."train.log" = '''
2026-11-30 03:00:00 iter 1: loss 2.49, time 10000.00ms
2026-11-30 03:00:10 iter 2: loss 2.49, time 10000.00ms
2026-11-30 03:00:20 iter 3: loss 2.49, time 10000.00ms
2026-11-30 03:00:30 iter 4: loss 2.49, time 10000.00ms
2026-11-30 03:00:40 iter 5: loss 2.49, time 10000.00ms
2026-11-30 03:00:50 iter 6: loss 2.49, time 10000.00ms
2026-11-30 03:01:00 iter 7: loss 2.49, time 10000.00ms
2026-11-30 03:01:10 iter 8: loss 2.49, time 10000.00ms
2026-11-30 03:01:20 iter 9: loss 2.49, time 10000.00ms
2026-11-30 03:01:30 iter 10: loss 2.49, time 10000.00ms
2026-11-30 03:01:50 iter 11: loss 2.49, time 20000.00ms
2026-11-30 03:02:10 iter 12: loss 2.49, time 20000.00ms
2026-11-30 03:02:30 iter 13: loss 2.49, time 20000.00ms
2026-11-30 03:02:50 iter 14: loss 2.49, time 20000.00ms
2026-11-30 03:03:10 iter 15: loss 2.49, time 20000.00ms
2026-11-30 03:03:30 iter 16: loss 2.49, time 20000.00ms
2026-11-30 03:03:50 iter 17: loss 2.49, time 20000.00ms
2026-11-30 03:04:10 iter 18: loss 2.49, time 20000.00ms
'''
[[test]]
fires = 1                        # a kernel log alone: what it did is open
expect = { hosts = ["node3"], role = "context", severity = "info" }
logs."node3/kern.log" = '''
2026-11-30T03:01:40.000000+00:00 node3 kernel: CPU12: Package temperature above threshold, cpu clock throttled (total events = 17)
2026-11-30T03:06:40.000000+00:00 node3 kernel: CPU12: Package temperature above threshold, cpu clock throttled (total events = 912)
'''
[[test]]
fires = 1                        # hot for a quarter of an hour without a break
expect = { hosts = ["node3"], role = "cause", severity = "medium", confidence = "possible" }
logs."node3/kern.log" = '''
2026-11-30T03:01:40.000000+00:00 node3 kernel: CPU12: Package temperature is above threshold, cpu clock is throttled (total events = 41017)
2026-11-30T03:06:40.000000+00:00 node3 kernel: CPU12: Package temperature is above threshold, cpu clock is throttled (total events = 52912)
2026-11-30T03:11:45.000000+00:00 node3 kernel: CPU12: Package temperature is above threshold, cpu clock is throttled (total events = 66102)
2026-11-30T03:16:45.000000+00:00 node3 kernel: CPU12: Package temperature is above threshold, cpu clock is throttled (total events = 80102)
'''
[[test]]
fires = 0                        # a core for a moment
logs."node3/kern.log" = '''
2026-11-30T03:01:40.000000+00:00 node3 kernel: CPU12: Core temperature is above threshold, cpu clock is throttled (total events = 1)
2026-11-30T03:01:40.000000+00:00 node3 kernel: CPU12: Core temperature/speed normal
'''
[[test]]
fires = 0                        # the day before
logs."node3/kern.log" = '''
2026-11-29T03:01:40.000000+00:00 node3 kernel: CPU12: Package temperature is above threshold, cpu clock is throttled (total events = 17)
2026-11-29T03:06:40.000000+00:00 node3 kernel: CPU12: Package temperature is above threshold, cpu clock is throttled (total events = 912)
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:40:00] node1:10:20 [0] init.cc:10 NCCL WARN something
'''
*/
-- The kernel prints a line at most every five minutes and counts between: a hundred events in all are more than a burst.
WITH hot AS (
  SELECT h.attempt, t.host, min(h.began) AS began, max(h.began) AS ended, max(t.events) AS events,
         -- ten thousand more over ten minutes and three lines of one CPU are a state, not an event
         bool_and(h.place = 'alone') AND max(h.began) - min(h.began) >= INTERVAL 10 MINUTE AND max(t.events) - min(t.events) >= 10000 AND count(*) >= 3 AS lasting,
         list({'file_id': t.file_id, 'line': t.line, 'part': t.part} ORDER BY t.file_id, t.line, t.part) AS evidence
  FROM   host_cpu_throttled t
  JOIN   host_events h USING (file_id, line, part)
  -- a line long before the end of the job may be what slowed it
  WHERE  t.scope = 'Package' AND t.host IS NOT NULL AND h.place IN ('alone', 'rank', 'during', 'early')
  GROUP  BY h.attempt, t.host
  HAVING max(t.events) >= 100),
span AS (
  SELECT t.host, h.attempt, min(t.ts) AS from_ts, max(t.ts) AS to_ts FROM host_cpu_throttled t JOIN host_events h USING (file_id, line, part) GROUP BY ALL),
judged AS (      -- the pace changed within ten minutes of the first line, two of its intervals
  SELECT p.*, s.slow_steps > 0 AND s.slow_began BETWEEN n.from_ts - INTERVAL 600 SECOND AND n.to_ts + INTERVAL 600 SECOND AS slowed, s.effect
  FROM   hot p
  LEFT JOIN span n ON n.attempt = p.attempt AND n.host = p.host
  LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM p.attempt)
SELECT attempt, [host] AS hosts, began, ended, evidence, CASE WHEN slowed OR lasting THEN 'cause' ELSE 'context' END AS role, CASE WHEN slowed OR lasting THEN 'medium' ELSE 'info' END AS severity,
       CASE WHEN slowed THEN 'likely' WHEN lasting THEN 'possible' ELSE 'likely' END AS confidence,
       printf('%s: its processors throttled for heat, %d times', host, events) || coalesce(strftime(began, ' since %H:%M:%S'), '') || CASE WHEN slowed THEN effect ELSE '' END AS summary
FROM   judged
