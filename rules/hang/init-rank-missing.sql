/*
title    = "A communicator was never set up because ranks did not come"
kind     = "hang.init"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.signal", "crash.python"]
needs    = ["nccl"]
explanation = """
Every member of a communicator must reach its set-up. These ranks printed no line of it while all the others began it and nobody
finished: the others wait for them.
"""
advice = """
Look at the start of the ranks named: their own log, the launcher's output and the state of their host at that time.
"""
false_positives = "NCCL_DEBUG unset on a host hides its lines: then all of its ranks seem absent."
references = ["NCCL source: init.cc, Init START from 2.18.3"]
[[test]]
fires = 1
expect = { ranks = [2] }
logs."nccl.log" = '''
node1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
node1:11:21 [1] NCCL INFO ncclCommInitRank comm 0x5502 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
node2:13:23 [1] NCCL INFO ncclCommInitRank comm 0x5504 rank 3 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
node1:10:20 [0] misc/socket.cc:483 NCCL WARN socketPollConnect: Connect to 10.0.0.3<39204> failed : Connection timed out
'''
[[test]]
fires = 1
expect = { ranks = [3] }
logs."nccl.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
[2026-11-30 03:00:00] node1:11:21 [1] NCCL INFO ncclCommInitRank comm 0x5502 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
[2026-11-30 03:00:00] node2:12:22 [0] NCCL INFO ncclCommInitRank comm 0x5503 rank 2 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
[2026-11-30 03:10:00] node1:10:20 [0] NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.
'''
[[test]]
fires = 0                       # the excerpt ends in the middle of a start
logs."nccl.log" = '''
node1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
node1:11:21 [1] NCCL INFO ncclCommInitRank comm 0x5502 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
node2:13:23 [1] NCCL INFO ncclCommInitRank comm 0x5504 rank 3 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
'''
[[test]]
fires = 0                       # one node's log of two: the other half is not here, that is all
logs."nccl.log" = '''
node1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
node1:11:21 [1] NCCL INFO ncclCommInitRank comm 0x5502 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
node1:10:20 [0] misc/socket.cc:483 NCCL WARN socketPollConnect: Connect to 10.0.0.3<39204> failed : Connection timed out
'''
*/
SELECT attempt, CAST(absent AS INTEGER[]) AS ranks, comm, began, evidence,
       printf('Rank%s %s never began the set-up of the communicator of %d ranks, for which the other %d wait', CASE WHEN len(absent) > 1 THEN 's' ELSE '' END,
              list_aggregate(absent, 'string_agg', ', '), nranks, len(present)) AS summary
FROM   unfinished_inits
-- More than a quarter absent is rather a log that is not here than ranks that did not come.
WHERE  len(absent) BETWEEN 1 AND greatest(nranks // 4, 1)
AND    nranks = (SELECT max(size) FROM world_sizes)
