/*
title    = "Ranks called different collectives at the same place"
kind     = "desync.collective_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "desync.rank_behind"]
needs    = ["torch"]
explanation = """
All ranks of a group number their collectives alike. Where one number stands for another operation or another size on a few
ranks, those ranks took another path through the program. The majority is taken to be right; with two voices nobody is.
"""
advice = """
Compare what the ranks named did in that step: data-dependent branches, shapes of the last batch, parameters and code version.
Run once with TORCH_DISTRIBUTED_DEBUG=DETAIL: each collective is then compared between ranks before it runs.
"""
false_positives = "gather, scatter, all-to-all, send and receive may differ by rank and are not compared; a coalesced call prints no size."
references = ["pytorch: WorkNCCL, NumelIn and NumelOut since 2.1"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."rank_000.log" = '[E ProcessGroupNCCL.cpp:475] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6619, OpType=_ALLGATHER_BASE, NumelIn=100, NumelOut=400, Timeout(ms)=600000) ran for 600465 milliseconds before timing out.'
logs."rank_001.log" = '[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6619, OpType=_ALLGATHER_BASE, NumelIn=100, NumelOut=400, Timeout(ms)=600000) ran for 600465 milliseconds before timing out.'
logs."rank_002.log" = '[E ProcessGroupNCCL.cpp:475] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6619, OpType=_ALLGATHER_BASE, NumelIn=100, NumelOut=400, Timeout(ms)=600000) ran for 600465 milliseconds before timing out.'
logs."rank_003.log" = '[E ProcessGroupNCCL.cpp:475] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6619, OpType=_ALLGATHER_BASE, NumelIn=98, NumelOut=392, Timeout(ms)=600000) ran for 600465 milliseconds before timing out.'
[[test]]
fires = 1                       # two against two: a mismatch for sure, but whose?
expect = { ranks = [0, 1], either = true, confidence = "possible" }
logs."train.log" = '''
[rank0]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
[rank0]:[E627 12:24:59.948886044 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 0]  failure detected by watchdog at work sequence id: 20 PG status: last enqueued work: 20, last completed work: 19
[rank1]:[E416 08:01:41.632281691 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20, OpType=BROADCAST, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600067 milliseconds before timing out.
[rank1]:[E627 12:24:59.948886044 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 1]  failure detected by watchdog at work sequence id: 20 PG status: last enqueued work: 20, last completed work: 19
'''
[[test]]
fires = 1                       # no group is named, but the ranks are numbered as in the job
expect = { ranks = [3] }
logs."train.log" = '''
[rank0]:[E ProcessGroupNCCL.cpp:523] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, NumelIn=5898, NumelOut=5898, Timeout(ms)=600000) ran for 600228 milliseconds before timing out.
[rank1]:[E ProcessGroupNCCL.cpp:523] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, NumelIn=5898, NumelOut=5898, Timeout(ms)=600000) ran for 600220 milliseconds before timing out.
[rank2]:[E ProcessGroupNCCL.cpp:523] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, NumelIn=5898, NumelOut=5898, Timeout(ms)=600000) ran for 600310 milliseconds before timing out.
[rank3]:[E ProcessGroupNCCL.cpp:523] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=BROADCAST, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600390 milliseconds before timing out.
'''
[[test]]
fires = 0                       # rank 4 is the first of another group
logs."train.log" = '''
[rank0]:[E ProcessGroupNCCL.cpp:523] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, NumelIn=5898, NumelOut=5898, Timeout(ms)=600000) ran for 600228 milliseconds before timing out.
[rank1]:[E ProcessGroupNCCL.cpp:523] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, NumelIn=5898, NumelOut=5898, Timeout(ms)=600000) ran for 600220 milliseconds before timing out.
[rank2]:[E ProcessGroupNCCL.cpp:523] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, NumelIn=5898, NumelOut=5898, Timeout(ms)=600000) ran for 600310 milliseconds before timing out.
[rank4]:[E ProcessGroupNCCL.cpp:523] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=BROADCAST, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600390 milliseconds before timing out.
'''
[[test]]
fires = 0                       # sizes of an all-to-all are the ranks' own
logs."train.log" = '''
[rank0]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20, OpType=ALLTOALL_BASE, NumelIn=4, NumelOut=8, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
[rank1]:[E416 08:01:41.632281691 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20, OpType=ALLTOALL_BASE, NumelIn=6, NumelOut=4, Timeout(ms)=600000) ran for 600067 milliseconds before timing out.
'''
[[test]]
fires = 0                       # two groups, each with numbers of its own
logs."train.log" = '''
[rank0]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
[rank1]:[E416 08:01:41.632281691 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20, OpType=BROADCAST, NumelIn=9, NumelOut=9, Timeout(ms)=600000) ran for 600067 milliseconds before timing out.
'''
*/
WITH voices AS (
  SELECT attempt, grp, seq, op, numel_in, numel_out, list(DISTINCT rank ORDER BY rank) AS ranks, min(began) AS began, bool_and(numbered) AS own,
         list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   waits
  WHERE  rank IS NOT NULL AND seq IS NOT NULL AND op IS NOT NULL
  -- counts that legitimately differ between ranks
  AND    op NOT IN ('GATHER', 'SCATTER', 'ALLTOALL', 'ALLTOALL_BASE', 'SEND', 'RECV', 'RECVANYSOURCE', 'COALESCED', 'UNKNOWN')
  GROUP  BY attempt, grp, seq, op, numel_in, numel_out),
