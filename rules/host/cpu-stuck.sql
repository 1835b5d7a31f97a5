/*
title    = "A CPU of a host was stuck"
kind     = "host.soft_lockup"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "desync.rank_behind", "perf.straggler", "launcher.*", "net.socket_error", "data.stall"]
needs    = ["kernel_host"]
explanation = """
The kernel found a CPU that ran one piece of code for tens of seconds without letting anything else run. A rank or a NCCL proxy thread on it makes no progress, and
everybody waits. The code that it was stuck in (RIP, call trace) is often a driver that waits for dead hardware: then that hardware is the cause.
"""
advice = """
Read the call trace behind the line in the kernel log of this host, and what stands before it (Xid, mlx5 health, AER, NVMe timeouts).
If nothing does, check steal time and over-commitment of a virtual machine, CPU throttling, and the kernel version; drain the host if it repeats.
"""
false_positives = "Lockups outside the time of the job, and those that the steps do not show, are information or silent."
references = ["Linux kernel/watchdog.c"]
[[test]]
fires = 1
expect = { hosts = ["node1"], confidence = "likely", severity = "high" }
logs."node1.syslog" = '''
2024-05-01T12:01:02.000000+00:00 node1 kernel: [ 9062.456789] watchdog: BUG: soft lockup - CPU#18 stuck for 27s! [python3:2254956]
2024-05-01T12:01:30.000000+00:00 node1 kernel: [ 9090.456789] watchdog: BUG: soft lockup - CPU#18 stuck for 53s! [python3:2254956]
'''
logs."train.log" = '''
[2024-05-01 12:00:06] step 1 loss 2.401
[2024-05-01 12:00:12] step 2 loss 2.402
[2024-05-01 12:00:18] step 3 loss 2.403
[2024-05-01 12:00:24] step 4 loss 2.404
[2024-05-01 12:00:30] step 5 loss 2.405
[2024-05-01 12:00:36] step 6 loss 2.406
[2024-05-01 12:01:42] step 7 loss 2.407
[2024-05-01 12:01:48] step 8 loss 2.408
[2024-05-01 12:01:54] step 9 loss 2.409
[2024-05-01 12:02:00] step 10 loss 2.410
[2024-05-01 12:02:06] step 11 loss 2.411
[2024-05-01 12:02:12] step 12 loss 2.412
[2024-05-01 12:02:18] step 13 loss 2.413
[2024-05-01 12:02:24] step 14 loss 2.414
[2024-05-01 12:02:30] step 15 loss 2.415
[2024-05-01 12:02:36] step 16 loss 2.416
[2024-05-01 12:02:42] step 17 loss 2.417
[2024-05-01 12:02:48] step 18 loss 2.418
[2024-05-01 12:02:54] step 19 loss 2.419
[2024-05-01 12:03:00] step 20 loss 2.420
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], confidence = "possible" }
logs."node1.syslog" = '''
2024-05-01T12:01:02.000000+00:00 node1 kernel: [ 9062.456789] watchdog: BUG: soft lockup - CPU#18 stuck for 23s! [python3:2254956]
'''
[[test]]
# The steps do not show it.
fires = 1
expect = { severity = "info" }
logs."node1.syslog" = '''
2024-05-01T12:01:02.000000+00:00 node1 kernel: [ 9062.456789] watchdog: BUG: soft lockup - CPU#18 stuck for 23s! [python3:2254956]
'''
logs."train.log" = '''
[2024-05-01 12:00:06] step 1 loss 2.401
[2024-05-01 12:00:12] step 2 loss 2.402
[2024-05-01 12:00:18] step 3 loss 2.403
[2024-05-01 12:00:24] step 4 loss 2.404
[2024-05-01 12:00:30] step 5 loss 2.405
[2024-05-01 12:00:36] step 6 loss 2.406
[2024-05-01 12:00:42] step 7 loss 2.407
[2024-05-01 12:00:48] step 8 loss 2.408
[2024-05-01 12:00:54] step 9 loss 2.409
[2024-05-01 12:01:00] step 10 loss 2.410
[2024-05-01 12:01:06] step 11 loss 2.411
[2024-05-01 12:01:12] step 12 loss 2.412
[2024-05-01 12:01:18] step 13 loss 2.413
[2024-05-01 12:01:24] step 14 loss 2.414
[2024-05-01 12:01:30] step 15 loss 2.415
[2024-05-01 12:01:36] step 16 loss 2.416
[2024-05-01 12:01:42] step 17 loss 2.417
[2024-05-01 12:01:48] step 18 loss 2.418
[2024-05-01 12:01:54] step 19 loss 2.419
[2024-05-01 12:02:00] step 20 loss 2.420
'''
[[test]]
# Long after the job.
fires = 0
logs."node1.syslog" = '''
2024-05-01T12:31:02.000000+00:00 node1 kernel: [ 10862.456789] watchdog: BUG: soft lockup - CPU#18 stuck for 23s! [python3:2254956]
'''
logs."train.log" = '''
[2024-05-01 12:00:06] step 1 loss 2.401
[2024-05-01 12:00:12] step 2 loss 2.402
[2024-05-01 12:00:18] step 3 loss 2.403
[2024-05-01 12:00:24] step 4 loss 2.404
[2024-05-01 12:00:30] step 5 loss 2.405
[2024-05-01 12:00:36] step 6 loss 2.406
[2024-05-01 12:00:42] step 7 loss 2.407
[2024-05-01 12:00:48] step 8 loss 2.408
[2024-05-01 12:00:54] step 9 loss 2.409
[2024-05-01 12:01:00] step 10 loss 2.410
[2024-05-01 12:01:06] step 11 loss 2.411
[2024-05-01 12:01:12] step 12 loss 2.412
[2024-05-01 12:01:18] step 13 loss 2.413
[2024-05-01 12:01:24] step 14 loss 2.414
[2024-05-01 12:01:30] step 15 loss 2.415
[2024-05-01 12:01:36] step 16 loss 2.416
[2024-05-01 12:01:42] step 17 loss 2.417
[2024-05-01 12:01:48] step 18 loss 2.418
[2024-05-01 12:01:54] step 19 loss 2.419
[2024-05-01 12:02:00] step 20 loss 2.420
'''
[[test]]
fires = 0
logs."node1.syslog" = '''
2024-05-01T12:01:02.000000+00:00 node1 kernel: [ 9062.456789] workqueue: nv_queue hogged CPU for >10000us 5 times, consider switching to WQ_UNBOUND
'''
*/
-- The test: the lockup began (line minus its seconds) in the time of the job; a step that took ten seconds and twice the usual longer overlaps it, or a wait of
-- ranks began within two minutes of it.
WITH stuck AS (
  SELECT attempt, host, ts - to_seconds(coalesce(secs, 10)) AS began, ts, secs, process, process_pid, rip, file_id, line, part FROM kernel_soft_lockup
  UNION ALL
  SELECT attempt, host, ts - INTERVAL 10 SECOND, ts, NULL, NULL, NULL, NULL, file_id, line, part FROM kernel_hard_lockup),
