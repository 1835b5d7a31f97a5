/*
title    = "A process could not get host memory"
kind     = "crash.oom_host"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "desync.rank_behind"]
needs    = ["python", "torch"]
explanation = """
An allocation of host memory was refused, so the process raised an error itself: a limit (ulimit -v, cgroup) or a size that no host has.
The kernel's killer leaves no such line.
"""
advice = """
Look at the size asked for in the line; compare `ulimit -a` and the cgroup's memory.max on that host; look for a leak or a gather of the full state on one rank.
"""
false_positives = "Programs that catch the error and go on."
references = ["PyTorch: c10/core/impl/alloc_cpu.cpp"]
[[test]]
fires = 1
expect = { ranks = [1] }
logs."train.log" = '''
[rank1]: RuntimeError: [enforce fail at alloc_cpu.cpp:118] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 4398046511104 bytes. Error code 12 (Cannot allocate memory)
'''
[[test]]
fires = 1
logs."train.log" = '''
OSError: [Errno 12] Cannot allocate memory
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.15 GiB of which 1.20 GiB is free.
'''
[[test]]
fires = 0
logs."train.log" = "INFO:root:pinned memory pool 12 GiB"
*/
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       CASE WHEN rank IS NOT NULL THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts, min(ts) AS began,
       coalesce(printf('Rank %d', rank), 'A process') || ' could not get the host memory it asked for' || coalesce(printf(' (%d bytes)', max(bytes)), '') AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   host_alloc_failed
GROUP  BY attempt, rank
