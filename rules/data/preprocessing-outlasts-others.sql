/*
title    = "One process was still preparing data when the others gave up waiting"
kind     = "data.stall"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.python", "crash.signal", "desync.rank_behind"]
needs    = ["progress", "torch_store", "torch"]
explanation = """
A progress bar of tokenizing, mapping, indexing or downloading had not reached its end when the other ranks ran into the timeout of a store key or a
barrier. The process behind it is alive and slow, not hung; the text that suggests a crash or a network problem is a guess of the library.
"""
advice = """
Prepare the data before the job (or start again: the cache may exist now), or raise the timeout of init_process_group for this phase.
Let one process per file system build the cache and the others wait in a barrier with a long timeout.
"""
false_positives = "A bar of the training loop itself; only bars of preparation count."
references = ["PyTorch: store wait timeout, ncclUniqueId through the store"]
[[test]]
fires = 1
logs."train.log" = '''
Tokenizing (num_proc=48):  92%|#########2| 411270/448976 [29:58<12:05, 52.01 examples/s][rank1]:[W614 23:05:57.255609562 socket.cpp:464] [c10d] waitForInput: poll for socket SocketImpl(fd=73, addr=[localhost]:52310, remote=[localhost]:29517) returned 0, likely a timeout
[rank1]:[W614 23:05:57.256716062 socket.cpp:489] [c10d] waitForInput: socket SocketImpl(fd=73, addr=[localhost]:52310, remote=[localhost]:29517) timed out after 1800000ms
'''
[[test]]
fires = 1
expect = { ranks = [0] }
logs."ranks/rank0.log" = '''
Map:  41%|####      | 41000/100000 [10:00<14:00, 70.01 examples/s]
'''
logs."ranks/rank1.log" = '''
[rank1]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 0                       # it had finished
logs."train.log" = '''
Map: 100%|##########| 100000/100000 [10:00<00:00, 70.01 examples/s]
[rank1]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 0                       # nobody gave up
logs."train.log" = '''
Map:  41%|####      | 41000/100000 [10:00<14:00, 70.01 examples/s]
'''
*/
WITH bar AS (                    -- the last word of each bar of preparation in each source
  SELECT attempt, rank, host, what, percent, elapsed, ts, file_id, line, part
  FROM   train_progress_bar
  WHERE  regexp_matches(lower(what), 'token|map|filter|process|pack|index|prepar|convert|generat|download|extract|group|concat|cache|sort|build')
  QUALIFY row_number() OVER (PARTITION BY file_id, rank, what ORDER BY line DESC, part DESC) = 1),
open_bar AS (
  SELECT * FROM bar WHERE TRY_CAST(percent AS INTEGER) < 100),
gave_up AS (
  SELECT attempt, count(DISTINCT rank) AS ranks, min(began) AS began,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   peer_faults
  WHERE  waited
  GROUP  BY attempt)
SELECT b.attempt, list(DISTINCT b.rank ORDER BY b.rank) FILTER (WHERE b.rank IS NOT NULL) AS ranks,
       list(DISTINCT b.host ORDER BY b.host) FILTER (WHERE b.host IS NOT NULL AND b.rank IS NOT NULL) AS hosts, min(g.began) AS began,
       coalesce(printf('Rank %d', min(b.rank)), 'One process') || printf(' was still at "%s" (%d %%, %s elapsed) when the others gave up waiting for it',
              min(trim(b.what)), min(b.percent), min(coalesce(b.elapsed, '?'))) AS summary,
       list_concat(list({'file_id': b.file_id, 'line': b.line, 'part': b.part} ORDER BY b.file_id, b.line, b.part), min(g.evidence)) AS evidence
FROM   open_bar b
JOIN   gave_up g ON g.attempt IS NOT DISTINCT FROM b.attempt
GROUP  BY b.attempt
