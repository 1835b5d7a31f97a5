/*
title    = "Few channels on a host full of NVLinked GPUs"
kind     = "perf.low_channels"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["perf.low_busbw"]
needs    = ["nccl_channels", "nccl_comm"]
explanation = """
A communicator of all eight GPUs of one host was built with four channels or fewer although its GPUs offer NVLink multicast, which only boards with NVSwitch do; those use 16 to
32. NCCL sees the host worse connected than it is: peer access off, NVLinks inactive, or a topology file missing in a container or virtual machine.
"""
advice = """
On the host named: `nvidia-smi topo -m` (NV in all cells), `nvidia-smi nvlink -s`; run once with NCCL_DEBUG_SUBSYS=GRAPH and read the `Pattern` and `via` lines.
"""
false_positives = "A limit by NCCL_MAX_NCHANNELS, which another rule names."
references = ["NCCL source: init.cc, coll channels"]
[[test]]
fires = 1
expect = { hosts = ["n1"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NVLS multicast support is available on dev 0
n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nRanks 8 nNodes 1 localRanks 8 localRank 0 MNNVL 0
n1:10:20 [0] NCCL INFO 2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer
'''
[[test]]
fires = 1
logs."nccl.log" = '''
n1:17:27 [7] NCCL INFO NVLS multicast support is available on dev 7 (NVLS_NCHANNELS 16)
n1:17:27 [7] NCCL INFO comm 0x5507 rank 7 nRanks 8 nNodes 1 localRanks 8 localRank 7 MNNVL 0
n1:17:27 [7] NCCL INFO 4 coll channels, 4 collnet channels, 0 nvls channels, 4 p2p channels, 2 p2p channels per peer
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NVLS multicast support is available on dev 0
n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nRanks 8 nNodes 1 localRanks 8 localRank 0 MNNVL 0
n1:10:20 [0] NCCL INFO 16 coll channels, 16 collnet channels, 16 nvls channels, 16 p2p channels, 2 p2p channels per peer
'''
[[test]]
fires = 0                        # one GPU on each of two hosts: one adapter between them
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NVLS multicast support is available on dev 0
n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0
n1:10:20 [0] NCCL INFO 2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer
'''
*/
WITH word AS (   -- the lines of one set-up come from one thread, the node count before the channels
  SELECT attempt, host, file_id, pid, tid, line, part, nodes, local_ranks, NULL::BIGINT AS coll FROM nccl_comm_nodes
  UNION ALL
  SELECT attempt, host, file_id, pid, tid, line, part, NULL, NULL, coll FROM nccl_channels),
built AS (
  SELECT *, last_value(nodes IGNORE NULLS) OVER w AS of_nodes, last_value(local_ranks IGNORE NULLS) OVER w AS of_ranks
  FROM   word
  WINDOW w AS (PARTITION BY file_id, pid, tid ORDER BY line, part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
SELECT b.attempt, [b.host] AS hosts, printf('%s: a communicator of its eight GPUs has only %d channels', b.host, max(b.coll)) AS summary,
       list({'file_id': b.file_id, 'line': b.line, 'part': b.part} ORDER BY b.file_id, b.line, b.part) AS evidence
FROM   built b
WHERE  b.coll <= 4 AND b.of_nodes = 1 AND b.of_ranks = 8 AND b.host IS NOT NULL
AND    EXISTS (SELECT 1 FROM nccl_nvls_support n WHERE n.attempt = b.attempt AND n.host = b.host AND n.missing IS NULL)
AND    NOT EXISTS (SELECT 1 FROM nccl_env e WHERE e.attempt = b.attempt AND e.name IN ('NCCL_MAX_NCHANNELS', 'NCCL_MAX_CTAS', 'NCCL_P2P_DISABLE', 'NCCL_P2P_LEVEL'))
GROUP  BY b.attempt, b.host
