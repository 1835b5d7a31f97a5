/*
title    = "The other ranks were told which rank failed first"
kind     = "launcher.child_failed"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "desync.rank_behind"]
needs    = ["torch_nccl"]
explanation = """
With TORCH_NCCL_PROPAGATE_ERROR the first rank that meets an error writes its number into the store, and the others stop with it. That rank failed first; the line does not say of what.
"""
advice = """
Read the log of the rank named: its first error line is the beginning.
"""
false_positives = "A rank that only lost patience first: then its own lines show a timeout."
references = ["PyTorch: ProcessGroupNCCL, TORCH_NCCL_PROPAGATE_ERROR"]
[[test]]
fires = 1
expect = { ranks = [7] }
logs."train.log" = "[rank4]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:1901] [PG ID 0 PG GUID 0(default_pg) Rank 4] remote error detected from rank: 7"
[[test]]
fires = 1
expect = { ranks = [5] }
logs."train.log" = '''
[rank2]:[E404 13:11:09.333444555 ProcessGroupNCCL.cpp:1870] [PG ID 0 PG GUID 0(default_pg) Rank 2] remote error detected from rank: 5
[rank3]:[E404 13:11:09.433444555 ProcessGroupNCCL.cpp:1870] [PG ID 0 PG GUID 0(default_pg) Rank 3] remote error detected from rank: 5
'''
[[test]]
fires = 0                       # a rank of a smaller group
logs."train.log" = "[rank4]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:1901] [PG ID 3 PG GUID 9(TENSOR_MODEL_PARALLEL_GROUP) Rank 0] remote error detected from rank: 1"
[[test]]
fires = 0                       # it only waited longest
logs."train.log" = '''
[rank7]:[E618 13:55:48.384372190 ProcessGroupNCCL.cpp:616] [Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
[rank4]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:1901] [PG ID 0 PG GUID 0(default_pg) Rank 4] remote error detected from rank: 7
'''
*/
WITH told AS (
  SELECT * FROM torch_nccl_remote_error
  -- the number is one of the group that speaks
  WHERE  coalesce(pg_id, 0) = 0 AND (pg_desc IS NULL OR pg_desc IN ('default_pg', 'undefined')))
SELECT attempt, [peer_rank] AS ranks, min(ts) AS began, printf('Rank %d failed first and told the others; of what, its own log must say', peer_rank) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   told t
WHERE  peer_rank IS NOT NULL AND NOT EXISTS (SELECT 1 FROM waits w WHERE w.attempt IS NOT DISTINCT FROM t.attempt AND w.rank = t.peer_rank)
GROUP  BY attempt, peer_rank
QUALIFY count(*) OVER (PARTITION BY attempt) = 1
