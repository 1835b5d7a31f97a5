/*
title    = "/dev/shm is too small"
kind     = "config.shm"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "crash.*", "net.socket_error", "desync.*"]
needs    = ["nccl", "python"]
explanation = """
A shared-memory segment could not be made because /dev/shm is full. It is a property of the container, so all its processes are at risk; the one that
failed is just the last to ask. The socket errors of its neighbours follow in the same second.
"""
advice = """
Give the container more shared memory (`--shm-size=16g`, `--ipc=host`, or an emptyDir with medium Memory in Kubernetes) and remove leftovers (`ls -la /dev/shm`).
"""
false_positives = "None known: the line says that no space is left."
references = ["NCCL source: misc/shmutils.cc"]
[[test]]
fires = 1
expect = { hosts = ["pod-1"] }
logs."nccl.log" = "pod-1:11:21 [0] misc/shmutils.cc:88 NCCL WARN Error: failed to extend /dev/shm/nccl-qR3tZb to 9637892 bytes, error: No space left on device (28)"
[[test]]
fires = 1
logs."nccl.log" = '''
pod-1:11:21 [0] misc/shmutils.cc:88 NCCL WARN Error: failed to extend /dev/shm/nccl-qR3tZb to 9637892 bytes, error: No space left on device (28)
pod-1:12:21 [1] misc/shmutils.cc:88 NCCL WARN Error: failed to extend /dev/shm/nccl-qR3tZc to 9637892 bytes, error: No space left on device (28)
'''
[[test]]
fires = 1                       # up to 2.22 without a reason
expect = { hosts = ["node1"], confidence = "likely" }
logs."a.log" = '''
node1:11:14 [2] misc/shmutils.cc:62 NCCL WARN Error: failed to extend /dev/shm/nccl-qR3tZb to 9637892 bytes
'''
[[test]]
fires = 0                       # another container's /dev/shm: not space
logs."nccl.log" = "pod-1:11:21 [0] misc/shmutils.cc:132 NCCL WARN Error while attaching to shared memory segment /dev/shm/nccl-qR3tZb (size 9637888), error: No such file or directory (2)"
[[test]]
fires = 0
logs."nccl.log" = "pod-1:11:21 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct"
[[test]]
fires = 1                       # up to 2.22, as the exception repeats it
expect = { confidence = "likely" }
logs."train.log" = '''
[rank1]: ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.
[rank1]: Last error:
[rank1]: Error while creating shared memory segment /dev/shm/nccl-9pHs2W (size 9637888)
'''
*/
WITH said AS (
  SELECT attempt, rank, host, ts, path, error IS NOT NULL OR errno IS NOT NULL AS told, file_id, line, part FROM nccl_shm_failed
  -- up to 2.22 no reason is printed; a segment of one's own that cannot be made or grow has hardly another one
  WHERE errno = '28' OR error LIKE 'No space left%' OR (errno IS NULL AND error IS NULL AND action IN ('extend', 'creating'))
  UNION ALL
  SELECT attempt, rank, host, ts, '/dev/shm', true, file_id, line, part FROM nccl_syscall_failed WHERE call LIKE '%fallocate%' AND error LIKE 'No space left%'),
full_ AS (       -- an exception repeats it without a host
  SELECT s.* REPLACE (coalesce(s.host, r.host) AS host)
  FROM   said s
  LEFT JOIN ranks r ON r.attempt IS NOT DISTINCT FROM s.attempt AND r.rank = s.rank
  QUALIFY coalesce(s.host, r.host) IS NOT NULL OR NOT bool_or(coalesce(s.host, r.host) IS NOT NULL) OVER (PARTITION BY s.attempt))
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, CASE WHEN bool_or(told) THEN 'certain' ELSE 'likely' END AS confidence,
       [coalesce(host || ':', '') || '/dev/shm'] AS devices, min(ts) AS began,
       'Shared memory (/dev/shm)' || coalesce(' on ' || host, '') || ' is full: NCCL could not make a segment' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   full_
GROUP  BY attempt, host
