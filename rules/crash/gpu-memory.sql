/*
title    = "GPU memory ran out"
kind     = "crash.oom_gpu"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "crash.cuda_error", "net.socket_error", "desync.rank_behind"]
needs    = ["python", "torch"]
explanation = """
The allocator could not find the memory it was asked for on the GPU of this rank. Much that is reserved but unallocated means fragmentation;
another process with much memory means leftovers or several ranks on one GPU; all ranks alike mean batch or model.
"""
advice = """
Read the sizes in the line: lower the batch or sequence length if memory is simply gone; try PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True if much is reserved but unallocated; look with `nvidia-smi` for other processes on that GPU.
"""
false_positives = "Programs that catch the error and retry with a smaller batch."
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
fires = 0
logs."train.log" = '''
RuntimeError: [enforce fail at alloc_cpu.cpp:118] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 4398046511104 bytes. Error code 12 (Cannot allocate memory)
'''
[[test]]
fires = 0
logs."train.log" = "INFO:root:max memory allocated 70 GiB"
*/
WITH member AS (SELECT attempt, count(*) AS n FROM ranks GROUP BY attempt),
alike AS (
  SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, count(DISTINCT rank) AS several,
         list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began, min(tried) AS tried, min(free) AS free,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   cuda_oom
  GROUP  BY attempt)
SELECT a.attempt, CASE WHEN several > 1 AND several * 2 > coalesce(n, 0) THEN [] ELSE coalesce(ranks, []) END AS ranks,
       CASE WHEN len(ranks) = 1 AND len(hosts) = 1 THEN hosts ELSE [] END AS hosts, began, evidence,
       CASE WHEN several > 1 AND several * 2 > coalesce(n, 0) THEN printf('GPU memory ran out on %d ranks alike', several)
            WHEN len(ranks) > 0 THEN printf('GPU memory ran out on rank%s %s', CASE WHEN len(ranks) > 1 THEN 's' ELSE '' END, list_aggregate(ranks, 'string_agg', ', '))
            ELSE 'GPU memory ran out in one process' END
         || coalesce(' (asked for ' || tried || coalesce(', ' || free || ' free', '') || ')', '') AS summary
FROM   alike a LEFT JOIN member m ON m.attempt IS NOT DISTINCT FROM a.attempt