places AS (
  SELECT attempt, grp, seq, count(*) AS kinds, sum(len(ranks)) AS members, max(len(ranks)) AS largest,
         count(DISTINCT op) AS ops, bool_and(own) AS whole
  FROM   voices
  GROUP  BY attempt, grp, seq
  HAVING count(*) > 1),
minority AS (
  SELECT v.*, p.members, p.largest, p.ops,
         -- a rank that shares the voice of the largest party is no suspect; without a majority nobody is cleared
         p.largest * 2 <= p.members AS open
  FROM   voices v
  JOIN   places p USING (attempt, grp, seq)
  -- without the group's name, equal numbers may be coincidence: then only a few against many count, and another operation only where every
  -- rank has the number in the group that it has in the job, as in the group of all
  WHERE  (v.grp <> '?' OR ((p.ops = 1 OR p.whole) AND p.largest >= 3 AND p.members >= 4 AND len(v.ranks) * 3 <= p.largest))
  AND    (len(v.ranks) < p.largest OR p.largest * 2 <= p.members))
SELECT attempt, list_sort(list_distinct(flatten(list(ranks ORDER BY ranks)))) AS ranks,
       CASE WHEN bool_or(open) THEN [] ELSE list_sort(list_distinct(flatten(list(coalesce(hosts, []) ORDER BY ranks)))) END AS hosts,
       grp AS comm, min(began) AS began, bool_or(open) AS either, CASE WHEN bool_or(open) THEN 'possible' ELSE 'likely' END AS confidence,
       CASE WHEN bool_or(open)
            THEN printf('At number %d ranks %s call different collectives, and no majority tells which is right', seq,
                        string_agg(list_aggregate(ranks, 'string_agg', ', ') || ' (' || op || coalesce(printf(', %d elements', numel_in), '') || ')', ' and '
                                   ORDER BY ranks))
            ELSE printf('Rank%s %s where %d other ranks call something else at number %d', CASE WHEN sum(len(ranks)) > 1 THEN 's' ELSE '' END,
                        string_agg(list_aggregate(ranks, 'string_agg', ', ') || ' called ' || op || coalesce(printf(' with %d elements', numel_in), ''), '; '
                                   ORDER BY ranks), CAST(min(largest) AS INTEGER), seq) END AS summary,
       flatten(list(evidence ORDER BY ranks)) AS evidence
FROM   minority
GROUP  BY attempt, grp, seq
