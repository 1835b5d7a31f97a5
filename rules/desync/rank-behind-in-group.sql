/*
title    = "A rank had not called the collective that the others waited in"
kind     = "desync.rank_behind"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["torch"]
explanation = """
Each rank says how many operations of the group it has enqueued. The ranks that wait in number N have enqueued N; a rank
whose own count is lower never called it. Its own log may not say why.
"""
advice = """
Look at the ranks named: their application log, `py-spy dump --native --pid PID`, `dmesg -T` and GPU state of their host since the wait began.
"""
false_positives = "Counters of another group: only numbers of one group are compared."
references = ["pytorch: ProcessGroupNCCL watchdog, PG status"]
[[test]]
fires = 1
expect = { ranks = [2], confidence = "likely" }
logs."train.log" = '''
[rank0]:[E627 12:24:59.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
[rank0]:[E627 12:24:59.948886044 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 0]  failure detected by watchdog at work sequence id: 7412 PG status: last enqueued work: 7412, last completed work: 7411
[rank1]:[E627 12:24:59.946529115 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
[rank1]:[E627 12:24:59.948886044 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 1]  failure detected by watchdog at work sequence id: 7412 PG status: last enqueued work: 7415, last completed work: 7411
[rank2]:[E627 12:25:00.148886044 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 2]  failure detected by watchdog at work sequence id: 7411 PG status: last enqueued work: 7411, last completed work: 7411
'''
[[test]]
fires = 1                       # a dump signal also gives the counters
expect = { ranks = [1] }
logs."train.log" = '''
[rank0]:[E627 12:24:59.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
[rank0]:[E627 12:24:59.948886044 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank 0] Exception (either an error or timeout) detected by watchdog at work: 41, last enqueued NCCL work: 41, last completed NCCL work: 40.
[rank1]:[E627 12:25:00.948886044 ProcessGroupNCCL.cpp:1413] [PG ID 0 PG GUID 0(default_pg) Rank 1] Received a dump signal due to a collective timeout from  rank 0 and we will try our best to dump the debug info. Last enqueued NCCL work: 40, last completed NCCL work: 40.This is most likely caused by incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for all ranks or the scheduled collective, for some reason, didn't run.
'''
[[test]]
fires = 0                       # fewer queued than others, but it waits too
logs."train.log" = '''
[rank0]:[E627 12:24:59.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
[rank0]:[E627 12:24:59.948886044 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 0]  failure detected by watchdog at work sequence id: 7412 PG status: last enqueued work: 7412, last completed work: 7411
[rank1]:[E627 12:24:59.946529115 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
[rank1]:[E627 12:24:59.948886044 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 1]  failure detected by watchdog at work sequence id: 7412 PG status: last enqueued work: 7430, last completed work: 7411
'''
[[test]]
fires = 0                       # the numbers of another group
logs."train.log" = '''
[rank0]:[E627 12:24:59.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
[rank0]:[E627 12:24:59.948886044 ProcessGroupNCCL.cpp:2268] [PG ID 1 PG GUID 9(DATA_PARALLEL) Rank 0]  failure detected by watchdog at work sequence id: 7412 PG status: last enqueued work: 7412, last completed work: 7411
[rank1]:[E627 12:24:59.948886044 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 1]  failure detected by watchdog at work sequence id: 12 PG status: last enqueued work: 12, last completed work: 12
'''
*/
WITH front AS (                  -- what each group waits in, and how many of its ranks say so
  SELECT attempt, grp, max(seq) AS seq, min(began) AS began, count(DISTINCT rank) AS waiters, min(op) AS op
  FROM   waits
  WHERE  rank IS NOT NULL AND grp <> '?'
  GROUP  BY attempt, grp),
behind AS (
  SELECT p.*, f.seq, f.op, f.began, f.waiters
  FROM   positions p
  JOIN   front f ON f.attempt IS NOT DISTINCT FROM p.attempt AND f.grp = p.grp
  WHERE  p.enqueued < f.seq AND p.rank IS NOT NULL
  AND    NOT EXISTS (SELECT 1 FROM waits w WHERE w.grp = p.grp AND w.rank = p.rank AND w.seq >= f.seq))
SELECT attempt, list(DISTINCT rank ORDER BY rank) AS ranks, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       min(began) AS began, grp AS comm,
       printf('Rank%s %s never entered %s %d of group %s, in which %d other%s waited', CASE WHEN count(DISTINCT rank) > 1 THEN 's' ELSE '' END,
              string_agg(DISTINCT CAST(rank AS VARCHAR), ', ' ORDER BY CAST(rank AS VARCHAR)), min(op), min(seq), grp, min(waiters),
              CASE WHEN min(waiters) > 1 THEN 's' ELSE '' END) AS summary,
       flatten(list(evidence ORDER BY rank)) AS evidence
FROM   behind
GROUP  BY attempt, grp
