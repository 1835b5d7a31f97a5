/*
title    = "A link went down again and again"
kind     = "net.link_flap"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["net.ib_error", "net.socket_error", "net.packet_loss", "hang.*", "launcher.*", "desync.rank_behind", "perf.*"]
needs    = ["kernel_net", "nccl_ib"]
explanation = """
One link of this host went down three times or more while the job ran. Each time the traffic over it stops and is sent again; a longer one ends the job.
Mostly a cable or transceiver on its way out.
"""
advice = """
Drain the host named and exchange cable and transceiver of that interface; watch link_downed and symbol errors of both ends afterwards.
"""
false_positives = "Work on the switch during the job; then all hosts of that switch show it."
references = ["Linux kernel: netdev carrier events", "libibverbs: IBV_EVENT_PORT_ERR"]
[[test]]
fires = 1
expect = { hosts = ["node2"], devices = ["node2/ibp206s0"] }
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 05:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
'''
logs."node2.syslog" = '''
2026-11-30T03:12:50.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Lost carrier
2026-11-30T03:12:56.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Gained carrier
2026-11-30T03:42:50.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Lost carrier
2026-11-30T03:42:56.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Gained carrier
2026-11-30T04:12:50.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Lost carrier
2026-11-30T04:12:56.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Gained carrier
'''
[[test]]
fires = 1
expect = { devices = ["n4/mlx5_1"] }
logs."nccl.log" = '''
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port active
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port active
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port active
'''
[[test]]
fires = 0                        # eight processes print one event
logs."nccl.log" = '''
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error
n4:11:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error
n4:12:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error
n4:13:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error
'''
[[test]]
fires = 0                        # once, and the interfaces of containers
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 05:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
'''
logs."node2.syslog" = '''
2026-11-30T03:12:50.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Lost carrier
2026-11-30T03:12:56.000000+00:00 node2 systemd-networkd[1201]: ibp206s0: Gained carrier
2026-11-30T03:42:50.000000+00:00 node2 systemd-networkd[1201]: veth01: Lost carrier
2026-11-30T03:42:56.000000+00:00 node2 systemd-networkd[1201]: veth02: Lost carrier
'''
*/
WITH kernel AS (
  SELECT s.attempt, o.host, o.dev, count(DISTINCT o.began) AS times, min(o.began) AS began, max(o.ended) AS ended, list(DISTINCT e.evidence ORDER BY e.evidence) AS evidence
  FROM   link_outages o
  JOIN   job_spans s ON o.began BETWEEN s.began AND s.ended
  CROSS JOIN LATERAL (SELECT unnest(o.evidence) AS evidence) e
  GROUP  BY s.attempt, o.host, o.dev),
process AS (     -- each process prints every event of every adapter
  SELECT attempt, host, hca, pid, count(*) AS times, min(ts) AS began, max(ts) AS ended, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_net_ib_async_event
  WHERE  event = 'port error' AND host IS NOT NULL AND hca IS NOT NULL
  GROUP  BY attempt, host, hca, pid),
flap AS (
  SELECT * FROM kernel
  UNION ALL
  SELECT attempt, host, hca, times, began, ended, evidence FROM process
  QUALIFY row_number() OVER (PARTITION BY attempt, host, hca ORDER BY times DESC, pid) = 1)
SELECT attempt, [host] AS hosts, [host || '/' || dev] AS devices, began, ended, evidence,
       printf('%s: the link of %s went down %d times during the job', host, dev, times) AS summary
FROM   flap
-- once or twice in a job is ridden over by retries; from three on the same link does it again tomorrow
WHERE  times >= 3
