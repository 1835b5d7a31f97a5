/*
title    = "An RDMA adapter reported a fatal error"
kind     = "net.ib_error"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.*", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_ib"]
explanation = """
An asynchronous error event is a local fact: the adapter tells its own host that it, or one of its queues, is broken. A catastrophic error or a fatal
device means that the adapter was reset or died; the peers only see requests that nobody acknowledges. Each process prints every event.
"""
advice = """
Drain the host named and read `dmesg -T | grep -iE "mlx5|health|AER"` from that minute: firmware assert, PCIe error or overheating; update firmware or replace the adapter if it comes back.
"""
false_positives = "A `local access violation` of one queue can come from a program that freed a buffer."
references = ["libibverbs: ibv_async_event", "NCCL source: net_ib.cc, async fatal event"]
[[test]]
fires = 1
expect = { devices = ["n4/mlx5_1"], hosts = ["n4"], confidence = "certain" }
logs."nccl.log" = '''
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : local catastrophic error
n4:11:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : local catastrophic error
'''
[[test]]
fires = 1
expect = { devices = ["n4/mlx5_1"], confidence = "likely" }
logs."nccl.log" = '''
[2026-11-30 03:13:52] n4:10:20 [0] transport/net_ib/common.cc:88 NCCL WARN NET/IB : mlx5_1:1 async fatal event on QP (0x7f11): local work queue catastrophic error
'''
[[test]]
fires = 0                        # routine of the subnet manager
logs."nccl.log" = '''
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : client reregistration
n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : SM change
'''
[[test]]
fires = 0                        # that is the link
logs."nccl.log" = "n4:10:20 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error"
*/
WITH fatal AS (
  SELECT attempt, host, hca, event, ts, file_id, line, part FROM nccl_net_ib_async_fatal
  UNION ALL
  SELECT attempt, host, hca, event, ts, file_id, line, part FROM nccl_net_ib_async_event
  WHERE  regexp_matches(event, 'catastrophic|device fatal|^(CQ|QP|SRQ|EQ|WQ) .*error|access violation'))
SELECT attempt, min(ts) AS began, [host] AS hosts,
       CASE WHEN hca IS NULL THEN [] ELSE [coalesce(host || '/', '') || hca] END AS devices,
       CASE WHEN bool_or(regexp_matches(event, '^local catastrophic|device fatal')) THEN 'certain' ELSE 'likely' END AS confidence,
       printf('%s reported a fatal error: %s', coalesce(host || ' ' || hca, host || ': an RDMA adapter', 'RDMA adapter ' || hca, 'An RDMA adapter'), min(event)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   fatal
GROUP  BY attempt, host, hca
