/*
title    = "A rank tries its data source again and again while the others wait"
kind     = "data.stall"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "desync.rank_behind", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "perf.straggler"]
needs    = ["data_sources"]
explanation = """
The loader of this rank got no data from its source (throttled, unavailable, timed out) and went on trying with longer and longer pauses. It was still at it
when the other ranks waited in a collective that it never entered. Process and GPU of the rank are in order.
"""
advice = """
Look at the source at that time: request limits (429, 503 Slow Down), other readers, the health of the endpoint; spread the requests (prefixes, fewer small reads), or cache locally.
Limit the back-off of the loader below the timeout of the collectives, and let it fail with a clear message.
"""
false_positives = "Single retries that succeed are normal and silent."
references = ["AWS S3: 503 Slow Down"]
[[test]]
fires = 1
expect = { ranks = [3], confidence = "likely" }
logs."ranks/rank3.log" = '''
2025-03-18 02:31:30,146 WARNING [rank 3] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 1/12), sleeping 2.0 s
2025-03-18 02:31:32,146 WARNING [rank 3] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 2/12), sleeping 4.0 s
2025-03-18 02:32:00,146 WARNING [rank 3] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 5/12), sleeping 32.0 s
2025-03-18 02:33:36,146 WARNING [rank 3] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 7/12), sleeping 128.0 s
2025-03-18 02:38:01,146 WARNING [rank 3] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 9/12), sleeping 512.0 s
'''
logs."ranks/rank0.log" = '''
[rank0]:[E318 02:41:30.523847850 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
[rank1]:[E318 02:41:30.623847850 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
[rank2]:[E318 02:41:30.723847850 ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
'''
[[test]]
fires = 1
expect = { ranks = [5] }
logs."train.log" = '''
2025-03-18 02:31:10,146 WARNING [rank 5] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 1/12), sleeping 2.0 s
2025-03-18 02:31:12,146 WARNING [rank 5] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 2/12), sleeping 4.0 s
2025-03-18 02:31:40,146 WARNING [rank 5] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 9/12), sleeping 512.0 s
[rank0]:[E318 02:41:30.523847850 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
[rank1]:[E318 02:41:30.623847850 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
[rank2]:[E318 02:41:30.723847850 ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
'''
[[test]]
# Twenty minutes earlier, and it went on.
fires = 0
logs."ranks/rank3.log" = '''
2025-03-18 02:11:30,146 WARNING [rank 3] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 1/12), sleeping 2.0 s
2025-03-18 02:11:32,146 WARNING [rank 3] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 2/12), sleeping 4.0 s
2025-03-18 02:11:36,146 WARNING [rank 3] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 3/12), sleeping 8.0 s
'''
logs."ranks/rank0.log" = '''
[rank0]:[E318 02:41:30.523847850 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
[rank1]:[E318 02:41:30.623847850 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
[rank2]:[E318 02:41:30.723847850 ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
'''
[[test]]
# It waits in the collective itself.
fires = 0
logs."ranks/rank1.log" = '''
2025-03-18 02:31:30,146 WARNING [rank 1] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 1/12), sleeping 2.0 s
2025-03-18 02:31:32,146 WARNING [rank 1] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 2/12), sleeping 4.0 s
2025-03-18 02:31:36,146 WARNING [rank 1] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 3/12), sleeping 8.0 s
2025-03-18 02:33:36,146 WARNING [rank 1] corpus: GET s3://corpus/train/shard-1.tar: 503 Slow Down (attempt 7/12), sleeping 128.0 s
'''
logs."ranks/rank0.log" = '''
[rank0]:[E318 02:41:30.523847850 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
[rank1]:[E318 02:41:30.623847850 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
[rank2]:[E318 02:41:30.723847850 ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=16573, OpType=ALLREDUCE, NumelIn=1000, NumelOut=1000, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.
'''
*/
-- The test: three attempts at least, the last of which, with its pause, reaches into the time in which others waited, by a rank that did not wait itself.
WITH trying AS (
  SELECT attempt, rank, min(host) AS host, min(ts) AS began, max(ts) AS latest, max(ts + to_milliseconds(CAST(1e3 * coalesce(delay_s, 0) AS BIGINT))) AS until,
         count(*) AS times, max(tries) AS tries, max("limit") AS tries_limit, min(reason) AS reason, min(address) AS address,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM train_source_retry
  WHERE rank IS NOT NULL AND ts IS NOT NULL
  GROUP BY attempt, rank
  HAVING count(*) >= 3),
waiting AS (
  SELECT attempt, min(began) AS began, max(ts) AS ended, list(DISTINCT rank ORDER BY rank) AS ranks FROM waits WHERE rank IS NOT NULL AND began IS NOT NULL GROUP BY attempt)
SELECT t.attempt, [t.rank] AS ranks, [t.host] AS hosts, t.began, t.evidence,
       printf('Rank %d%s got no data%s (%s, %d attempts) and never entered the collective in which the others waited', t.rank,
              CASE WHEN t.host IS NOT NULL THEN ' on ' || t.host ELSE '' END, coalesce(' from ' || split_part(t.address, '/', 1) || '//' || split_part(t.address, '/', 3), ''),
              t.reason, greatest(t.times, coalesce(t.tries, 0))) AS summary
FROM trying t
JOIN waiting w ON w.attempt IS NOT DISTINCT FROM t.attempt
-- a minute for the time between the last finished step and the wait
WHERE NOT list_contains(w.ranks, t.rank) AND t.until >= w.began - INTERVAL 60 SECOND AND t.began <= w.ended AND t.latest >= w.began - INTERVAL 300 SECOND
