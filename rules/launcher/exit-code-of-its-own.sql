/*
title    = "One rank ended with an exit code that no other has"
kind     = "launcher.child_failed"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "net.socket_error", "desync.rank_behind", "hang.watchdog_timeout", "crash.signal"]
needs    = ["torch_elastic", "torch_gloo", "torch_nccl"]
explanation = """
Ranks that lose a peer raise an exception, which is exit code 1, or are aborted by their watchdog. This one ended with another code, and without a complaint about somebody else:
its program decided to end. The launcher's root cause is only the first exit it noticed.
"""
advice = """
Read the last lines of this rank's own output, and what the program does with that exit code (`sys.exit(N)`, `os._exit(N)`).
"""
false_positives = "A wrapper that turns every failure of its host into a code of its own."
references = ["PyTorch: torch.distributed.elastic, failure table"]
[[test]]
fires = 1
expect = { ranks = [1], hosts = ["n1"] }
logs."torchrun.log" = '''
Failures:
[1]:
  time      : 2024-01-15_10:11:14
  host      : n1
  rank      : 1 (local_rank: 1)
  exitcode  : 3 (pid: 412)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2024-01-15_10:11:13
  host      : n1
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 411)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
'''
logs."rank0.log" = '''
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335.
'''
[[test]]
fires = 1
expect = { ranks = [2] }
logs."torchrun.log" = '''
Failures:
[1]:
  time      : 2024-01-15_10:11:14
  host      : n1
  rank      : 2 (local_rank: 2)
  exitcode  : 42 (pid: 412)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2024-01-15_10:11:13
  host      : n1
  rank      : 0 (local_rank: 0)
  exitcode  : -6 (pid: 411)
  error_file: <N/A>
  traceback : Signal 6 (SIGABRT) received by PID 411
'''
logs."rank0.log" = '''
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=811, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 0                       # all alike
logs."torchrun.log" = '''
Failures:
[1]:
  time      : 2024-01-15_10:11:14
  host      : n1
  rank      : 2 (local_rank: 2)
  exitcode  : 3 (pid: 412)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2024-01-15_10:11:13
  host      : n1
  rank      : 0 (local_rank: 0)
  exitcode  : 3 (pid: 411)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
'''
[[test]]
fires = 0                       # it lost a peer itself
logs."torchrun.log" = '''
Failures:
[1]:
  time      : 2024-01-15_10:11:14
  host      : n1
  rank      : 1 (local_rank: 1)
  exitcode  : 3 (pid: 412)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2024-01-15_10:11:13
  host      : n1
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 411)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
'''
logs."rank1.log" = '''
[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335.
'''
*/
WITH ended AS (
  SELECT attempt, rank, min(host) AS host, min(exit_code) AS code, min(ts) AS ts, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   exits_of_ranks
  -- 137 and 143 are signals that a shell reports
  WHERE  rank IS NOT NULL AND exit_code > 1 AND exit_code < 129
  GROUP  BY attempt, rank),
alone AS (
  SELECT attempt, min(rank) AS rank FROM ended GROUP BY attempt HAVING count(*) = 1)
SELECT e.attempt, [e.rank] AS ranks, CASE WHEN e.host IS NOT NULL THEN [e.host] ELSE [] END AS hosts, e.ts AS began, e.evidence,
       printf('Rank %d%s alone ended with exit code %d; the others lost it', e.rank, coalesce(' on ' || e.host, ''), e.code) AS summary
FROM   ended e
JOIN   alone a ON a.attempt IS NOT DISTINCT FROM e.attempt AND a.rank = e.rank
WHERE  EXISTS (SELECT 1 FROM peer_faults p WHERE p.attempt IS NOT DISTINCT FROM e.attempt AND p.rank IS DISTINCT FROM e.rank)
AND    NOT EXISTS (SELECT 1 FROM peer_faults p WHERE p.attempt IS NOT DISTINCT FROM e.attempt AND p.rank = e.rank)
