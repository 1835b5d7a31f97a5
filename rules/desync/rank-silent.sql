/*
title    = "All ranks complained but one"
kind     = "desync.rank_behind"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error"]
needs    = ["torch", "torch_gloo"]
explanation = """
Every other rank of the job says that it waited for a peer or lost one, so every other rank's position is known. The rank that says nothing is
the one they waited for: hung, blocked, or stopped without a word. Why, its own log does not say.
"""
advice = """
Look at that rank: `py-spy dump --native --pid PID`, its application log, `dmesg -T` and GPU state of its host since the wait began.
"""
false_positives = "A rank whose error output was lost (a full disk, a launcher that shows only some ranks)."
references = ["torch.distributed.elastic: the rank with -15 and no output of its own"]
[[test]]
fires = 1
expect = { ranks = [2] }
logs."train.log" = '''
[rank0]: world size 4
[rank2]: world size 4
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
[rank3]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335. This is typically caused by a remote worker crashing.
'''
[[test]]
fires = 1
expect = { ranks = [0] }
logs."train.log" = '''
[rank0]:[I416 07:01:41.625912168 ProcessGroupNCCL.cpp:607] [PG ID 0 PG GUID 0(default_pg) Rank 0] ProcessGroupNCCL initialization options: size: 3, global rank: 0, TIMEOUT(ms): 600000, USE_HIGH_PRIORITY_STREAM: 0, SPLIT_FROM: 0, SPLIT_COLOR: 0, PG Name: 0
[rank1]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
[rank2]:[E416 08:01:41.632281691 ProcessGroupNCCL.cpp:607] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600067 milliseconds before timing out.
'''
[[test]]
fires = 0                       # the launcher saw it die
logs."train.log" = '''
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Read error [127.0.0.11]:19335: Connection reset by peer. This is typically caused by a remote worker hanging or bugs
[rank2]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Read error [127.0.0.11]:19335: Connection reset by peer. This is typically caused by a remote worker hanging or bugs
[rank3]:[I618 13:55:49.384372190 ProcessGroupNCCL.cpp:934] [PG ID 0 PG GUID 0(default_pg) Rank 3] ProcessGroupNCCL initialization options: size: 4, global rank: 3, TIMEOUT(ms): 600000, USE_HIGH_PRIORITY_STREAM: 0, SPLIT_FROM: 0, SPLIT_COLOR: 0, PG Name: 0
[rank3]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Read error [127.0.0.11]:19335: Connection reset by peer. This is typically caused by a remote worker hanging or bugs
  time      : 2026-11-30_12:00:20
  host      : nd-1
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 902)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 902
'''
[[test]]
fires = 0                       # the size of the job is not known
logs."train.log" = '''
[rank1]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
[rank2]:[E416 08:01:41.632281691 ProcessGroupNCCL.cpp:607] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600067 milliseconds before timing out.
'''
[[test]]
fires = 0                       # half of the job is silent: another matter
logs."train.log" = '''
[rank0]: world size 4
[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
[rank2]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
'''
*/
WITH heard AS (
  SELECT DISTINCT attempt, rank FROM peer_faults WHERE rank IS NOT NULL
  UNION SELECT DISTINCT attempt, rank FROM own_faults WHERE rank IS NOT NULL),
world AS (
  SELECT attempt, max(size) AS n FROM world_sizes GROUP BY attempt),
silent AS (
  SELECT w.attempt, w.n, list_filter(range(0, w.n), lambda r: NOT list_contains(list(h.rank ORDER BY h.rank), CAST(r AS INTEGER))) AS absent,
         count(DISTINCT h.rank) AS heard
  FROM   world w
  JOIN   heard h ON h.attempt IS NOT DISTINCT FROM w.attempt
  WHERE  h.rank < w.n
  GROUP  BY w.attempt, w.n),
wait AS (
  SELECT attempt, min(began) AS began, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   peer_faults
  GROUP  BY attempt)
SELECT s.attempt, CAST(s.absent AS INTEGER[]) AS ranks, [r.host] AS hosts, w.began, w.evidence,
       printf('Rank %d%s is the only one of %d that says nothing while all others waited or lost a peer', s.absent[1], coalesce(' on ' || r.host, ''), s.n) AS summary
FROM   silent s
JOIN   wait w ON w.attempt IS NOT DISTINCT FROM s.attempt
LEFT JOIN ranks r ON r.attempt IS NOT DISTINCT FROM s.attempt AND r.rank = s.absent[1]
WHERE  len(s.absent) = 1 AND s.heard = s.n - 1
-- It must be there at all: a line of its own, or a launcher that saw it end.
AND    r.rank IS NOT NULL
-- killed, crashed or ended by its program before it could say a word: how it ended is the better finding, unless the launcher killed what did not obey
AND    NOT EXISTS (SELECT 1 FROM exits_of_ranks e
                   WHERE e.attempt IS NOT DISTINCT FROM s.attempt AND e.rank = s.absent[1] AND (e.signal IN (4, 7, 8, 9, 11) OR e.exit_code BETWEEN 2 AND 128)
                   AND NOT EXISTS (SELECT 1 FROM elastic_force_kill k WHERE k.attempt IS NOT DISTINCT FROM e.attempt))
