/*
title    = "The log of one rank stops before the others began to wait"
kind     = "desync.rank_behind"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "data.stall"]
needs    = ["torch_watchdog", "torch_gloo", "steps", "progress", "step_parts"]
explanation = """
Each rank wrote a file of its own. All but this one report that they waited for somebody; this one's ends before they began to wait, with work and without a complaint.
It is where the others should have met it. Why it stopped is not in its log: a process that hangs or is stopped writes nothing.
"""
advice = """
On its host, as long as it lives: `py-spy dump --native --pid PID`; then `dmesg -T` for Xid, blocked tasks and the OOM killer at the time its log stops, and the state of the storage it reads.
"""
false_positives = "A rank whose output was lost or cut, for example by a full disk."
references = ["PyTorch: ProcessGroupNCCL watchdog"]
[[test]]
fires = 1
expect = { ranks = [1], confidence = "likely" }
logs."rank0.log" = '''
2025-09-03 18:00:00,000 step 0 | loss 3.0 | 1.50s/step
2025-09-03 18:10:30,000 step 420 | loss 3.0 | 1.50s/step
[rank0]:[E903 18:20:37.100000000 ProcessGroupNCCL.cpp:685] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12811, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600030 milliseconds before timing out.
'''
logs."rank1.log" = '''
2025-09-03 18:00:00,000 step 0 | loss 3.0 | 1.50s/step
2025-09-03 18:10:15,000 step 410 | loss 3.0 | 1.50s/step
'''
logs."rank2.log" = '''
2025-09-03 18:00:00,000 step 0 | loss 3.0 | 1.50s/step
2025-09-03 18:10:30,000 step 420 | loss 3.0 | 1.50s/step
[rank2]:[E903 18:20:37.100000000 ProcessGroupNCCL.cpp:685] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12811, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600031 milliseconds before timing out.
'''
[[test]]
fires = 1
expect = { ranks = [5] }
logs."rank4.log" = '''
2025-09-03 18:10:30,000 step 420 | loss 3.0 | 1.50s/step
[rank4]:[E903 18:20:37.100000000 ProcessGroupNCCL.cpp:685] [Rank 4] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12811, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600030 milliseconds before timing out.
'''
logs."rank5.log" = '''
2025-09-03 18:10:15,000 step 410 | loss 3.0 | 1.50s/step
'''
logs."rank6.log" = '''
2025-09-03 18:10:30,000 step 420 | loss 3.0 | 1.50s/step
[rank6]:[E903 18:20:37.100000000 ProcessGroupNCCL.cpp:685] [Rank 6] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12811, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600031 milliseconds before timing out.
'''
[[test]]
fires = 0                       # one console for all: a part of it may be missing
logs."train.log" = '''
2025-09-03 18:10:15,000 [rank1] step 410 | loss 3.0 | 1.50s/step
2025-09-03 18:10:30,000 [rank0] step 420 | loss 3.0 | 1.50s/step
[rank0]:[E903 18:20:37.100000000 ProcessGroupNCCL.cpp:685] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12811, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600030 milliseconds before timing out.
[rank2]:[E903 18:20:37.100000000 ProcessGroupNCCL.cpp:685] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12811, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600031 milliseconds before timing out.
'''
[[test]]
fires = 0                       # it went on while the others waited: late, not stopped
logs."rank0.log" = '''
2025-09-03 18:10:30,000 step 420 | loss 3.0 | 1.50s/step
[rank0]:[E903 18:20:37.100000000 ProcessGroupNCCL.cpp:685] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12811, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600030 milliseconds before timing out.
'''
logs."rank1.log" = '''
2025-09-03 18:20:15,000 step 410 | loss 3.0 | 1.50s/step
'''
logs."rank2.log" = '''
2025-09-03 18:10:30,000 step 420 | loss 3.0 | 1.50s/step
[rank2]:[E903 18:20:37.100000000 ProcessGroupNCCL.cpp:685] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12811, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600031 milliseconds before timing out.
'''
*/
WITH line AS (
  SELECT attempt, file_id, rank, ts, ts_from FROM events WHERE NOT duplicate AND rank IS NOT NULL
  UNION ALL SELECT attempt, file_id, rank, ts, ts_from FROM steps WHERE NOT duplicate AND rank IS NOT NULL),
