/*
title    = "An RDMA port went down and stayed down"
kind     = "net.link_flap"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["net.ib_error", "net.socket_error", "hang.*", "launcher.*", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl"]
explanation = """
The adapter told its own host that its port lost the link: a local fact. Peers only see retries. Each process prints every
event of every adapter, so lines are not counted; the last word of each process decides.
"""
advice = """
Drain this host and look at `ibstat`, the cable, the transceiver and the switch port.
"""
false_positives = "A port that comes back within the retry window is a stall, not a failure; a later `port active` silences this."
references = ["libibverbs: IBV_EVENT_PORT_ERR"]
[[test]]
fires = 1
expect = { hosts = ["node064"], devices = ["node064/mlx5_5"] }
logs."node064.log" = '''
[2026-11-30 03:13:52] node064:4121:4390 [0] transport/net_ib/common.cc:88 NCCL WARN NET/IB : mlx5_5:1 Got non-fatal async event: port error(10)
'''
[[test]]
fires = 0
logs."node064.log" = '''
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port error
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port active
node064:4121:4402 [5] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.19.9<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
'''
*/
WITH last_word AS (
  SELECT * FROM nccl_net_ib_async_event
  WHERE  event IN ('port error', 'port active') AND hca IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY file_id, host, pid, hca ORDER BY line DESC, part DESC) = 1)
SELECT attempt, [host] AS hosts, [host || '/' || hca] AS devices, min(ts) AS began,
       printf('%s %s: the port went down and stayed down', host, hca) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   last_word
GROUP  BY attempt, host, hca
HAVING bool_and(event = 'port error')