relevant AS (
  SELECT s.*
  FROM stuck s
  LEFT JOIN job_window w ON w.attempt IS NOT DISTINCT FROM s.attempt AND s.ts BETWEEN w.from_ts AND w.to_ts
  WHERE w.attempt IS NOT NULL OR s.ts IS NULL OR NOT EXISTS (SELECT 1 FROM job_window)),
place AS (
  SELECT r.attempt, r.host, min(r.began) AS began, max(r.ts) AS ended, max(r.secs) AS secs, min(r.process) AS process, min(r.rip) AS rip,
         coalesce(list(DISTINCT k.rank ORDER BY k.rank) FILTER (WHERE k.rank IS NOT NULL), []) AS ranks,
         list({'file_id': r.file_id, 'line': r.line, 'part': r.part} ORDER BY r.file_id, r.line, r.part) AS evidence
  FROM relevant r
  LEFT JOIN ranks k ON k.attempt IS NOT DISTINCT FROM r.attempt AND k.host = r.host AND k.pid = r.process_pid
  GROUP BY r.attempt, r.host),
effect AS (
  SELECT p.*,
         (SELECT max(l.excess_ms) FROM long_steps l WHERE l.attempt IS NOT DISTINCT FROM p.attempt AND l.ended >= p.began AND l.began <= p.ended + INTERVAL 60 SECOND) AS lost_ms,
         EXISTS (SELECT 1 FROM waits w WHERE w.attempt IS NOT DISTINCT FROM p.attempt
                                         AND w.began BETWEEN p.began - INTERVAL 120 SECOND AND p.ended + INTERVAL 120 SECOND) AS waited,
         EXISTS (SELECT 1 FROM step_pace s WHERE s.attempt IS NOT DISTINCT FROM p.attempt) AS has_steps,
         EXISTS (SELECT 1 FROM waits w WHERE w.attempt IS NOT DISTINCT FROM p.attempt) AS has_waits
  FROM place p)
SELECT attempt, [host] AS hosts, ranks, began, ended, evidence,
       CASE WHEN lost_ms > 0 OR waited THEN 'likely' ELSE 'possible' END AS confidence,
       CASE WHEN lost_ms > 0 OR waited THEN 'high' WHEN has_steps OR has_waits THEN 'info' ELSE 'medium' END AS severity,
       CASE WHEN lost_ms > 0 OR waited OR NOT (has_steps OR has_waits) THEN 'cause' ELSE 'context' END AS role,
       CASE WHEN host IS NOT NULL THEN host || ': a' ELSE 'A' END || ' CPU was stuck' || CASE WHEN secs > 0 THEN printf(' for %d s', secs) ELSE '' END
       || coalesce(' in ' || rip, ' in ' || process, '') || CASE WHEN began IS NOT NULL THEN strftime(began, ' from %H:%M:%S') ELSE '' END
       || CASE WHEN lost_ms > 0 THEN printf(', and a step took %d s longer', CAST(lost_ms / 1000 AS INTEGER)) WHEN waited THEN ', and the other ranks began to wait' ELSE '' END AS summary
FROM effect