own AS (         -- files in which one rank speaks
  SELECT attempt, file_id, min(rank) AS rank, max(ts) FILTER (WHERE ts_from = 'line') AS last_ts
  FROM   line
  GROUP  BY attempt, file_id
  HAVING min(rank) = max(rank)),
teller AS (
  SELECT attempt, rank, max(last_ts) AS last_ts, list(DISTINCT file_id ORDER BY file_id) AS files FROM own GROUP BY attempt, rank),
waiter AS (
  SELECT w.attempt, w.rank, min(w.began) AS began, min(w.ts) AS ts
  FROM   peer_faults w
  JOIN   teller t ON t.attempt IS NOT DISTINCT FROM w.attempt AND t.rank = w.rank
  WHERE  w.waited AND w.began IS NOT NULL
  GROUP  BY w.attempt, w.rank),
waiting AS (
  SELECT attempt, count(*) AS n, min(began) AS began, max(ts) AS ts FROM waiter GROUP BY attempt),
quiet AS (
  SELECT t.*, w.n, w.began
  FROM   teller t
  JOIN   waiting w ON w.attempt IS NOT DISTINCT FROM t.attempt
  WHERE  NOT EXISTS (SELECT 1 FROM waiter x WHERE x.attempt IS NOT DISTINCT FROM t.attempt AND x.rank = t.rank)),
stopped AS (
  SELECT q.*, (SELECT count(*) FROM quiet o WHERE o.attempt IS NOT DISTINCT FROM q.attempt) AS quiet_ranks
  FROM   quiet q
  -- ten seconds: the last line before the collective and the begin of the wait are written by different clocks
  WHERE  q.last_ts <= q.began + INTERVAL 10 SECOND
  AND    NOT EXISTS (SELECT 1 FROM peer_faults p WHERE p.attempt IS NOT DISTINCT FROM q.attempt AND p.rank = q.rank)
  AND    NOT EXISTS (SELECT 1 FROM own_faults f WHERE f.attempt IS NOT DISTINCT FROM q.attempt AND f.rank = q.rank)
  AND    NOT EXISTS (SELECT 1 FROM train_done d WHERE d.attempt IS NOT DISTINCT FROM q.attempt AND d.rank = q.rank)
  AND    NOT EXISTS (SELECT 1 FROM exits_of_ranks e WHERE e.attempt IS NOT DISTINCT FROM q.attempt AND e.rank = q.rank AND e.signal IN (4, 7, 8, 11)))
SELECT s.attempt, [s.rank] AS ranks, CASE WHEN r.host IS NOT NULL THEN [r.host] ELSE [] END AS hosts, s.last_ts AS began,
       printf('The log of rank %d%s stops%s, before %d other%s began to wait', s.rank, coalesce(' on ' || r.host, ''), coalesce(strftime(s.last_ts, ' at %H:%M:%S'), ''),
              s.n, CASE WHEN s.n > 1 THEN 's' ELSE '' END) AS summary,
       (SELECT list({'file_id': p.file_id, 'line': p.line, 'part': p.part} ORDER BY p.file_id, p.line, p.part) FROM peer_faults p WHERE p.waited AND p.attempt IS NOT DISTINCT FROM s.attempt) AS evidence
FROM   stopped s
LEFT JOIN ranks r ON r.attempt IS NOT DISTINCT FROM s.attempt AND r.rank = s.rank
-- one against at least two, and nobody else whose part is unclear
WHERE  s.n >= 2 AND s.quiet_ranks = 1
