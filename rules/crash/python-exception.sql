/*
title    = "A process ended with an exception of its own"
kind     = "crash.python"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "desync.rank_behind", "desync.uneven_input", "data.stall"]
needs    = ["traceback", "python", "torch"]
explanation = """
The exception is not one of those that a process raises because somebody else failed (timeout, connection closed by peer, aborted
communicator). The earliest such exception in a job is where it began; the same one on every rank has a common reason and no culprit rank.
"""
advice = """
Read the innermost frame of the program in the traceback below; reproduce on one GPU with the same data and configuration.
"""
false_positives = "Exceptions that the program catches and logs while it goes on, where no steps come after them to show it."
references = ["CPython: Lib/traceback.py"]
[[test]]
fires = 1
expect = { ranks = [2], confidence = "certain" }
logs."train.log" = '''
[rank2]: Traceback (most recent call last):
[rank2]:   File "/workspace/train.py", line 157, in main
[rank2]:     x = batch["labels"]
[rank2]: KeyError: 'labels'
[rank0]: Traceback (most recent call last):
[rank0]:   File "/workspace/train.py", line 166, in main
[rank0]:     loss.backward()
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335. This is typically caused by a remote worker crashing.
'''
[[test]]
fires = 1                       # everybody alike: no culprit rank
expect = { ranks = [] }
logs."train.log" = '''
[rank0]: Traceback (most recent call last):
[rank0]:   File "/workspace/train.py", line 12, in main
[rank0]:     cfg = json.load(f)
[rank0]: FileNotFoundError: [Errno 2] No such file or directory: '/data/cfg.json'
[rank1]: Traceback (most recent call last):
[rank1]:   File "/workspace/train.py", line 12, in main
[rank1]:     cfg = json.load(f)
[rank1]: FileNotFoundError: [Errno 2] No such file or directory: '/data/cfg.json'
'''
[[test]]
fires = 1                       # the traceback names no rank, but one rank alone ended with an exit code of its own
expect = { ranks = [3] }
logs."train.log" = '''
Traceback (most recent call last):
  File "/workspace/train.py", line 157, in main
    x = batch["labels"]
KeyError: 'labels'
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2024-01-15_10:11:14
  host      : n1
  rank      : 2 (local_rank: 2)
  exitcode  : -15 (pid: 412)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 412
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2024-01-15_10:11:13
  host      : n1
  rank      : 3 (local_rank: 3)
  exitcode  : 1 (pid: 413)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
'''
[[test]]
fires = 1                       # mpirun tags each line with its rank
expect = { ranks = [2] }
logs."mpi.log" = '''
[1,0]<stdout>:step 10 loss 2.3
[1,2]<stderr>:Traceback (most recent call last):
[1,2]<stderr>:  File "train.py", line 133, in <module>
[1,2]<stderr>:    y = d["y"]
[1,2]<stderr>:KeyError: 'y'
[1,0]<stderr>:RuntimeError: Horovod has been shut down. This was caused by an exception on one of the ranks or an attempt to allreduce, allgather or broadcast a tensor after one of the ranks finished execution.
'''
[[test]]
fires = 0                       # a victim's exception
logs."train.log" = '''
[rank0]: Traceback (most recent call last):
[rank0]:   File "/workspace/train.py", line 166, in main
[rank0]:     loss.backward()
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
'''
[[test]]
fires = 1                       # every rank of a distributed checkpoint prints it, and says whose it is
expect = { ranks = [6] }
logs."train.log" = '''
[rank0]: torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([6])
[rank0]: Traceback (most recent call last): (RANK 6)
[rank0]:   File "/opt/venv/lib/python3.12/site-packages/torch/distributed/checkpoint/filesystem.py", line 838, in read_data
[rank0]:     with self.fs.create_stream(new_path, "rb") as stream:
[rank0]: FileNotFoundError: [Errno 2] No such file or directory: '/ckpt/step-4000/__6_0.distcp'
[rank1]: torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([6])
[rank1]: Traceback (most recent call last): (RANK 6)
[rank1]:   File "/opt/venv/lib/python3.12/site-packages/torch/distributed/checkpoint/filesystem.py", line 838, in read_data
[rank1]:     with self.fs.create_stream(new_path, "rb") as stream:
[rank1]: FileNotFoundError: [Errno 2] No such file or directory: '/ckpt/step-4000/__6_0.distcp'
'''
[[test]]
fires = 1                       # of a part of torch.distributed, and its own
expect = { ranks = [3] }
logs."train.log" = '''
[rank3]: Traceback (most recent call last):
[rank3]:   File "/opt/venv/lib/python3.11/site-packages/torch/distributed/pipelining/_utils.py", line 88, in validate_tensor_metadata
[rank3]:     raise PipeliningShapeError(
[rank3]: torch.distributed.pipelining._utils.PipeliningShapeError: Stage 3 forward inputs: shape mismatch: expected torch.Size([4, 512, 4096]) actual torch.Size([2, 512, 4096])
'''
[[test]]
fires = 0                       # it waited for the others
logs."moe.log" = "RuntimeError: DeepEP error: CPU recv timeout"
[[test]]
fires = 0                       # caught: the same process goes on
logs."train.log" = '''
[rank0]: Traceback (most recent call last):
[rank0]:   File "/workspace/log.py", line 30, in upload
[rank0]:     resp.raise_for_status()
[rank0]: ValueError: bad response
iter 20: loss 2.3456, time 123.45ms, mfu 3.21%
iter 30: loss 2.3256, time 123.45ms, mfu 3.21%
iter 40: loss 2.3156, time 123.45ms, mfu 3.21%
'''
[[test]]
fires = 0                       # caught: the training came to its end
logs."train.log" = '''
Traceback (most recent call last):
  File "/workspace/log.py", line 30, in upload
    resp.raise_for_status()
ValueError: bad response
Training completed.
'''
[[test]]
fires = 1                       # others write a step that they had begun
expect = { ranks = [2] }
logs."train.log" = '''
[rank2]: Traceback (most recent call last):
[rank2]:   File "/workspace/train.py", line 30, in main
[rank2]:     x = batch["labels"]
[rank2]: KeyError: 'labels'
iter 20: loss 2.3456, time 123.45ms, mfu 3.21%
'''
[[test]]
fires = 1                       # steps of before, written when the process ended
expect = { ranks = [] }
logs."train.log" = '''
Traceback (most recent call last):
  File "/workspace/train.py", line 30, in main
    x = batch["labels"]
KeyError: 'labels'
iter 20: loss 2.3456, time 123.45ms, mfu 3.21%
iter 30: loss 2.3256, time 123.45ms, mfu 3.21%
iter 40: loss 2.3156, time 123.45ms, mfu 3.21%
run.sh: line 5:  2217 Killed                  python train.py
'''
[[test]]
fires = 0                       # the launcher's own
logs."train.log" = '''
Traceback (most recent call last):
  File "/usr/bin/torchrun", line 8, in <module>
    sys.exit(main())
torch.distributed.elastic.multiprocessing.api.SignalException: Process 1 got signal: 15
'''
[[test]]
fires = 1                        # only torchrun's table has the traceback
expect = { ranks = [14], hosts = ["dgx-07"] }
logs."torchrun.err" = '''
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: 
============================================================
train_sft.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2025-07-14_22:10:01
  host      : dgx-07.lab.internal
  rank      : 14 (local_rank: 6)
  exitcode  : 1 (pid: 41951)
  error_file: /tmp/torchelastic_k4/none_6g/attempt_0/6/error.json
  traceback : Traceback (most recent call last):
    File "/usr/lib/python3/dist-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper
      return f(*args, **kwargs)
             ^^^^^^^^^^^^^^^^^^
    File "/workspace/sft/train_sft.py", line 288, in main
      raise ValueError("empty shard")
  ValueError: empty shard

============================================================
'''
[[test]]
fires = 1                        # every rank of a distributed checkpoint raises, with the stack of the one that failed
expect = { ranks = [3], hosts = [] }
logs."resume.log" = '''
[rank0]: torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([3])
[rank0]: Traceback (most recent call last): (RANK 3)
[rank0]:   File "/opt/venv/lib/python3.11/site-packages/torch/distributed/checkpoint/utils.py", line 192, in reduce_scatter
[rank0]:     local_data = map_fun()
[rank0]: RuntimeError: Missing key in checkpoint state_dict: optimizer.state.layers.3.weight.exp_avg.
[rank1]: torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([3])
[rank1]: Traceback (most recent call last): (RANK 3)
[rank1]:   File "/opt/venv/lib/python3.11/site-packages/torch/distributed/checkpoint/utils.py", line 192, in reduce_scatter
[rank1]:     local_data = map_fun()
[rank1]: RuntimeError: Missing key in checkpoint state_dict: optimizer.state.layers.3.weight.exp_avg.
'''
[[test]]
fires = 1                        # the same without the stacks
expect = { ranks = [3] }
logs."resume.log" = '''
[rank0]: torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([3])
[rank1]: torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([3])
'''
[[test]]
fires = 1                        # SGLang: the tensor-parallel rank is the job's where there is one such group
expect = { ranks = [2] }
logs."sglang.log" = '''
[2025-11-03 02:10:09 TP0] Init torch distributed begin.
[2025-11-03 02:10:31 TP2] Scheduler hit an exception: Traceback (most recent call last):
  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 2215, in run_scheduler_process
    scheduler = Scheduler(server_args, port_args, gpu_id, tp_rank, dp_rank)
ValueError: weights are broken
'''
[[test]]
fires = 1                        # with several engines each counts from 0
expect = { ranks = [] }
logs."sglang.log" = '''
[2025-11-03 02:10:09 DP0 TP1] Init torch distributed begin.
[2025-11-03 02:10:31 DP1 TP1] Scheduler hit an exception: Traceback (most recent call last):
  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 2215, in run_scheduler_process
    scheduler = Scheduler(server_args, port_args, gpu_id, tp_rank, dp_rank)
ValueError: weights are broken
'''
[[test]]
fires = 1                        # the launcher over ssh says where; no rank is known
expect = { ranks = [], hosts = ["10.0.8.12"] }
logs."ds.log" = '''
10.0.8.11: steps: 1410 loss: 2.0117 iter time (s): 3.411 samples/sec: 75.043
10.0.8.12: Traceback (most recent call last):
10.0.8.12:   File "/nfs/llm/train.py", line 377, in <module>
10.0.8.12:     main()
10.0.8.12: KeyError: 'labels'
'''
[[test]]
fires = 0                        # a table whose entry met a closed connection
logs."torchrun.err" = '''
Root Cause (first observed failure):
[0]:
  time      : 2025-07-14_22:10:01
  host      : dgx-07.lab.internal
  rank      : 14 (local_rank: 6)
  exitcode  : 1 (pid: 41951)
  error_file: /tmp/torchelastic_k4/none_6g/attempt_0/6/error.json
  traceback : Traceback (most recent call last):
    File "/workspace/sft/train_sft.py", line 288, in main
      dist.barrier()
  RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Connection closed by peer [10.2.0.4]:51324
'''
*/
WITH labelled AS (       -- where a launcher that starts processes over ssh (pdsh, DeepSpeed) names the host in front of each line
  SELECT e.file_id, e.line, min(coalesce(a.host, e.fields['label_host'])) AS label FROM events e
  LEFT JOIN host_aliases a ON a.alias = e.fields['label_host']
  WHERE e.kind LIKE 'python.%' AND e.fields['label_host'] IS NOT NULL AND e.fields['mpi_job'] IS NULL AND e.fields['suite'] IS NULL
  GROUP BY ALL),
