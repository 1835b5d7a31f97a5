/*
title    = "One host fell back to TCP sockets while its siblings use RDMA"
kind     = "perf.transport_fallback"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "perf.*", "launcher.*", "net.socket_error", "config.env", "desync.rank_behind"]
needs    = ["nccl"]
explanation = """
Hosts that do the same work are each other's baseline. This one chose sockets where the others use their RDMA network: its adapter,
its driver or its library is not visible to the process. In one communicator the mixture cannot even connect.
"""
advice = """
On the host named run `ibv_devinfo` and `ls /dev/infiniband` inside the container, compare with a sibling, and drain it if the device is gone.
Compare image, device mapping (`--device=/dev/infiniband`), memlock limit and NCCL_IB_HCA with the siblings'.
"""
false_positives = "A login or data host that takes part on purpose without RDMA."
references = ["NCCL source: net.cc, Using network"]
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>
n1:10:20 [0] NCCL INFO Using network IB
n2:10:20 [0] NCCL INFO NET/IB : No device found.
n2:10:20 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 1
expect = { hosts = ["n3"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Using network IBext_v8
n2:10:20 [0] NCCL INFO Using network IBext_v8
n3:10:20 [0] NCCL INFO Failed to open libibverbs.so[.1]
n3:10:20 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 0                       # all alike: a configuration, judged elsewhere
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Using network Socket
n2:10:20 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Using network AWS Libfabric
n2:10:20 [0] NCCL INFO Using network AWS Libfabric
'''
*/
WITH sibling AS (
  SELECT attempt, count(*) FILTER (WHERE NOT only_sockets) AS with_rdma, count(*) FILTER (WHERE only_sockets) AS without,
         min(list_aggregate(list_filter(networks, lambda n: n <> 'Socket'), 'min')) AS network
  FROM   host_networks
  GROUP  BY attempt),
reason AS (
  SELECT attempt, host, min(why) AS why, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   rdma_missing
  GROUP  BY attempt, host)
SELECT h.attempt, [h.host] AS hosts,
       printf('%s uses TCP sockets while %d other host%s use%s %s%s', h.host, s.with_rdma, CASE WHEN s.with_rdma > 1 THEN 's' ELSE '' END,
              CASE WHEN s.with_rdma > 1 THEN '' ELSE 's' END, s.network, coalesce(' (' || r.why || ')', '')) AS summary,
       list_concat(coalesce(r.evidence, []), h.evidence) AS evidence
FROM   host_networks h
JOIN   sibling s ON s.attempt IS NOT DISTINCT FROM h.attempt
LEFT JOIN reason r ON r.attempt IS NOT DISTINCT FROM h.attempt AND r.host = h.host
WHERE  h.only_sockets AND s.with_rdma >= s.without
