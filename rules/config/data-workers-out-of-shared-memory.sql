/*
title    = "Data workers ran out of shared memory"
kind     = "config.shm"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "desync.*", "data.stall"]
needs    = ["python"]
explanation = """
Data workers hand their batches over through /dev/shm. When it is full a write fails with "no space left", or the worker dies of a bus error at the first touch of a
page that cannot be had. Containers get 64 MiB unless told otherwise; every process in them shares it.
"""
advice = """
Give the container more shared memory (`--shm-size=32g`, `--ipc=host`, an emptyDir of medium Memory at /dev/shm); check `df -h /dev/shm` on the host, remove left-overs of earlier jobs, or use fewer workers.
"""
false_positives = "A bus error from a memory-mapped file that was cut short on a network file system."
references = ["PyTorch: multiprocessing, file_system and file_descriptor sharing"]
[[test]]
fires = 1
expect = { ranks = [2], confidence = "certain" }
logs."train.log" = '''
[rank2]: RuntimeError: unable to write to file </torch_1234_567>: No space left on device (28)
'''
[[test]]
fires = 1
expect = { confidence = "likely" }
logs."train.log" = '''
ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).
'''
[[test]]
fires = 1
expect = { ranks = [1], confidence = "likely" }
logs."train.log" = "[rank1]: RuntimeError: DataLoader worker (pid 44821) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit."
[[test]]
fires = 0                       # open files ran out, not memory
logs."train.log" = '''
RuntimeError: unable to open shared memory object </torch_8812_1200> in read-write mode
OSError: [Errno 24] Too many open files
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank2]: RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed.
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank2]: OSError: [Errno 28] No space left on device: '/data/shard-00017.tar'
'''
*/
WITH short AS (
  SELECT attempt, host, rank, reason, ts, file_id, line, part FROM host_shm_failed
  UNION ALL      -- a worker that touches a page of /dev/shm that is not to be had; the process that tells ends with a code of its own
  SELECT w.attempt, w.host, coalesce(w.rank, e.rank), w.signal, w.ts, w.file_id, w.line, w.part FROM dataloader_worker_died w
  LEFT JOIN lone_exits e ON w.rank IS NULL AND e.attempt IS NOT DISTINCT FROM w.attempt AND e.host IS NOT DISTINCT FROM w.host
  WHERE w.signal LIKE 'Bus error%')
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       CASE WHEN count(DISTINCT host) = 1 AND count(host) = count(*) THEN [min(host) || ':/dev/shm'] ELSE ['/dev/shm'] END AS devices, min(ts) AS began,
       CASE WHEN bool_or(reason LIKE 'No space left%') THEN 'certain' ELSE 'likely' END AS confidence,
       printf('Shared memory (/dev/shm)%s is full: data workers cannot hand over their batches',
              CASE WHEN count(DISTINCT host) BETWEEN 1 AND 3 THEN ' on ' || string_agg(DISTINCT host, ', ' ORDER BY host) WHEN count(DISTINCT rank) = 1 THEN printf(' of rank %d', min(rank)) ELSE '' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   short h
-- segments are files: where their number is what ran out, that is another finding
WHERE  NOT EXISTS (SELECT 1 FROM python_exception e WHERE e.attempt IS NOT DISTINCT FROM h.attempt AND e.text LIKE '%Too many open files%')
GROUP  BY attempt
