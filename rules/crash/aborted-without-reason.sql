/*
title    = "A process aborted, and nothing says why"
kind     = "crash.signal"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["python", "launchers"]
explanation = """
The process ended itself with SIGABRT: a C++ exception that nobody caught, a failed check of a library, or a thread that was still running when its object was destroyed. What it printed before is not in these lines.
"""
advice = """
Read what stands before this line in the process's own output; run once under `gdb -batch -ex run -ex bt --args python ...` or keep the core file (`ulimit -c unlimited`).
"""
false_positives = "Threads that outlive a main program which had finished its work."
references = ["C++: std::terminate", "CPython: faulthandler"]
[[test]]
fires = 1
logs."train.log" = '''
terminate called without an active exception
Fatal Python error: Aborted
'''
[[test]]
fires = 1
logs."train.log" = "Aborted (core dumped)"
[[test]]
fires = 0                       # the watchdog aborts ranks that waited
logs."train.log" = '''
[rank0]:[E903 18:20:37.100000000 ProcessGroupNCCL.cpp:685] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12811, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600030 milliseconds before timing out.
terminate called after throwing an instance of 'c10::DistBackendError'
Fatal Python error: Aborted
'''
[[test]]
fires = 0                       # its own fault is known
logs."train.log" = '''
RuntimeError: CUDA error: device-side assert triggered
terminate called after throwing an instance of 'c10::Error'
Aborted (core dumped)
'''
*/
WITH aborted AS (
  SELECT attempt, rank, host, ts, file_id, line, part FROM python_fatal WHERE error LIKE 'Aborted%'
  UNION ALL SELECT attempt, rank, host, ts, file_id, line, part FROM process_terminate
  UNION ALL SELECT attempt, rank, host, ts, file_id, line, part FROM exits_of_ranks WHERE signal = 6)
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, min(ts) AS began,
       CASE WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d', min(rank)) WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks', count(DISTINCT rank)) ELSE 'A process' END
         || ' aborted; these lines do not say why' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   aborted a
WHERE  NOT EXISTS (SELECT 1 FROM peer_faults p WHERE p.attempt IS NOT DISTINCT FROM a.attempt)
AND    NOT EXISTS (SELECT 1 FROM own_faults f WHERE f.attempt IS NOT DISTINCT FROM a.attempt AND f.name NOT LIKE 'Aborted%')
AND    NOT EXISTS (SELECT 1 FROM train_done d WHERE d.attempt IS NOT DISTINCT FROM a.attempt)
GROUP  BY attempt
