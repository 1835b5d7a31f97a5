/*
title    = "One rank's stack is elsewhere while the others wait"
kind     = "desync.rank_behind"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "net.socket_error", "launcher.*", "crash.signal", "crash.python"]
needs    = ["stacks"]
explanation = """
The main threads of most ranks stand in a collective, or wait for the GPU that runs one. This rank's stands in other code: the others wait for it to come. Its frames say what
it does instead: loading data, writing a file, sleeping, an endless loop, another branch.
"""
advice = """
Read the frames of this rank, and take its stack again a minute later (`py-spy dump --pid PID --native`): frames that moved mean slow, the same ones mean stuck.
Then look for what it touches: `ls -l /proc/PID/fd`, `cat /proc/PID/stack`, the file system under its data.
"""
false_positives = "Stacks taken at different moments; a rank with another duty by design, such as one that writes checkpoints while the others wait for it: then it is slow, not stuck."
references = ["py-spy dump; faulthandler.dump_traceback_later"]
[[test]]
fires = 1
expect = { ranks = [2], confidence = "likely" }
logs."pyspy/rank0.txt" = """
Process 11: python3 train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 11 (idle): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2810)
    train (train.py:120)
"""
logs."pyspy/rank1.txt" = """
Process 12: python3 train.py

Thread 12 (active): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2810)
    train (train.py:120)
"""
logs."pyspy/rank2.txt" = """
Process 13: python3 train.py

Thread 13 (idle): "MainThread"
    read (data.py:44)
    train (train.py:101)
Thread 99 (idle): "Thread-1"
    all_reduce (torch/distributed/distributed_c10d.py:2810)
"""
[[test]]
fires = 1                        # faulthandler: the main thread is the last
expect = { ranks = [1] }
logs."rank0.err" = """
Timeout (0:05:00)!
Thread 0x00007f11d2ffd640 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 331 in wait

Thread 0x00007f12ab7ff740 (most recent call first):
  File "/opt/torch/distributed/distributed_c10d.py", line 2810 in barrier
  File "/w/train.py", line 120 in main
"""
logs."rank1.err" = """
Timeout (0:05:00)!
Thread 0x00007f12ab7ff741 (most recent call first):
  File "/w/train.py", line 77 in save
  File "/w/train.py", line 120 in main
"""
logs."rank2.err" = """
Timeout (0:05:00)!
Thread 0x00007f12ab7ff742 (most recent call first):
  File "/opt/torch/distributed/distributed_c10d.py", line 2810 in barrier
  File "/w/train.py", line 120 in main
"""
[[test]]
fires = 0                        # all wait
logs."pyspy/rank0.txt" = """
Process 11: python3 train.py
Thread 11 (idle): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2810)
"""
logs."pyspy/rank1.txt" = """
Process 12: python3 train.py
Thread 12 (idle): "MainThread"
    synchronize (torch/cuda/__init__.py:985)
"""
logs."pyspy/rank2.txt" = """
Process 13: python3 train.py
Thread 13 (idle): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2810)
"""
[[test]]
fires = 0                        # nobody waits: they compute
logs."pyspy/rank0.txt" = """
Process 11: python3 train.py
Thread 11 (active): "MainThread"
    forward (model.py:10)
"""
logs."pyspy/rank1.txt" = """
Process 12: python3 train.py
Thread 12 (active): "MainThread"
    forward (model.py:10)
"""
logs."pyspy/rank2.txt" = """
Process 13: python3 train.py
Thread 13 (idle): "MainThread"
    read (data.py:44)
"""
[[test]]
fires = 0                        # a single stack
logs."pyspy/rank0.txt" = """
Process 11: python3 train.py
Thread 11 (idle): "MainThread"
    read (data.py:44)
"""
*/
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       -- a process without rank is known by its host only
       list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       CASE WHEN count(rank) = 0 THEN printf('The process %s', string_agg(CAST(pid AS VARCHAR), ', ' ORDER BY pid))
            WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d', min(rank))
            ELSE printf('Ranks %s', array_to_string(list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL), ', ')) END
       || printf(' %s in %s while %d others wait in a collective', CASE WHEN count(*) = 1 OR count(DISTINCT rank) = 1 THEN 'is' ELSE 'are' END, min(coalesce(list_filter(shape, lambda f: f LIKE '%.py)')[1], shape[1])), max(waiting)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   stacks
WHERE  NOT is_waiting
-- at least two wait and they are the majority, else nobody can tell who left whom
AND    waiting >= 2 AND waiting * 3 >= stacks * 2
GROUP  BY attempt
