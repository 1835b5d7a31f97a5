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
false_positives = "Exceptions that the program catches and logs while it goes on; they count only where the process or the job ended."
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
fires = 0                       # a victim's exception
logs."train.log" = '''
[rank0]: Traceback (most recent call last):
[rank0]:   File "/workspace/train.py", line 166, in main
[rank0]:     loss.backward()
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
'''
[[test]]
fires = 0                       # the launcher's own
logs."train.log" = '''
Traceback (most recent call last):
  File "/usr/bin/torchrun", line 8, in <module>
    sys.exit(main())
torch.distributed.elastic.multiprocessing.api.SignalException: Process 1 got signal: 15
'''
*/
WITH mine AS (
  SELECT f.* REPLACE (coalesce(f.rank, e.rank) AS rank) FROM own_faults f
  LEFT JOIN lone_exits e ON f.rank IS NULL AND e.attempt IS NOT DISTINCT FROM f.attempt AND e.host IS NOT DISTINCT FROM f.host
  WHERE f.class = 'exception' AND NOT f.after_peer_fault),
alike AS (
  SELECT attempt, name, left(coalesce(detail, ''), 60) AS detail_key, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
         list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, count(DISTINCT rank) AS several, min(ts) AS began,
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
       CASE WHEN common OR len(ranks) IS DISTINCT FROM 1 OR len(hosts) <> 1 THEN [] ELSE hosts END AS hosts, began, evidence,
       CASE WHEN several = 1 AND len(ranks) = 1 THEN 'certain' ELSE 'likely' END AS confidence,
       CASE WHEN common THEN printf('%d ranks ended with the same exception, %s: the reason is common to all', several, name)
            WHEN len(ranks) = 1 THEN printf('Rank %d%s ended with %s', ranks[1], CASE WHEN len(hosts) = 1 THEN ' on ' || hosts[1] ELSE '' END, name)
            WHEN len(ranks) > 1 THEN printf('Ranks %s ended with %s', list_aggregate(ranks, 'string_agg', ', '), name)
            ELSE printf('A process ended with %s', name) END
         || CASE WHEN detail IS NOT NULL AND NOT common THEN ': ' || left(detail, 140) ELSE '' END AS summary
FROM   judged
