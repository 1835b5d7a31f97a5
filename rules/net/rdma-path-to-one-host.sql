/*
title    = "Several hosts lost their RDMA path to one host"
kind     = "net.ib_error"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "net.ib_error", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_ib"]
explanation = """
A request that is retried until nobody acknowledges it (completion status 12) names two ends, and the one that prints it is usually healthy. Here one
host is an end of every broken path, whether others complain of it or it complains of several others: the fault is there, in its adapter, cable,
switch port, or because its process or kernel stopped. Where all its own failures are on one adapter, that adapter is named.
"""
advice = """
On the host named: `ibstat`, `dmesg -T | grep -iE "mlx5|link|Xid|oom"`, and the end of its ranks' logs; was a process killed or the host frozen in the minutes before?
Compare port counters before and after (link_downed, symbol_error, local_ack_timeout_err) and look at its switch port.
If it came right after start, check addressing instead: NCCL_IB_GID_INDEX, RoCE version, MTU, VLAN.
"""
false_positives = "A process that died there gives the same picture; its own log or the kernel log tells."
references = ["libibverbs: IBV_WC_RETRY_EXC_ERR", "NCCL source: net_ib.cc, Got completion"]
[[test]]
fires = 1
expect = { hosts = ["10.0.0.3"], confidence = "likely" }
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n2:11:21 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47911> with status=12 opcode=0 len=0 vendor err 129 (Send)
'''
[[test]]
fires = 1                        # it complains of several others, always on one adapter
expect = { hosts = ["n1"], devices = ["n1/mlx5_3"] }
logs."nccl.log" = '''
n1:10:20 [3] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<41782> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_3
n1:10:20 [3] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 10.0.0.3<41783> with status=12 opcode=0 len=0 vendor err 129 (Send) hca mlx5_3
'''
[[test]]
fires = 1                        # both directions, addresses known from the start
expect = { hosts = ["n3"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n2:11:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n3:12:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n3:12:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
'''
[[test]]
fires = 0                        # one pair: it could be either
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n1:11:21 [1] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47911> with status=12 opcode=0 len=0 vendor err 129 (Send)
'''
[[test]]
fires = 0                        # flushed requests follow something
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=5 opcode=0 len=0 vendor err 249 (Recv)
n2:11:21 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47911> with status=5 opcode=0 len=0 vendor err 249 (Send)
'''
[[test]]
fires = 0                        # two pairs without a common end
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.5<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n2:11:21 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.4<47911> with status=12 opcode=0 len=0 vendor err 129 (Send)
'''
*/
WITH hub AS (
  SELECT attempt, common AS host, count(DISTINCT one || ' ' || other) AS spokes, min(began) AS began,
         list(DISTINCT a.adapter ORDER BY a.adapter) FILTER (WHERE starts_with(a.adapter, common || '/')) AS adapters,
         count(DISTINCT CASE WHEN a.adapter IS NULL OR starts_with(a.adapter, common || '/') THEN one || ' ' || other END) AS own_spokes
  FROM   broken_paths
  LEFT JOIN LATERAL (SELECT unnest(adapters) AS adapter) a ON true
  WHERE  common IS NOT NULL
  GROUP  BY attempt, common),
line AS (
  SELECT p.attempt, list(DISTINCT e.evidence ORDER BY e.evidence) AS evidence
  FROM   broken_paths p, LATERAL (SELECT unnest(p.evidence) AS evidence) e
  WHERE  p.common IS NOT NULL
  GROUP  BY p.attempt)
SELECT h.attempt, [h.host] AS hosts, h.began, l.evidence,
       CASE WHEN len(h.adapters) = 1 AND h.own_spokes >= 2 THEN h.adapters ELSE [] END AS devices,
       CASE WHEN f.attempt IS NOT NULL THEN 'symptom' ELSE 'cause' END AS role,
       printf('%s lost its RDMA paths to %d other hosts: requests are no longer acknowledged (status 12)%s', h.host, h.spokes,
              CASE WHEN len(h.adapters) = 1 AND h.own_spokes >= 2 THEN ', all on ' || split_part(h.adapters[1], '/', 2) ELSE '' END) AS summary
FROM   (SELECT attempt, host, max(spokes) AS spokes, min(began) AS began, min(adapters) AS adapters, max(own_spokes) AS own_spokes FROM hub GROUP BY attempt, host) h
JOIN   line l ON l.attempt IS NOT DISTINCT FROM h.attempt
LEFT JOIN earlier_faults f ON f.attempt IS NOT DISTINCT FROM h.attempt AND (h.began IS NULL OR f.since <= h.began + INTERVAL 60 SECOND)
