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
The numbers are ranks of the group that reports.
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
  SELECT attempt, ts, file_id, line, part, CAST(unnest(string_split(ranks, ',')) AS INTEGER), NULL FROM torch_desync_never_joined)
SELECT attempt, list(DISTINCT absent ORDER BY absent) AS ranks, min(ts) AS began,
       printf('Rank%s %s never joined %s', CASE WHEN count(DISTINCT absent) > 1 THEN 's' ELSE '' END,
              string_agg(DISTINCT CAST(absent AS VARCHAR), ', ' ORDER BY CAST(absent AS VARCHAR)),
              coalesce(printf('collective %d, in which the others waited', min(seq)), 'any collective')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named
GROUP  BY attempt
