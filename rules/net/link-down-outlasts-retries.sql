/*
title    = "A link of a host went down while the job used the network"
kind     = "net.link_flap"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["net.link_flap", "net.ib_error", "net.socket_error", "net.packet_loss", "hang.*", "launcher.*", "desync.rank_behind", "desync.collective_mismatch", "crash.signal", "crash.python", "storage.stall"]
needs    = ["kernel_net"]
explanation = """
The kernel of this host saw its link go down, a local fact, and within the retry window the job's processes complained of lost requests, lost
connections or a collective that no longer moved. RDMA retries for 4 to 140 seconds by setting (4.096 us * 2^timeout * (retries + 1)), so the message comes that much later.
"""
advice = """
Drain the host named; look at cable, transceiver and switch port of that interface (`ethtool -m`, `mlxlink -d DEVICE -m -e`, switch log), and exchange the cable if link_downed has grown before.
"""
false_positives = "An interface that the job does not use; a short blip rides on retries and is not counted unless a failure names this host."
references = ["Linux kernel: netdev carrier events", "libibverbs: IBV_EVENT_PORT_ERR"]
[[test]]
fires = 1
expect = { hosts = ["node2"], devices = ["node2/enp75s0np0"], confidence = "certain" }
logs."nccl.log" = '''
node2:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:00] node1:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
logs."node2.syslog" = '''
2026-11-30T03:12:50.000000+00:00 node2 kernel: mlx5_core 0000:4b:00.0 enp75s0np0: Link down
2026-11-30T03:12:50.100000+00:00 node2 systemd-networkd[1201]: enp75s0np0: Lost carrier
2026-11-30T03:15:50.000000+00:00 node2 kernel: mlx5_core 0000:4b:00.0 enp75s0np0: Link up
'''
[[test]]
fires = 1                        # only a watchdog complains, and the link never came back
expect = { hosts = ["node2"], confidence = "likely" }
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2026-11-30T03:12:50.000000+00:00 node2 kernel: mlx5_core 0000:4b:00.0 enp75s0np0: Link down
'''
[[test]]
fires = 0                        # a blip of seconds, two hours before
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:00] node1:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
logs."node2.syslog" = '''
2026-11-30T01:12:50.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Lost carrier
2026-11-30T01:12:56.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Gained carrier
'''
[[test]]
fires = 0                        # the management interface
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2026-11-30T03:12:50.000000+00:00 node2 kernel: igb 0000:03:00.0 eno1: igb: eno1 NIC Link is Down
2026-11-30T03:13:50.000000+00:00 node2 kernel: igb 0000:03:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex
'''
[[test]]
fires = 0                        # nobody minded
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:30:00] node1:10:20 [0] init.cc:10 NCCL WARN something
'''
logs."node2.syslog" = '''
2026-11-30T03:12:50.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Lost carrier
2026-11-30T03:12:56.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Gained carrier
'''
*/
WITH bound AS (
  SELECT DISTINCT host, interface FROM nccl_bootstrap_using),
rdma AS (
  SELECT DISTINCT host, netdev FROM nic_identity WHERE netdev IS NOT NULL),
affected AS (
  SELECT s.attempt, o.host, o.dev, o.driver, o.began, o.ended, o.evidence, c.host = o.host OR c.peer = o.host AS named, c.ts,
         row_number() OVER (PARTITION BY s.attempt, o.host, o.dev, o.began, o.ended ORDER BY c.ts) AS nth
  FROM   link_outages o
  -- a log without times on its first lines begins earlier than the first time in it
  JOIN   job_spans s ON o.began BETWEEN s.began - INTERVAL 240 SECOND AND s.ended
  JOIN   network_complaints c ON c.attempt IS NOT DISTINCT FROM s.attempt
  -- what says no time was said before the job's last word; a wait may begin a step before the kernel's line; retries end at most four minutes after the link is gone
  AND    coalesce(c.ts, s.ended) BETWEEN o.began - INTERVAL 30 SECOND AND o.began + INTERVAL 240 SECOND),
outage AS (
  SELECT attempt, host, dev, min(driver) AS driver, min(began) AS began, max(ended) AS ended, bool_or(ended IS NULL) AS stayed_down, bool_or(coalesce(named, false)) AS named,
         list(DISTINCT e.evidence ORDER BY e.evidence) AS evidence
  FROM   affected, LATERAL (SELECT unnest(affected.evidence) AS evidence) e
  GROUP  BY attempt, host, dev)
SELECT attempt, [host] AS hosts, [host || '/' || dev] AS devices, began, ended, evidence, CASE WHEN named THEN 'certain' ELSE 'likely' END AS confidence,
       printf('%s: the link of %s went down at %s%s', host, dev, strftime(began, '%H:%M:%S'),
              CASE WHEN stayed_down THEN ' and did not come back' ELSE printf(' for %.0f s', epoch(ended - began)) END) AS summary
FROM   outage
-- 8 seconds are the shortest retry window in use (timeout 18, 7 retries): a shorter blip needs a failure that names this host
WHERE  named
OR     (stayed_down OR ended - began > INTERVAL 8 SECOND)
       -- and an interface that a job would use: RDMA by name or driver, or the one that NCCL binds
       AND (regexp_matches(dev, '^(ib|bond|hsn|rail|gpu|rdma|roce)') OR driver IN ('mlx5_core', 'mlx4_core', 'bnxt_en', 'ice', 'irdma', 'efa', 'ena', 'gve')
            OR (host, dev) IN (SELECT (host, interface) FROM bound) OR (host, dev) IN (SELECT (host, netdev) FROM rdma))
