/*
title    = "GPUs of one host talk over the network"
kind     = "perf.transport_fallback"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.straggler", "perf.low_channels", "config.env"]
needs    = ["connections", "nccl_comm"]
explanation = """
Two ranks of one host are connected through the network: neither peer access between GPUs nor shared memory is possible between them. Mostly they are in
different containers (another IPC namespace, another /dev/shm), or NCCL_P2P_DISABLE and NCCL_SHM_DISABLE are set.
"""
advice = """
On the host named let the ranks share one container, or `--ipc=host` and one host id (NCCL_HOSTID); look for NCCL_P2P_DISABLE=1 and NCCL_SHM_DISABLE=1 in its environment.
"""
false_positives = "Virtual machines or partitions that share a host name."
references = ["NCCL source: transport.cc, via NET"]
[[test]]
fires = 1
expect = { hosts = ["n1"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
n1:11:21 [1] NCCL INFO ncclCommInitRank comm 0x5502 rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/Socket/0
n1:11:21 [1] NCCL INFO Channel 00/0 : 1[1] -> 0[0] [send] via NET/Socket/0
'''
[[test]]
fires = 1                        # beside a host where it is right
expect = { hosts = ["n2"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
n1:11:21 [1] NCCL INFO ncclCommInitRank comm 0x5502 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
n2:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5503 rank 2 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
n2:11:21 [1] NCCL INFO ncclCommInitRank comm 0x5504 rank 3 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC
n1:11:21 [1] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [send] via NET/IB/0
n2:10:20 [0] NCCL INFO Channel 00/0 : 2[0] -> 3[1] [send] via NET/IB/0
n2:11:21 [1] NCCL INFO Channel 00/0 : 3[1] -> 0[0] [send] via NET/IB/0
'''
[[test]]
fires = 0                        # between hosts
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
n2:11:21 [0] NCCL INFO ncclCommInitRank comm 0x5502 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0
n2:11:21 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [send] via NET/IB/0
'''
[[test]]
fires = 0                        # several communicators number their ranks alike: nobody knows which is meant
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
n1:11:21 [1] NCCL INFO ncclCommInitRank comm 0x5502 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
n1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5511 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x1d0b70ea83cf41ca - Init START
n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0
'''
*/
WITH sole AS (   -- a connection's ranks are those of its communicator, which the line does not name
  SELECT attempt, min(nranks) AS nranks
  FROM   (SELECT attempt, coalesce(comm, comm_ptr) AS comm, nranks FROM nccl_comm_init WHERE nranks > 1)
  GROUP  BY attempt
  HAVING count(DISTINCT nranks) = 1),
place AS (
  SELECT i.attempt, i.comm_rank, min(i.host) AS host
  FROM   nccl_comm_init i
  JOIN   sole o ON o.attempt = i.attempt AND o.nranks = i.nranks
  WHERE  i.host IS NOT NULL
  GROUP  BY i.attempt, i.comm_rank
  HAVING count(DISTINCT i.host) = 1),
inside AS (
  SELECT c.attempt, a.host, c.from_rank, c.to_rank, bool_or(c.transport LIKE 'NET/%') AS net, bool_or(c.transport NOT LIKE 'NET/%') AS direct, min(c.ts) AS began,
         list({'file_id': c.file_id, 'line': c.line, 'part': c.part} ORDER BY c.file_id, c.line, c.part) AS evidence
  FROM   connections c
  JOIN   place a ON a.attempt = c.attempt AND a.comm_rank = c.from_rank
  JOIN   place b ON b.attempt = c.attempt AND b.comm_rank = c.to_rank AND b.host = a.host
  WHERE  NOT c.duplicate AND c.from_rank <> c.to_rank
  GROUP  BY c.attempt, a.host, c.from_rank, c.to_rank)
SELECT attempt, [host] AS hosts, min(began) AS began, flatten(list(evidence ORDER BY from_rank, to_rank)) AS evidence,
       printf('%s: %d pairs of its own GPUs talk over the network', host, count(*)) AS summary
FROM   inside
WHERE  net AND NOT direct
GROUP  BY attempt, host
