/*
title    = "A rank met a CUDA error"
kind     = "crash.cuda_error"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "desync.rank_behind"]
needs    = ["python", "gpu_runtime", "torch", "nccl_system", "nccl_tests"]
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
fires = 1                       # nccl-tests
expect = { hosts = ["r07"] }
logs."allreduce.out" = "r07: Test CUDA failure common.cu:1006 'CUDA-capable device(s) is/are busy or unavailable'"
[[test]]
fires = 1
logs."train.log" = '''
Traceback (most recent call last):
  File "train.py", line 1, in <module>
RuntimeError: CUDA error: device-side assert triggered
'''
[[test]]
fires = 1                       # NCCL met it
expect = { hosts = ["n3"], confidence = "likely" }
logs."nccl.log" = '''
n3:80:211 [7] NCCL INFO comm 0x55d1 rank 7 nranks 8 cudaDev 7 busId c1000 - Init COMPLETE
n3:80:211 [7] enqueue.cc:1402 NCCL WARN Cuda failure 719 'unspecified launch failure'
'''
[[test]]
fires = 1                       # the class of the error alone
expect = { ranks = [6], confidence = "possible" }
logs."train.log" = '''
[rank6]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5
'''
[[test]]
fires = 0                       # a library's handle could not be had: memory is gone, and the allocator says so
logs."train.log" = '''
[rank6]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 6 has a total capacity of 79.15 GiB of which 1.20 GiB is free.
[rank6]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5
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
[[test]]
fires = 1                        # in torchrun's table
expect = { ranks = [11], hosts = ["dgx-2"] }
logs."torchrun.err" = '''
Root Cause (first observed failure):
[0]:
  time      : 2025-07-14_22:10:01
  host      : dgx-2
  rank      : 11 (local_rank: 3)
  exitcode  : 1 (pid: 41951)
  error_file: /tmp/torchelastic_k4/none_6g/attempt_0/3/error.json
  traceback : Traceback (most recent call last):
    File "/workspace/sft/train_sft.py", line 288, in main
      loss.backward()
  RuntimeError: CUDA error: an illegal memory access was encountered
  CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
'''
[[test]]
# Only the watchdog numbers its lines; the traceback above is of the same process.
fires = 1
expect = { ranks = [10] }
logs."n2.log" = '''
Traceback (most recent call last):
  File "/workspace/train.py", line 412, in <module>
    main()
RuntimeError: CUDA error: an illegal memory access was encountered
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
[E ProcessGroupNCCL.cpp:916] [Rank 10] NCCL watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered
terminate called after throwing an instance of 'std::runtime_error'
  what():  [Rank 10] NCCL watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered
'''
*/
WITH subgroup AS (  -- the watchdog's number is one in its group: of the job only where there is no smaller group
  SELECT 1 FROM nccl_comm_init WHERE nranks > 1 HAVING count(DISTINCT nranks) > 1),
named AS (
  SELECT c.attempt, coalesce(c.rank, t.rank, w.rank, CASE WHEN c.in_watchdog IS NOT NULL AND c.local_rank IS NULL AND coalesce(c.pg_id, 0) = 0 AND NOT EXISTS (SELECT 1 FROM subgroup)
                                                           THEN TRY_CAST(c.group_rank AS INTEGER) END) AS rank, coalesce(c.host, t.host) AS host, c.ts, c.error, false AS by_nccl, c.file_id, c.line, c.part
  FROM   cuda_error c
  LEFT JOIN tabled_exceptions t ON t.file_id = c.file_id AND c.line BETWEEN t.first_line AND t.last_line
  LEFT JOIN worker_ranks w ON w.file_id = c.file_id AND w.line = c.line
  UNION ALL SELECT attempt, rank, host, ts, library || ' ' || error, false, file_id, line, part FROM cuda_library_error
  UNION ALL SELECT attempt, rank, host, ts, error, true, file_id, line, part FROM nccl_cuda_failure
  -- versions, services of the host and multicast have rules of their own
  WHERE  NOT regexp_matches(error, 'driver|no kernel image|system not yet initialized') AND coalesce("at", '') NOT LIKE '%nvls%'
  UNION ALL SELECT attempt, rank, host, ts, error, true, file_id, line, part FROM bench_nccl_tests_failure
  WHERE  library = 'CUDA' AND NOT regexp_matches(error, 'driver|no kernel image|system not yet initialized|no CUDA-capable device')),
gpu AS (           -- the kernel saw one rank's GPU fault for what its program did
  SELECT attempt, min(ranks[1]) AS rank, min(ts) AS first_ts, max(ts) AS last_ts FROM xids
  WHERE  class = 'app' AND hit AND len(ranks) = 1
  GROUP  BY attempt
  HAVING count(DISTINCT ranks[1]) = 1),
alone AS (         -- the traceback above the watchdog's word is of the same rank, if only one has such an error
  SELECT attempt, file_id, error, min(rank) AS rank, min(line) AS line FROM named WHERE rank IS NOT NULL
  GROUP  BY ALL HAVING count(DISTINCT rank) = 1),
error_ AS (
  SELECT n.* REPLACE (coalesce(n.rank, a.rank, g.rank) AS rank), 'likely' AS confidence FROM named n
  LEFT JOIN alone a ON n.rank IS NULL AND a.attempt IS NOT DISTINCT FROM n.attempt AND a.file_id = n.file_id AND a.error = n.error
       AND n.line + 12 >= a.line AND n.line <= a.line + 12
  LEFT JOIN gpu g ON n.rank IS NULL AND g.attempt IS NOT DISTINCT FROM n.attempt AND regexp_matches(n.error, 'illegal|misaligned|launch failure|assert')
       AND (n.ts IS NULL OR n.ts BETWEEN g.first_ts - INTERVAL 60 SECOND AND g.last_ts + INTERVAL 60 SECOND)
  WHERE NOT regexp_matches(n.error, 'driver shutting down|out of memory|ECC|ecc')
  UNION ALL      -- only the class is known, and which call it was is not
  SELECT e.attempt, e.rank, e.host, e.ts, 'NCCL reports an unhandled one', true, e.file_id, e.line, e.part, 'possible'
  FROM   (SELECT attempt, rank, host, ts, nccl_error, file_id, line, part FROM torch_nccl_error
          UNION ALL SELECT attempt, rank, host, ts, nccl_error, file_id, line, part FROM torch_watchdog_async_error) e
  WHERE  lower(e.nccl_error) LIKE 'unhandled cuda error%'
  AND    NOT EXISTS (SELECT 1 FROM named n WHERE n.attempt IS NOT DISTINCT FROM e.attempt)
  AND    NOT EXISTS (SELECT 1 FROM cuda_oom o WHERE o.attempt IS NOT DISTINCT FROM e.attempt)
  AND    NOT EXISTS (SELECT 1 FROM nccl_cuda_failure c WHERE c.attempt IS NOT DISTINCT FROM e.attempt)
  AND    NOT EXISTS (SELECT 1 FROM nccl_memory_failed m WHERE m.attempt IS NOT DISTINCT FROM e.attempt))
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       CASE WHEN rank IS NOT NULL OR bool_and(by_nccl) THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts, min(ts) AS began,
       min(confidence) AS confidence,
       coalesce(printf('Rank %d', rank), 'A process') || CASE WHEN rank IS NULL AND bool_and(by_nccl) AND count(DISTINCT host) = 1 THEN ' on ' || min(host) ELSE '' END || ' met a CUDA error: ' || min(error) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   error_
GROUP  BY attempt, rank
