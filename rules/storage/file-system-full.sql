/*
title    = "A file system was full when a process wrote"
kind     = "storage.stall"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["crash.python", "crash.signal", "hang.*", "launcher.*", "net.socket_error", "desync.*"]
needs    = ["traceback"]
explanation = """
A write failed because the disk, the volume or the quota had no room left, mostly in mid-checkpoint. The program is not at fault: torch reports it also as
`PytorchStreamWriter failed writing file` or as a position that does not fit, and other ranks wait for the one that failed.
"""
advice = """
On the host named: `df -h` and `df -i` of the path that was written, `quota -s` or `lfs quota`; remove old checkpoints and the half-written one, which cannot be loaded.
Keep fewer checkpoints, write to a volume with room for two, and alert at 80 %.
"""
false_positives = "Shared memory and /tmp in a container have limits of their own: the path says which it is. A write can also fail for I/O errors, which the kernel's log shows."
references = ["errno 28 ENOSPC, 122 EDQUOT", "torch: caffe2/serialize/inline_container.cc"]
[[test]]
fires = 1
expect = { ranks = [0], hosts = [] }
logs."train.log" = '''
[rank0]: Traceback (most recent call last):
[rank0]:   File "/opt/venv/lib/python3.11/site-packages/torch/serialization.py", line 1114, in _save
[rank0]:     zip_file.write_record(name, storage, num_bytes)
[rank0]: OSError: [Errno 28] No space left on device
[rank0]: 
[rank0]: During handling of the above exception, another exception occurred:
[rank0]: 
[rank0]: Traceback (most recent call last):
[rank0]:   File "/opt/train.py", line 120, in <module>
[rank0]:     torch.save(state, path)
[rank0]: RuntimeError: [enforce fail at inline_container.cc:603] . unexpected pos 5344130048 vs 5344129936
'''
[[test]]
fires = 1                       # the writer alone: the file system refused, and mostly for room
expect = { ranks = [0], confidence = "likely" }
logs."train.log" = '''
[rank0]: RuntimeError: [enforce fail at inline_container.cc:424] . PytorchStreamWriter failed writing file data/312: file write failed
'''
[[test]]
fires = 1
expect = { ranks = [5] }
logs."train.log" = '''
[rank0]: torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([5])
[rank0]: Traceback (most recent call last): (RANK 5)
[rank0]:   File "/opt/venv/lib/python3.11/site-packages/torch/distributed/checkpoint/filesystem.py", line 430, in _write_item
[rank0]:     torch.save(data, stream)
[rank0]: OSError: [Errno 122] Disk quota exceeded
'''
[[test]]
fires = 1
expect = { ranks = [0] }
logs."train.log" = '[rank0]: safetensors_rust.SafetensorError: Error while serializing: IoError(Os { code: 28, kind: StorageFull, message: "No space left on device" })'
[[test]]
fires = 0                       # shared memory, which has rules of its own
logs."train.log" = '''
[rank2]: RuntimeError: unable to write to file </torch_1234_567>: No space left on device (28)
[rank2]: OSError: [Errno 28] No space left on device: '/dev/shm/nccl-qR3tZb'
'''
[[test]]
fires = 0                       # inotify's watches are no space of a disk
logs."train.log" = "OSError: [Errno 28] inotify watch limit reached"
[[test]]
fires = 0                       # a file that cannot be read
logs."train.log" = "[rank0]: RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"
*/
WITH word AS (
  SELECT attempt, coalesce(f.rank, w.rank) AS rank, host, ts, detail, f.file_id, f.line, f.part,
         regexp_matches(detail, 'No space left on device|Disk quota exceeded|StorageFull|\[Errno 122\]') AS says,
         regexp_extract(detail, ': ''(/[^'']+)''$', 1) AS path
  FROM   own_faults f
  LEFT JOIN worker_ranks w ON w.file_id = f.file_id AND w.line = f.line
  WHERE  f.class = 'exception' AND NOT f.after_peer_fault
    AND  regexp_matches(detail, 'No space left on device|Disk quota exceeded|StorageFull|\[Errno 122\]|PytorchStreamWriter failed writing|inline_container\.cc:\d+\] \. (unexpected pos|PytorchStreamWriter)')
    AND  NOT regexp_matches(detail, '/dev/shm|</torch_|inotify')),
process AS (
  SELECT attempt, rank, min(host) AS host, min(ts) AS began, bool_or(says) AS says, min(nullif(path, '')) AS path,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   word
  GROUP  BY attempt, rank)
SELECT attempt, list(rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       CASE WHEN count(DISTINCT host) = 1 AND count(rank) = 1 THEN list(DISTINCT host ORDER BY host) ELSE [] END AS hosts, min(began) AS began,
       CASE WHEN bool_or(says) THEN 'certain' ELSE 'likely' END AS confidence,
       CASE WHEN bool_or(says) THEN 'No room was left' || coalesce(' for ' || min(path), ' on the file system') || ' when ' ELSE 'The file system refused a write of ' END
       || CASE WHEN count(rank) = 1 THEN printf('rank %d', min(rank)) WHEN count(rank) > 1 THEN printf('%d ranks', count(rank)) ELSE 'a process' END
       || CASE WHEN bool_or(says) THEN ' wrote' ELSE ': mostly it is full' END AS summary,
       flatten(list(evidence ORDER BY rank)) AS evidence
FROM   process
GROUP  BY attempt
