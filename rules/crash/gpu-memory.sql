/*
title    = "GPU memory ran out"
kind     = "crash.oom_gpu"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "crash.cuda_error", "net.socket_error", "desync.rank_behind"]
needs    = ["python", "gpu_runtime", "torch", "nccl_system"]
explanation = """
The allocator could not find the memory it was asked for on the GPU of this rank. Much that is reserved but unallocated means fragmentation;
another process with much memory means leftovers or several ranks on one GPU; all ranks alike mean batch or model.
"""
advice = """
Read the sizes in the line: lower the batch or sequence length if memory is simply gone; try PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True if much is reserved but unallocated; look with `nvidia-smi` for other processes on that GPU.
"""
false_positives = "Programs that catch the error and retry with a smaller batch, where no steps show that they go on."
references = ["PyTorch: CUDACachingAllocator"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = '''
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.15 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 77.90 GiB memory in use. Of the allocated memory 70.00 GiB is allocated by PyTorch, and 5.00 GiB is reserved by PyTorch but unallocated.
'''
[[test]]
fires = 1
expect = { ranks = [] }
logs."train.log" = '''
RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 39.59 GiB total capacity; 35.10 GiB already allocated; 1.20 GiB free; 36.00 GiB reserved in total by PyTorch)
'''
[[test]]
fires = 1                       # NCCL's own buffers
expect = { hosts = ["n3"] }
logs."nccl.log" = '''
n3:80:211 [7] include/alloc.h:188 NCCL WARN Cuda failure 'out of memory'
n3:80:211 [7] include/alloc.h:195 NCCL WARN Failed to CUDA calloc async 4194304 bytes
'''
[[test]]
fires = 0                       # an allocation that fails because the GPU has met another error
logs."nccl.log" = '''
n3:80:211 [7] include/alloc.h:188 NCCL WARN Cuda failure 700 'an illegal memory access was encountered'
n3:80:211 [7] include/alloc.h:195 NCCL WARN Failed to CUDA calloc async 4194304 bytes
'''
[[test]]
fires = 0
logs."train.log" = '''
RuntimeError: [enforce fail at alloc_cpu.cpp:118] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 4398046511104 bytes. Error code 12 (Cannot allocate memory)
'''
[[test]]
fires = 0                       # the batch is left out, and work goes on
logs."train.log" = '''
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 39.59 GiB total capacity; 35.10 GiB already allocated; 1.20 GiB free; 36.00 GiB reserved in total by PyTorch)
WARNING: skipping a batch
iter 20: loss 2.3356, time 123.45ms, mfu 3.21%
iter 30: loss 2.3256, time 123.45ms, mfu 3.21%
iter 40: loss 2.3156, time 123.45ms, mfu 3.21%
'''
[[test]]
fires = 1                       # a script started it again
logs."train.log" = '''
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
iter 20: loss 2.3456, time 123.45ms, mfu 3.21%
RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 39.59 GiB total capacity; 35.10 GiB already allocated; 1.20 GiB free; 36.00 GiB reserved in total by PyTorch)
iter 10: loss 2.3356, time 123.45ms, mfu 3.21%
iter 20: loss 2.3256, time 123.45ms, mfu 3.21%
iter 30: loss 2.3156, time 123.45ms, mfu 3.21%
'''
[[test]]
fires = 0
logs."train.log" = "INFO:root:max memory allocated 70 GiB"
[[test]]
fires = 1                        # a worker of an inference server; its engine repeats the text
expect = { ranks = [2] }
logs."vllm.err" = '''
(VllmWorker rank=2 pid=91817) ERROR 06-18 17:40:12 [multiproc_executor.py:522] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.14 GiB. GPU 2 has a total capacity of 79.10 GiB of which 1.02 GiB is free.
(EngineCore_0 pid=91640) ERROR 06-18 17:40:13 [core.py:586] RuntimeError: Worker failed with error 'CUDA out of memory. Tried to allocate 3.14 GiB. GPU 2 has a total capacity of 79.10 GiB of which 1.02 GiB is free.', please check the stack trace above for the root cause
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
  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.14 GiB. GPU 3 has a total capacity of 79.10 GiB of which 1.02 GiB is free.
'''
*/
WITH word AS (   -- a line that names no rank: the entry of torchrun's table that it stands in, or the label of an inference server's worker
  SELECT o.attempt, coalesce(o.rank, t.rank, w.rank) AS rank, coalesce(o.host, t.host) AS host, o.tried, o.free, false AS by_nccl, o.ts, o.file_id, o.line, o.part
  FROM   cuda_oom o
  LEFT JOIN tabled_exceptions t ON t.file_id = o.file_id AND o.line BETWEEN t.first_line AND t.last_line
  LEFT JOIN worker_ranks w ON w.file_id = o.file_id AND w.line = o.line
  WHERE  NOT EXISTS (SELECT 1 FROM outlived c WHERE c.file_id = o.file_id AND c.line = o.line)
  UNION ALL      -- buffers of NCCL itself: it says so when the program has left no room
  SELECT attempt, rank, host, NULL, NULL, true, ts, file_id, line, part FROM nccl_cuda_failure WHERE error LIKE '%out of memory%'
  UNION ALL
  SELECT m.attempt, m.rank, m.host, m.bytes || ' bytes', NULL, true, m.ts, m.file_id, m.line, m.part
  FROM   nccl_memory_failed m
  WHERE  regexp_matches(m.call, '^(CUDA|HIP) ') AND NOT contains(m.call, 'host')
  AND    NOT EXISTS (SELECT 1 FROM nccl_cuda_failure c WHERE c.attempt IS NOT DISTINCT FROM m.attempt AND c.error NOT LIKE '%out of memory%')
  AND    NOT EXISTS (SELECT 1 FROM cuda_error c WHERE c.attempt IS NOT DISTINCT FROM m.attempt)),
member AS (SELECT attempt, count(*) AS n FROM ranks GROUP BY attempt),
alike AS (
  SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, count(DISTINCT rank) AS several,
         list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began, min(tried) AS tried, min(free) AS free, bool_and(by_nccl) AS by_nccl,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   word
  GROUP  BY attempt)
SELECT a.attempt, CASE WHEN several > 1 AND several * 2 > coalesce(n, 0) THEN [] ELSE coalesce(ranks, []) END AS ranks,
       CASE WHEN (len(ranks) = 1 OR by_nccl AND several = 0) AND len(hosts) = 1 THEN hosts ELSE [] END AS hosts, began, evidence,
       CASE WHEN several > 1 AND several * 2 > coalesce(n, 0) THEN printf('GPU memory ran out on %d ranks alike', several)
            WHEN len(ranks) > 0 THEN printf('GPU memory ran out on rank%s %s', CASE WHEN len(ranks) > 1 THEN 's' ELSE '' END, list_aggregate(ranks, 'string_agg', ', '))
            WHEN by_nccl AND len(hosts) = 1 THEN printf('GPU memory ran out on %s', hosts[1])
            ELSE 'GPU memory ran out in one process' END || CASE WHEN by_nccl THEN ' when NCCL asked for its buffers' ELSE '' END
         || coalesce(' (asked for ' || tried || coalesce(', ' || free || ' free', '') || ')', '') AS summary
FROM   alike a LEFT JOIN member m ON m.attempt IS NOT DISTINCT FROM a.attempt
