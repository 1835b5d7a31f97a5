/*
title    = "TCP sockets although the host looks like one with RDMA"
kind     = "perf.transport_fallback"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["perf.low_busbw"]
needs    = ["nccl"]
explanation = """
NCCL found no RDMA device and chose sockets, while the interface it binds (ib0 and the like, or an IP-over-InfiniBand address), a setting
(NCCL_IB_HCA) or a fabric plugin says that the host has an RDMA network. Only traffic between hosts suffers.
"""
advice = """
In the same container run `ibv_devinfo` and `ls /dev/infiniband`; if the devices are missing there and present on the host, map them into the container.
"""
false_positives = "A job on a single host never uses the network; Ethernet-only sites."
references = ["NCCL source: net_ib.cc"]
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using ibp75s0:10.155.0.220<0>
n1:10:20 [0] NCCL INFO NET/IB : No device found.
n1:10:20 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_0,mlx5_1
n1:10:20 [0] NCCL INFO NET/IB : No device found.
n1:10:20 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 0                       # an ordinary host
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.155.0.220<0>
n1:10:20 [0] NCCL INFO NET/IB : No device found.
n1:10:20 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using ib0:10.155.0.220<0>
n1:10:20 [0] NCCL INFO Using network IB
'''
*/
WITH hint AS (
  SELECT attempt, host, 'it binds ' || interface AS why, file_id, line, part
  FROM   nccl_bootstrap_using
  WHERE  regexp_matches(interface, '^ib[a-z]*[0-9]')
  UNION ALL
  SELECT attempt, host, name || ' is set', file_id, line, part
  FROM   nccl_env
  WHERE  name = 'NCCL_IB_HCA')
SELECT h.attempt, CASE WHEN (SELECT count(*) FROM host_networks) <= 1 THEN [] ELSE [h.host] END AS hosts,
       printf('NCCL found no RDMA device%s and is left with TCP sockets, although %s', CASE WHEN (SELECT count(*) FROM host_networks) <= 1 THEN '' ELSE ' on ' || h.host END,
              min(h.why)) AS summary,
       list({'file_id': m.file_id, 'line': m.line, 'part': m.part} ORDER BY m.file_id, m.line, m.part) AS evidence
FROM   hint h
JOIN   rdma_missing m ON m.host = h.host AND m.attempt IS NOT DISTINCT FROM h.attempt
LEFT JOIN host_networks n ON n.host = h.host AND n.attempt IS NOT DISTINCT FROM h.attempt
WHERE  coalesce(n.only_sockets, true)      -- a log cut before the choice still shows that no device was found
AND    NOT EXISTS (SELECT 1 FROM host_networks o WHERE o.attempt IS NOT DISTINCT FROM h.attempt AND NOT o.only_sockets)
GROUP  BY h.attempt, h.host
