/*
title    = "Horovod waits for tensors of some ranks"
kind     = "desync.rank_behind"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error"]
needs    = ["launchers_mpi"]
explanation = """
Horovod's coordinator lists ranks that did not submit tensors which the others wait to reduce: they take another branch, are stuck before it, or ended. Where all or most ranks are
listed for other tensors, they submit different ones.
"""
advice = """
Take the stack of a rank that is listed (`py-spy dump --pid PID`), and look for code that only some ranks run: evaluation, checkpoints, uneven data, `if rank == 0`.
"""
false_positives = "A rank that is merely slow, such as one that writes a checkpoint: then the warning stands alone and work goes on."
references = ["Horovod documentation: stall inspector"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = '''
[1,0]<stderr>:[2020-04-08 15:37:00.106666: W horovod/common/stall_inspector.cc:105] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds. This may indicate that different ranks are trying to submit different tensors
[1,0]<stderr>:Missing ranks:
[1,0]<stderr>:3: [allreduce.layer1.0.conv1.weight, allreduce.fc.bias ...]
'''
[[test]]
fires = 1
expect = { ranks = [1, 2] }
logs."train.log" = '''
One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds.
allreduce.noname.1 [missing ranks: 1, 2] [ready ranks: 0, 3]
'''
[[test]]
fires = 0                        # the warning without names
logs."train.log" = '''
One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds.
'''
[[test]]
fires = 0                        # work went on afterwards
logs."train.log" = '''
2024-05-01 10:00:00 One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds.
2024-05-01 10:00:00 allreduce.noname.1 [missing ranks: 1, 2] [ready ranks: 0, 3]
2024-05-01 10:05:00 iter 6: loss 2.4906, time 4203.08ms
2024-05-01 10:05:04 iter 7: loss 2.4907, time 4210.08ms
'''
*/
WITH said AS (
  SELECT attempt, CAST(task AS INTEGER) AS rank, ts, file_id, line, part FROM launcher_horovod_missing_rank WHERE task IS NOT NULL
  UNION ALL
  SELECT attempt, TRY_CAST(trim(r.rank) AS INTEGER), ts, file_id, line, part
  FROM   launcher_horovod_missing_ranks, LATERAL (SELECT unnest(string_split(ranks, ',')) AS rank) r),
later AS (       -- steps after the last complaint: slow, not stuck
  SELECT s.attempt FROM steps s, (SELECT attempt, file_id, max(line) AS line FROM said GROUP BY ALL) l
  WHERE  s.attempt IS NOT DISTINCT FROM l.attempt AND s.file_id = l.file_id AND s.line > l.line)
SELECT attempt, list(DISTINCT rank ORDER BY rank) AS ranks, min(ts) AS began,
       printf('Rank%s %s did not submit tensors that the others wait for', CASE WHEN count(DISTINCT rank) > 1 THEN 's' ELSE '' END,
              array_to_string(list_sort(list(DISTINCT rank ORDER BY rank))[:8], ', ')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   said
WHERE  rank IS NOT NULL AND attempt NOT IN (SELECT attempt FROM later WHERE attempt IS NOT NULL)
GROUP  BY attempt
