/*
title    = "Not all ranks came to the store's barrier"
kind     = "hang.init"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal"]
needs    = ["torch_store"]
explanation = """
The barrier that ends the set-up of a process group was not met. Each line says how many came; where every one of those printed its line, the ranks that printed none are those that
did not come. Otherwise the lines show only that somebody is missing.
"""
advice = """
Look at the start of the ranks that did not come: their own log, the launcher's output, the state of their host at that time. Were all processes started, and with the right WORLD_SIZE?
"""
false_positives = "Ranks that were only late: then a later line counts more of them."
references = ["PyTorch: distributed_c10d, store based barrier"]
[[test]]
fires = 1
expect = { ranks = [2], confidence = "likely" }
logs."train.log" = '''
[rank0]: torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank: 0, for key: store_based_barrier_key:1 (world_size=4, worker_count=3, timeout=0:30:00)
[rank1]: torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank: 1, for key: store_based_barrier_key:1 (world_size=4, worker_count=3, timeout=0:30:00)
[rank3]: torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank: 3, for key: store_based_barrier_key:1 (world_size=4, worker_count=3, timeout=0:30:00)
'''
[[test]]
fires = 1                        # others came too, without their logs here
expect = { ranks = [], role = "symptom" }
logs."train.log" = '''
[rank0]: torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank: 0, for key: store_based_barrier_key:1 (world_size=16, worker_count=12, timeout=0:30:00)
'''
[[test]]
fires = 0                        # late, and then there
logs."train.log" = '''
Waiting in store based barrier to initialize process group for rank: 0, key: store_based_barrier_key:1 (world_size=2, num_workers_joined=1, timeout=0:30:00)
Rank 0: Completed store-based barrier for key:store_based_barrier_key:1 with 2 nodes.
'''
[[test]]
fires = 0                        # too many is another matter
logs."train.log" = '''
[rank0]: torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank: 0, for key: store_based_barrier_key:1 (world_size=8, worker_count=16, timeout=0:30:00)
'''
*/
WITH word AS (
  SELECT attempt, key, rank, expected, joined, what, ts, file_id, line, part FROM torch_store_barrier WHERE joined IS NOT NULL AND expected IS NOT NULL),
barrier AS (
  SELECT attempt, key, max(expected) AS expected, max(joined) AS joined, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS present,
         bool_or(what LIKE 'Timed out%') AS given_up, min(ts) AS began, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   word
  GROUP  BY attempt, key
  HAVING max(joined) < max(expected)),
judged AS (
  SELECT *, list_filter(range(0, expected), lambda r: NOT list_contains(present, CAST(r AS INTEGER))) AS absent, len(present) = joined AS complete
  FROM   barrier b
  WHERE  given_up AND NOT EXISTS (SELECT 1 FROM torch_store_barrier_passed p WHERE p.attempt = b.attempt AND p.key = b.key AND p.what = 'Completed'))
SELECT attempt, began, evidence, CASE WHEN complete AND len(absent) <= 8 THEN CAST(absent AS INTEGER[]) ELSE [] END AS ranks,
       CASE WHEN complete THEN 'cause' ELSE 'symptom' END AS role, CASE WHEN complete THEN 'likely' ELSE 'possible' END AS confidence,
       CASE WHEN complete AND len(absent) <= 8 THEN printf('Rank%s %s did not come to the set-up of the process group, for which %d others wait', CASE WHEN len(absent) > 1 THEN 's' ELSE '' END,
                                                          list_aggregate(absent, 'string_agg', ', '), joined)
            ELSE printf('Only %d of %d ranks came to the set-up of the process group; these lines do not say who is missing', joined, expected) END AS summary
FROM   judged
