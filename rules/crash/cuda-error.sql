/*
title    = "A rank met a CUDA error"
kind     = "crash.cuda_error"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "desync.rank_behind"]
needs    = ["python", "torch"]
explanation = """
A CUDA error is the fault of the process that reports it, though the stack shows only where it was noticed, often inside the NCCL
watchdog. After it every CUDA call of that process fails; peers see closed connections and timeouts.
"""
advice = """
Read `dmesg -T` of the rank's host for an Xid at that time; rerun with CUDA_LAUNCH_BLOCKING=1 (and compute-sanitizer) to find the kernel; try another GPU to tell software from hardware.
"""
false_positives = "`driver shutting down` at the very end of a process."
references = ["CUDA runtime error codes"]
[[test]]
fires = 1
expect = { ranks = [7] }
logs."train.log" = '''
[rank7]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:1414] [PG ID 0 PG GUID 0(default_pg) Rank 7] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered
'''
[[test]]
fires = 1
logs."train.log" = '''
Traceback (most recent call last):
  File "train.py", line 1, in <module>
RuntimeError: CUDA error: device-side assert triggered
'''
[[test]]
fires = 0                       # memory has a rule of its own
logs."train.log" = '''
RuntimeError: CUDA error: out of memory
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank7]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:1414] [PG ID 0 PG GUID 0(default_pg) Rank 7] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5
'''
*/
WITH error_ AS (
  SELECT attempt, rank, host, ts, error, file_id, line, part
  FROM   cuda_error
  WHERE  error NOT IN ('driver shutting down') AND NOT regexp_matches(error, 'out of memory|ECC|ecc'))
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       CASE WHEN rank IS NOT NULL THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts, min(ts) AS began,
       coalesce(printf('Rank %d', rank), 'A process') || ' met a CUDA error: ' || min(error) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   error_
GROUP  BY attempt, rank
