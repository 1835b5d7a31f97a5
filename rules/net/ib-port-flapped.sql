/*
title    = "An RDMA port went down, came back, and requests had failed by then"
kind     = "net.link_flap"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["net.ib_error", "net.socket_error", "hang.*", "launcher.*", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_ib"]
explanation = """
The adapter told its own host that its port lost the link and that it came back, and requests to or from this host were not acknowledged: the outage was
longer than the retry window.
"""
advice = """
Look at cable, transceiver and switch port of the adapter named (`mlxlink -d ADAPTER -m -e`, link_downed of both ends); exchange the cable if it happened before.
To ride over such an outage raise NCCL_IB_TIMEOUT (each step doubles the window).
"""
false_positives = "A flap on one adapter while the requests failed on another."
references = ["libibverbs: IBV_EVENT_PORT_ERR, IBV_EVENT_PORT_ACTIVE"]
[[test]]
fires = 1
expect = { hosts = ["node064"], devices = ["node064/mlx5_5"] }
logs."node064.log" = '''
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port error
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port active
node064:4121:4402 [5] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.19.9<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
'''
[[test]]
fires = 1                        # the other end says so
expect = { devices = ["node064/mlx5_5"] }
logs."job.log" = '''
node064:4121:4390 [0] NCCL INFO Bootstrap : Using eth0:10.0.19.8<0>
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port error
node065:4121:4402 [5] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.19.8<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port active
'''
[[test]]
fires = 1                        # the other end, which knows it by an address only, on the adapter of the same rail
expect = { hosts = ["node064"], devices = ["node064/mlx5_5"] }
logs."job.log" = '''
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port error
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port active
node065:4121:4402 [5] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.19.8<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_5
'''
[[test]]
fires = 0                        # ridden over
logs."node064.log" = '''
[rank3]: iter 10: loss 2.4901, time 4207.08ms
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port error
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port active
[rank3]: iter 11: loss 2.4902, time 4201.08ms
'''
[[test]]
fires = 1                        # nothing tells how the job took it
expect = { hosts = ["node064"], devices = ["node064/mlx5_5"], confidence = "possible" }
logs."node064.log" = '''
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port error
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port active
'''
[[test]]
fires = 0                        # between two other hosts
logs."job.log" = '''
node064:4121:4390 [0] NCCL INFO Bootstrap : Using eth0:10.0.19.8<0>
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port error
node064:4121:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_5:1 Got async event : port active
node065:4121:4402 [5] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.19.9<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
'''
*/
WITH port AS (
  SELECT attempt, host, hca, min(ts) FILTER (WHERE event = 'port error') AS began, max(ts) FILTER (WHERE event = 'port active') AS ended,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_net_ib_async_event
  WHERE  event IN ('port error', 'port active') AND host IS NOT NULL AND hca IS NOT NULL
  GROUP  BY attempt, host, hca
  HAVING bool_or(event = 'port error') AND bool_or(event = 'port active')),
judged AS (
  SELECT p.*, EXISTS (SELECT 1 FROM failed_completions f
               WHERE f.attempt IS NOT DISTINCT FROM p.attempt AND f.status = 12
               -- on this adapter, where the line names one
               AND ((f.host = p.host AND (f.hca IS NULL OR f.hca = p.hca)) OR f.peer = p.host
                    -- a peer known by an address alone may be this host; adapters of one rail have one name
                    OR (f.hca = p.hca AND regexp_matches(f.peer, '^[0-9a-f.:]+$') AND f.host IS DISTINCT FROM p.host))) AS outlasted
  FROM   port p)
SELECT p.attempt, [p.host] AS hosts, [p.host || '/' || p.hca] AS devices, p.began, p.ended, p.evidence,
       CASE WHEN outlasted THEN 'likely' ELSE 'possible' END AS confidence, CASE WHEN outlasted THEN 'critical' ELSE 'medium' END AS severity,
       printf('%s %s: the port went down and came back%s', p.host, p.hca, CASE WHEN outlasted THEN ', longer than requests are retried' ELSE '' END) AS summary
FROM   judged p
-- without a failed request it is the story only if nothing else in the input tells how the job went
WHERE  outlasted OR NOT (EXISTS (SELECT 1 FROM steps) OR EXISTS (SELECT 1 FROM job_ends e WHERE e.attempt = p.attempt AND (e.completed OR e.failed)) OR EXISTS (SELECT 1 FROM failed_completions))
