/*
title    = "The debug wrapper found ranks in different collectives"
kind     = "desync.collective_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["torch_gloo"]
explanation = """
With TORCH_DISTRIBUTED_DEBUG=DETAIL each rank compares its collective with the others' before it runs. Each line says for certain what its
own rank called; the other half of it may be garbage. The voice that differs from the majority took another path; two voices have no majority.
"""
advice = """
Compare what the rank named did in that step with the others: data-dependent branches, batch shapes, an extra or missing call before it.
"""
false_positives = "Only the first half of a line is used."
references = ["PyTorch: ProcessGroupWrapper.cpp"]
[[test]]
fires = 1
expect = { ranks = [1] }
logs."train.log" = '''
[rank0]: RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: CollectiveFingerPrint(SequenceNumber=38, OpType=ALLREDUCE, TensorShape=[64, 64], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default), device=cpu)), but Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=38, OpType=BROADCAST, TensorShape=[64, 64], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default), device=cpu)).
[rank1]: RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=38, OpType=BROADCAST, TensorShape=[64, 64], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default), device=cpu)), but Rank 0 is running collective: CollectiveFingerPrint(SequenceNumber=38, OpType=ALLREDUCE, TensorShape=[64, 64], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default), device=cpu)).
[rank2]: RuntimeError: Detected mismatch between collectives on ranks. Rank 2 is running collective: CollectiveFingerPrint(SequenceNumber=38, OpType=ALLREDUCE, TensorShape=[64, 64], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default), device=cpu)), but Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=38, OpType=BROADCAST, TensorShape=[64, 64], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default), device=cpu)).
'''
[[test]]
fires = 1                       # one line, two voices
expect = { ranks = [1, 2], either = true }
logs."train.log" = '''
  RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=7OpType=BARRIER), but Rank 2 is running collective: CollectiveFingerPrint(SequenceNumber=6OpType=BARRIER).
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank0]:[I1130 11:52:28.817001520 ProcessGroupWrapper.cpp:587] [Rank 0] Running collective: CollectiveFingerPrint(SequenceNumber=38, OpType=ALLREDUCE, TensorShape=[64, 64], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default)))
'''
[[test]]
fires = 0
logs."train.log" = "[rank0]: RuntimeError: shapes differ"
*/
WITH said AS (
  SELECT attempt, coalesce(rank, CAST(group_rank AS INTEGER)) AS who, seq, op, shape, dtypes, CAST(other_rank AS INTEGER) AS other, ts, file_id, line, part
  FROM   torch_fingerprint_mismatch
  WHERE  coalesce(rank, group_rank) IS NOT NULL),
voice AS (
  SELECT attempt, seq, op, shape, dtypes, list(DISTINCT who ORDER BY who) AS ranks, min(ts) AS began,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   said
  GROUP  BY attempt, seq, op, shape, dtypes),
vote AS (
  SELECT attempt, max(len(ranks)) AS largest, sum(len(ranks)) AS members, count(*) AS voices FROM voice GROUP BY attempt),
odd AS (
  SELECT v.attempt, v.ranks, v.began, v.evidence, v.seq, v.op, t.largest, false AS open
  FROM   voice v JOIN vote t ON t.attempt IS NOT DISTINCT FROM v.attempt
  WHERE  t.largest * 2 > t.members AND t.voices > 1 AND len(v.ranks) < t.largest
  UNION ALL
  SELECT s.attempt, list_sort(list_distinct(flatten(list([s.who, s.other] ORDER BY s.who)))), min(s.ts),
         list({'file_id': s.file_id, 'line': s.line, 'part': s.part} ORDER BY s.file_id, s.line, s.part), min(s.seq), min(s.op), 1, true
  FROM   said s JOIN vote t ON t.attempt IS NOT DISTINCT FROM s.attempt
  WHERE  NOT (t.largest * 2 > t.members AND t.voices > 1) AND s.other IS NOT NULL
  GROUP  BY s.attempt
  HAVING count(DISTINCT s.who) <= 2)
SELECT attempt, ranks, open AS either, CASE WHEN open THEN 'possible' ELSE 'likely' END AS confidence, began, evidence,
       CASE WHEN open THEN printf('Ranks %s are in different collectives; two voices do not tell which is right', list_aggregate(ranks, 'string_agg', ', '))
            ELSE printf('Rank%s %s called %s where the other ranks called something else%s', CASE WHEN len(ranks) > 1 THEN 's' ELSE '' END,
                        list_aggregate(ranks, 'string_agg', ', '), op, coalesce(printf(' (number %d)', seq), '')) END AS summary
FROM   odd
