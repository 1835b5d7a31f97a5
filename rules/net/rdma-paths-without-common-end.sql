/*
title    = "RDMA paths broke in several places"
kind     = "net.ib_error"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_ib"]
explanation = """
Requests between several pairs of hosts were no longer acknowledged (completion status 12), and no host is an end of all these paths. So it is
something that they share: a switch or rail, the subnet manager, congestion without a lossless class, a wrong address setting everywhere; or a cascade
in which hosts that had given up were missed in their turn.
"""
advice = """
Order the failures by time and look at the first pair; compare which rail (adapter number) they share, then read the log of that rail's switches and of the subnet manager.
If it came right after start on all hosts, check NCCL_IB_GID_INDEX, MTU and whether the rails reach each other.
"""
false_positives = "The end of a job in which one process died: then that process is the cause."
references = ["libibverbs: IBV_WC_RETRY_EXC_ERR"]
[[test]]
fires = 1
expect = { hosts = [] }
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.5<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n2:11:21 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.4<47911> with status=12 opcode=0 len=0 vendor err 129 (Send)
'''
[[test]]
fires = 1
expect = { summary = "RDMA paths between 4 pairs of hosts broke, all on mlx5_2: requests are no longer acknowledged (status 12), and no host is common to all" }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n2:11:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n3:12:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>
n4:13:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.4<0>
n1:10:21 [2] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<41782> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_2
n2:11:21 [2] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 10.0.0.3<41782> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_2
n3:12:21 [2] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 10.0.0.4<41782> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_2
n4:13:21 [2] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 10.0.0.1<41782> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_2
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n2:11:21 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47911> with status=12 opcode=0 len=0 vendor err 129 (Send)
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=5 opcode=0 len=0 vendor err 249 (Recv)
n2:11:21 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.4<47911> with status=5 opcode=0 len=0 vendor err 249 (Send)
'''
*/
WITH scattered AS (
  SELECT p.attempt, max(p.paths) AS paths, min(p.began) AS began, list(DISTINCT e.evidence ORDER BY e.evidence) AS evidence,
         count(DISTINCT split_part(a.adapter, '/', 2)) AS rails, min(split_part(a.adapter, '/', 2)) AS rail
  FROM   broken_paths p
  CROSS JOIN LATERAL (SELECT unnest(p.evidence) AS evidence) e
  LEFT JOIN LATERAL (SELECT unnest(p.adapters) AS adapter) a ON true
  WHERE  p.common IS NULL AND p.paths > 1
  GROUP  BY p.attempt)
SELECT s.attempt, s.began, s.evidence, CASE WHEN f.attempt IS NOT NULL THEN 'symptom' ELSE 'cause' END AS role,
       printf('RDMA paths between %d pairs of hosts broke%s: requests are no longer acknowledged (status 12), and no host is common to all', s.paths,
              CASE WHEN s.rails = 1 THEN ', all on ' || s.rail ELSE '' END) AS summary
FROM   scattered s
LEFT JOIN earlier_faults f ON f.attempt IS NOT DISTINCT FROM s.attempt AND (s.began IS NULL OR f.since <= s.began + INTERVAL 60 SECOND)
