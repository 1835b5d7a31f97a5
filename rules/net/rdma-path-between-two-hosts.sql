/*
title    = "Two hosts lost the RDMA path between them"
kind     = "net.ib_error"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_ib"]
explanation = """
A request was retried until nobody acknowledged it (completion status 12). That names two ends and a path between them, and the one that prints it is
usually healthy: either end's adapter, cable or switch port, or a process or host at the other end that stopped. Nothing here separates them.
"""
advice = """
Look at both ends, first at the one that did not answer: `dmesg -T`, the end of its ranks' logs (was a process killed?), `ibstat`, port counters before and after.
If it came right after start, check addressing: NCCL_IB_GID_INDEX, RoCE version, MTU, VLAN, and that both ends use the same rail.
Run an RDMA test (`ib_write_bw -d ADAPTER`) between just these two hosts, then each with a third one.
"""
false_positives = "A process that died at the other end gives the same line."
references = ["libibverbs: IBV_WC_RETRY_EXC_ERR", "NCCL source: net_ib.cc, Got completion"]
[[test]]
fires = 1
expect = { hosts = ["10.0.0.3", "n1"], either = true, devices = ["n1/mlx5_7"] }
logs."nccl.log" = '''
n1:10:20 [6] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 10.0.0.3<41782> with status=12 opcode=129 len=1048576 vendor err 129 (Recv) localGid ::ffff:10.43.2.5 remoteGids::ffff:10.43.2.6 hca mlx5_7
n1:10:20 [6] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 10.0.0.3<41782> with status=5 opcode=0 len=0 vendor err 249 (Recv) localGid ::ffff:10.43.2.5 remoteGids::ffff:10.43.2.6 hca mlx5_7
'''
[[test]]
fires = 1                        # the two ends accuse each other; addresses are guessed from that
expect = { hosts = ["n1", "n2"], either = true }
logs."a.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
'''
logs."b.log" = '''
n2:11:21 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.1<47911> with status=12 opcode=0 len=0 vendor err 129 (Send)
'''
[[test]]
fires = 1                        # an older line names no peer: nobody is accused
expect = { hosts = [], either = true }
logs."nccl.log" = "n1:10:20 [0] transport/net_ib.cc:73 NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129"
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=5 opcode=0 len=0 vendor err 249 (Recv)
'''
[[test]]
fires = 0                        # several paths: judged elsewhere
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n2:11:21 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47911> with status=12 opcode=0 len=0 vendor err 129 (Send)
'''
*/
WITH unplaced AS (              -- one end is not known: an older line, or a console without prefixes
  SELECT attempt, list(DISTINCT peer ORDER BY peer) FILTER (WHERE peer IS NOT NULL) AS peers, min(ts) AS began,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   failed_completions f
  WHERE  status = 12
  AND    NOT EXISTS (SELECT 1 FROM broken_paths b WHERE b.attempt IS NOT DISTINCT FROM f.attempt)
  GROUP  BY attempt),
broken AS (
  SELECT attempt, [one, other] AS hosts, coalesce(adapters, []) AS devices, began, evidence,
         printf('%s and %s lost the RDMA path between them%s: requests are no longer acknowledged (status 12)', one, other,
                CASE WHEN len(adapters) = 1 THEN ', on ' || replace(adapters[1], '/', ' ') WHEN len(adapters) > 1 THEN printf(', on %d adapters', len(adapters)) ELSE '' END) AS what
  FROM   broken_paths
  WHERE  paths = 1
  UNION ALL
  SELECT attempt, CASE WHEN len(peers) = 1 THEN peers ELSE [] END, [], began, evidence,
         CASE WHEN len(peers) = 1 THEN printf('%s, or a host that talks to it, lost its RDMA path: requests are no longer acknowledged (status 12)', peers[1])
              ELSE 'An RDMA path broke: requests are no longer acknowledged (status 12)' END
  FROM   unplaced)
SELECT b.attempt, b.hosts, b.devices, b.began, b.evidence, true AS either, b.what || '; these lines do not say which end is at fault' AS summary,
       CASE WHEN f.attempt IS NOT NULL THEN 'symptom' ELSE 'cause' END AS role
FROM   broken b
LEFT JOIN earlier_faults f ON f.attempt IS NOT DISTINCT FROM b.attempt AND (b.began IS NULL OR f.since <= b.began + INTERVAL 60 SECOND)
