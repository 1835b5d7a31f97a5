/*
title    = "More workers in the store than the job has"
kind     = "launcher.store"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python"]
needs    = ["torch_store"]
explanation = """
The store's barrier counts more workers than the world has, so it can never be met. The store or its file still holds the state of an earlier attempt, or every process was started
more than once. Nobody is missing.
"""
advice = """
Give each attempt a store of its own (a new port or rendezvous id, a new init file), and look at how the attempt before failed: that is the story.
"""
false_positives = "None known."
references = ["PyTorch: distributed_c10d, store based barrier"]
[[test]]
fires = 1
logs."train.log" = '''
[rank0]: torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank: 0, for key: store_based_barrier_key:1 (world_size=8, worker_count=16, timeout=0:30:00)
'''
[[test]]
fires = 1
logs."train.log" = '''
Waiting in store based barrier to initialize process group for rank: 3, key: store_based_barrier_key:1 (world_size=4, num_workers_joined=12, timeout=0:30:00)
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank0]: torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank: 0, for key: store_based_barrier_key:1 (world_size=8, worker_count=7, timeout=0:30:00)
'''
[[test]]
fires = 0
logs."train.log" = '''
INFO:torch.distributed.distributed_c10d:Rank 0: Completed store-based barrier for key:store_based_barrier_key:1 with 8 nodes.
'''
*/
SELECT attempt, min(ts) AS began,
       printf('The store counts %d workers where the job has %d: it still holds an earlier attempt', max(joined), min(expected)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   torch_store_barrier
WHERE  joined > expected
GROUP  BY attempt
