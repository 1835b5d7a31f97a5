/*
title    = "Ranks waited in a collective until the watchdog ended them"
kind     = "hang.watchdog_timeout"
severity = "high"
role     = "symptom"
confidence = "certain"
needs    = ["torch"]
explanation = """
These ranks are the ones that did arrive: each called the operation, waited for the others and gave up. Whoever printed
first merely lost patience first. The wait began the stated elapsed time before the line.
"""
advice = """
Rerun with TORCH_NCCL_TRACE_BUFFER_SIZE=20000 (TORCH_FR_BUFFER_SIZE in newer releases) and TORCH_NCCL_DUMP_ON_TIMEOUT=1: the dumps show who never called the operation.
Fetch the logs of every rank, and `dmesg -T` of every host, from the beginning of the wait.
If it hangs again, take `py-spy dump --native` of all ranks before killing the job.
"""
false_positives = "A deliberate long single-rank phase (evaluation, saving) with a short timeout gives the same lines."
references = ["pytorch: ProcessGroupNCCL::WorkNCCL::checkTimeout"]
[[test]]
fires = 1
expect = { ranks = [0, 1] }
logs."train.log" = '''
[rank0]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=466119168, NumelOut=466119168, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
[rank1]:[E416 08:01:41.632281691 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=466119168, NumelOut=466119168, Timeout(ms)=600000) ran for 600067 milliseconds before timing out.
'''
[[test]]
fires = 1                       # old releases print no global rank; one tag for several processes names nobody
expect = { ranks = [] }
logs."out" = '''
0: [E ProcessGroupNCCL.cpp:475] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=938, OpType=ALLREDUCE, NumelIn=2, NumelOut=2, Timeout(ms)=1800000) ran for 1800414 milliseconds before timing out.
0: [E ProcessGroupNCCL.cpp:475] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=938, OpType=ALLREDUCE, NumelIn=2, NumelOut=2, Timeout(ms)=1800000) ran for 1800472 milliseconds before timing out.
'''
[[test]]
fires = 1                       # the copy in the exception of the same process is no second wait
expect = { ranks = [3] }
logs."train.log" = '''
[rank3]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6619, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600465 milliseconds before timing out.
  what():  [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6619, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600465 milliseconds before timing out.
'''
[[test]]
fires = 0                       # a peer was lost
logs."train.log" = "[rank1]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:1414] [PG ID 0 PG GUID 0(default_pg) Rank 1] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5"
[[test]]
fires = 0
logs."train.log" = '''
[rank0]:[I416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [PG ID 0 PG GUID 0(default_pg) Rank 0] ProcessGroupNCCL initialization options: size: 2, global rank: 0, TIMEOUT(ms): 600000, USE_HIGH_PRIORITY_STREAM: 0, SPLIT_FROM: 0, SPLIT_COLOR: 0, PG Name: 0
'''
[[test]]
fires = 1                       # an excerpt that begins after the line: the exception repeats it
logs."train.log" = '''
  what():  [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6619, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600465 milliseconds before timing out.
'''
*/
WITH known AS (
  SELECT attempt, op, seq, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, count(*) AS lines,
         min(began) AS began, max(ts) AS ended, max(elapsed_ms) AS elapsed_ms,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   waits
  GROUP  BY attempt, op, seq),
said AS (
  SELECT *, CASE WHEN len(ranks) = 1 THEN printf('Rank %d', ranks[1])
                 WHEN len(ranks) BETWEEN 2 AND 8 THEN 'Ranks ' || list_aggregate(ranks, 'string_agg', ', ')
                 WHEN len(ranks) > 8 THEN printf('%d ranks', len(ranks))
                 WHEN lines = 1 THEN 'One process' ELSE printf('%d processes', lines) END AS who
  FROM   known)
SELECT attempt, coalesce(ranks, []) AS ranks, began, ended, evidence,
       CASE WHEN len(ranks) > 1 OR lines > 1 THEN 'possible' ELSE 'possible' END AS confidence,
       who || ' waited in ' || coalesce(op, 'a collective') || coalesce(printf(' %d', seq), '')
           || coalesce(printf(' for %d s', elapsed_ms // 1000), '') || ' until the watchdog gave up; these lines do not show who was late' AS summary
FROM   said
