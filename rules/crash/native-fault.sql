/*
title    = "A process crashed in native code"
kind     = "crash.signal"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "net.socket_error", "desync.rank_behind"]
needs    = ["python", "torch_elastic"]
explanation = """
Python's fault handler, or the launcher's exit code, says that the process met a segmentation fault, a bus error, an illegal instruction or a floating-point
fault: its own crash, in a library below the program. The newest Python frame shows from where it was called.
"""
advice = """
Read `dmesg -T` of the host for the library of the fault; run once under `gdb -batch -ex run -ex bt --args python ...` or with a core file; a fixed place points at a mix of driver and libraries, changing places at memory or hardware.
"""
false_positives = "A crash in destructors after an abort; after a peer fault of the same process it stays silent."
references = ["CPython: faulthandler"]
[[test]]
fires = 1
logs."train.log" = '''
Fatal Python error: Segmentation fault

Current thread 0x00007f1c2b7fe740 (most recent call first):
  File "/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 3938 in barrier
  File "/app/train.py", line 12 in main
'''
[[test]]
fires = 1
logs."train.log" = "E1130 11:57:33.057000 7801 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: -11) local_rank: 2 (pid: 7837) of binary: /usr/bin/python3"
[[test]]
fires = 1
logs."train.log" = '''
double free or corruption (!prev)
Aborted (core dumped)
'''
[[test]]
fires = 0                       # an abort is how the watchdog ends a waiting rank
logs."train.log" = "E1130 11:57:33.057000 7801 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: -6) local_rank: 2 (pid: 7837) of binary: /usr/bin/python3"
[[test]]
fires = 0
logs."train.log" = "Fatal Python error: Aborted"
*/
WITH fault AS (
  SELECT attempt, rank, host, ts, lower(error) AS what, func, file_id, line, part
  FROM   python_fatal
  WHERE  regexp_matches(error, 'Segmentation fault|Bus error|Illegal instruction|Floating')
  UNION ALL
  SELECT attempt, NULL, host, ts, CASE exitcode WHEN -11 THEN 'segmentation fault' WHEN -7 THEN 'bus error' WHEN -4 THEN 'illegal instruction' ELSE 'floating-point fault' END,
         NULL, file_id, line, part
  FROM   elastic_worker_failed
  WHERE  exitcode IN (-11, -7, -4, -8)),
said AS (
  SELECT * FROM fault
  UNION ALL SELECT attempt, rank, host, ts, 'heap corruption (' || what || ')', NULL, file_id, line, part FROM process_heap_corruption
  UNION ALL SELECT attempt, rank, host, ts, 'failed assertion (' || assertion || ')', func, file_id, line, part FROM process_assert),
first_ AS (
  SELECT f.* REPLACE (coalesce(f.rank, e.rank) AS rank) FROM said f
  LEFT JOIN lone_native_exits e ON f.rank IS NULL AND e.attempt IS NOT DISTINCT FROM f.attempt AND e.host IS NOT DISTINCT FROM f.host
  WHERE  NOT EXISTS (SELECT 1 FROM peer_faults p WHERE p.file_id = f.file_id AND p.rank IS NOT DISTINCT FROM f.rank AND p.line < f.line))
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       coalesce(printf('Rank %d', min(rank)), 'A process') || coalesce(' on ' || host, '') || ' crashed with a ' || min(what) || coalesce(' inside ' || min(func), '') AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   first_
GROUP  BY attempt, host
