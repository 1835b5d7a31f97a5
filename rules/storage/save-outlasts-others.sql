/*
title    = "A checkpoint was being gathered or written when the others gave up waiting"
kind     = "storage.stall"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.signal", "crash.python", "desync.rank_behind"]
needs    = ["checkpoints", "torch"]
explanation = """
The last thing the program says before the timeout is that it gathers or writes a checkpoint. One rank mostly does that alone, and the others wait for it in
a barrier, gather or broadcast. Gathering the full state, or the file system behind it, is slow; NCCL is only where it shows.
"""
advice = """
Look whether the file grew until the timeout (`ls -l --time-style=full-iso` on the checkpoint), at the file server, and at `dmesg -T` of the writer's host for NFS or Lustre lines and blocked tasks.
Save sharded or asynchronously, or give this barrier a longer timeout.
"""
false_positives = "A hang for another reason right after a save; steps logged in between silence this."
references = ["PyTorch: distributed checkpoint"]
[[test]]
fires = 1
logs."finetune.log" = '''
INFO:x:Saving checkpoint. This may take some time. Retrieving full model state dict...
INFO:x:Getting full model state dict took 109.51 secs
INFO:x:Retrieving optimizer state dict...
[rank4]:[E627 12:24:59.946529115 ProcessGroupNCCL.cpp:632] [Rank 4] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
[[test]]
fires = 1
expect = { ranks = [0] }
logs."ranks/rank0.log" = '''
2026-06-27 12:14:50,123 - root - INFO - saving checkpoint at iteration 600 to /nfs/ck
'''
logs."ranks/rank1.log" = '''
[rank1]:[E627 12:24:59.946529115 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
[[test]]
fires = 0                       # steps went on after the save
logs."finetune.log" = '''
saving checkpoint at iteration 600 to /nfs/ck
successfully saved checkpoint from iteration 600 to /nfs/ck
iter 610: loss 2.3456, time 123.45ms, mfu 3.21%
[rank4]:[E627 12:24:59.946529115 ProcessGroupNCCL.cpp:632] [Rank 4] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
[[test]]
fires = 0
logs."finetune.log" = '''
saving checkpoint at iteration 600 to /nfs/ck
successfully saved checkpoint from iteration 600 to /nfs/ck
'''
*/
WITH activity AS (               -- what the program itself logged, in each source
  SELECT attempt, file_id, line, part, ts, rank, host, 'save' AS what FROM train_checkpoint_begin
  UNION ALL SELECT attempt, file_id, line, part, ts, rank, host, 'saved' FROM train_checkpoint_end
  UNION ALL SELECT attempt, file_id, line, part, ts, rank, host, 'step' FROM steps
  UNION ALL SELECT attempt, file_id, line, part, ts, rank, host, 'step' FROM train_step_parts
  UNION ALL SELECT attempt, file_id, line, part, ts, rank, host, 'step' FROM train_deepspeed_parts
  UNION ALL SELECT attempt, file_id, line, part, ts, rank, host, 'step' FROM train_progress),
gave_up AS (
  SELECT attempt, file_id, min(line) AS line, min(began) AS began, min(ts) AS ts, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS waiters,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   peer_faults
  WHERE  waited
  GROUP  BY attempt, file_id),
last_word AS (                   -- the last of it before the complaint: in the same source by line, elsewhere by time
  SELECT a.*, g.began, g.waiters, g.evidence AS complaint
  FROM   activity a
  JOIN   gave_up g ON g.attempt IS NOT DISTINCT FROM a.attempt AND (g.file_id = a.file_id AND a.line < g.line OR g.file_id <> a.file_id AND a.ts <= g.ts)
  QUALIFY row_number() OVER (PARTITION BY a.file_id ORDER BY a.line DESC, a.part DESC, g.file_id) = 1),
waiter AS (                     -- a rank that gave up waiting was through with its own part
  SELECT DISTINCT attempt, rank FROM peer_faults WHERE waited AND rank IS NOT NULL),
saving AS (
  SELECT l.*
  FROM   last_word l
  LEFT JOIN waiter w ON w.attempt IS NOT DISTINCT FROM l.attempt AND w.rank = l.rank
  -- a save that is not over; or one of several phases, each of which took its time
  WHERE  (l.what = 'save' OR l.what = 'saved' AND EXISTS (SELECT 1 FROM gave_up g WHERE g.file_id = l.file_id AND g.line <= l.line + 2))
  AND    w.rank IS NULL)
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL AND rank IS NOT NULL) AS hosts, min(began) AS began,
       CASE WHEN count(DISTINCT rank) > 1 THEN printf('Ranks %s were', array_to_string((list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL))[:6], ', '))
            ELSE coalesce(printf('Rank %d', min(rank)), 'A process') || ' was' END
         || ' gathering or writing a checkpoint when the others gave up waiting for it' AS summary,
       list_concat(list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part), min(complaint)) AS evidence
FROM   saving
GROUP  BY attempt
