/*
title    = "PyTorch's desync report names who did not join"
kind     = "desync.rank_behind"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["torch_dump"]
explanation = """
With TORCH_NCCL_DESYNC_DEBUG=1 one rank compares where all are: those that finished a collective but did not join the next, or never joined any, are behind.
The numbers are ranks of the group that reports. Where it lists most of the job, the few that wait may have run ahead with a call of their own: then it is either.
"""
advice = """
Look at the ranks named: application log, stack and host, from the beginning of the wait.
"""
false_positives = "A report of a small group counts inside that group; it names a rank here only where the reporting group is the whole job."
references = ["PyTorch: TraceUtils.h, retrieveDesyncReport"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = '''
	 - [0] Timeout at collective: ALLREDUCE, #2712
	 - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:
	   - [3] finished collective #2711, but didn't join collective #2712 (count from 1)
'''
[[test]]
fires = 1
expect = { ranks = [1, 2] }
logs."train.log" = '''
	 - [0] Timeout at collective: ALLREDUCE, #1
	 - To our best knowledge, ranks [1, 2] are the lagging ranks that caused this timeout. They never joined any collectives
'''
[[test]]
fires = 1                       # most of the job is listed: the one that waits may have gone ahead
expect = { ranks = [0, 1, 2, 3], either = true, confidence = "possible" }
logs."train.log" = '''
	 - [3] Timeout at collective: ALLREDUCE, #2712
	   - [0, 1, 2] finished collective #2711, but didn't join collective #2712 (count from 1)
'''
[[test]]
fires = 1                       # most of what is listed, not of the job
expect = { ranks = [0, 1, 2], confidence = "likely" }
logs."train.log" = '''
[rank0]: world size 16
	 - [3] Timeout at collective: ALLREDUCE, #2712
	   - [0, 1, 2] finished collective #2711, but didn't join collective #2712 (count from 1)
'''
[[test]]
fires = 0
logs."train.log" = '''
	   - [0, 1, 2] joined but didn't finish collective #2712 (count from 1)
'''
[[test]]
fires = 0
logs."train.log" = "Failed to retrieve TORCH_NCCL_DESYNC_DEBUG report.  Please file an issue. Error: Socket Timeout"
*/
WITH named AS (
  SELECT attempt, ts, file_id, line, part, CAST(unnest(string_split(ranks, ',')) AS INTEGER) AS absent, seq FROM torch_desync_not_joined
  UNION ALL
  SELECT attempt, ts, file_id, line, part, CAST(unnest(string_split(ranks, ',')) AS INTEGER), NULL FROM torch_desync_never_joined),
said AS (        -- ranks that are in the collective, by the report or by their own word
  SELECT attempt, group_rank AS rank FROM torch_desync_timeout
  UNION SELECT attempt, CAST(unnest(string_split(ranks, ',')) AS INTEGER) FROM torch_desync_not_finished
  UNION SELECT attempt, rank FROM waits WHERE rank IS NOT NULL),
inside AS (
  SELECT s.attempt, list(s.rank ORDER BY s.rank) AS ranks, count(*) AS n
  FROM   said s
  WHERE  s.rank IS NOT NULL
  AND    NOT EXISTS (SELECT 1 FROM named n WHERE n.attempt IS NOT DISTINCT FROM s.attempt AND n.absent = s.rank)
  GROUP  BY s.attempt),
world AS (
  SELECT attempt, max(size) AS size FROM world_sizes GROUP BY attempt),
report AS (
  SELECT attempt, list(DISTINCT absent ORDER BY absent) AS ranks, count(DISTINCT absent) AS n, min(ts) AS began, min(seq) AS seq,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   named
  GROUP  BY attempt),
judged AS (      -- three and more than half of the job: who reports may as well be the one that went ahead with a call of its own
  SELECT r.*, i.ranks AS inside, r.seq IS NOT NULL AND r.n >= 3 AND coalesce(r.n > greatest(coalesce(w.size, 0) - r.n, i.n), false) AS ahead
  FROM   report r
  LEFT JOIN inside i ON i.attempt IS NOT DISTINCT FROM r.attempt
  LEFT JOIN world w ON w.attempt IS NOT DISTINCT FROM r.attempt)
SELECT attempt, CASE WHEN ahead THEN list_sort(list_concat(ranks, inside)) ELSE ranks END AS ranks, ahead AS "either", began,
       CASE WHEN ahead THEN 'possible' ELSE 'likely' END AS confidence,
       CASE WHEN ahead THEN printf('Ranks %s never joined collective %d, in which rank%s %s waited: most of the job is late, or the few called one that the others do not',
                                   array_to_string(ranks, ', '), seq, CASE WHEN len(inside) > 1 THEN 's' ELSE '' END, array_to_string(inside, ', '))
            ELSE printf('Rank%s %s never joined %s', CASE WHEN n > 1 THEN 's' ELSE '' END, array_to_string(ranks, ', '),
                        coalesce(printf('collective %d, in which the others waited', seq), 'any collective')) END AS summary,
       evidence
FROM   judged