mine AS (
  SELECT f.* REPLACE (coalesce(f.rank, w.rank, e.rank) AS rank), l.label FROM own_faults f
  LEFT JOIN worker_ranks w ON w.file_id = f.file_id AND w.line = f.line
  LEFT JOIN labelled l ON l.file_id = f.file_id AND l.line = f.line
  LEFT JOIN lone_exits e ON f.rank IS NULL AND e.attempt IS NOT DISTINCT FROM f.attempt AND e.host IS NOT DISTINCT FROM f.host
  WHERE f.class = 'exception' AND NOT f.after_peer_fault),
alike AS (
  SELECT attempt, name, left(coalesce(detail, ''), 60) AS detail_key, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
         list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT label ORDER BY label) FILTER (WHERE label IS NOT NULL) AS labels, count(DISTINCT rank) AS several, min(ts) AS began,
         min(detail) AS detail, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   mine
  GROUP  BY attempt, name, left(coalesce(detail, ''), 60)),
cast_ AS (
  SELECT attempt, max(coalesce(world_size, 0)) AS world, count(*) AS seen FROM ranks GROUP BY attempt),
judged AS (
  SELECT a.*, greatest(coalesce(c.world, 0), coalesce(c.seen, 0)) AS members,
         -- half of all ranks or more: a reason common to all
         several * 2 > greatest(coalesce(c.world, 0), coalesce(c.seen, 0)) AND several > 1 OR (several > 1 AND coalesce(c.seen, 0) <= several) AS common
  FROM   alike a LEFT JOIN cast_ c ON c.attempt IS NOT DISTINCT FROM a.attempt)
SELECT attempt, CASE WHEN common THEN [] ELSE coalesce(ranks, []) END AS ranks,
       CASE WHEN common THEN [] WHEN len(ranks) = 1 AND len(hosts) = 1 THEN hosts WHEN coalesce(len(ranks), 0) <= 1 AND len(labels) = 1 THEN labels ELSE [] END AS hosts, began, evidence,
       CASE WHEN several = 1 AND len(ranks) = 1 THEN 'certain' ELSE 'likely' END AS confidence,
       CASE WHEN common THEN printf('%d ranks ended with the same exception, %s: the reason is common to all', several, name)
            WHEN len(ranks) = 1 THEN printf('Rank %d%s ended with %s', ranks[1], CASE WHEN len(hosts) = 1 THEN ' on ' || hosts[1] ELSE '' END, name)
            WHEN len(ranks) > 1 THEN printf('Ranks %s ended with %s', list_aggregate(ranks, 'string_agg', ', '), name)
            ELSE printf('A process%s ended with %s', CASE WHEN len(labels) = 1 THEN ' on ' || labels[1] ELSE '' END, name) END
         || CASE WHEN detail IS NOT NULL AND NOT common THEN ': ' || left(detail, 140) ELSE '' END AS summary
FROM   judged
