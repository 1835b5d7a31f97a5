/*
title    = "An RDMA device is there but cannot be used"
kind     = "perf.transport_fallback"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.*", "config.env"]
needs    = ["nccl"]
explanation = """
The adapter is listed and NCCL could not open or query it, so it falls back to TCP sockets: the job runs, slowly. Mostly the device node
is not mapped into the container, permissions or the memlock limit are missing, or library and kernel driver do not fit.
"""
advice = """
In the same container run `ibv_devinfo -d DEVICE` and `ulimit -l`; map /dev/infiniband, add IPC_LOCK and raise memlock.
"""
false_positives = "A storage or management adapter that NCCL should not use anyway; exclude it with NCCL_IB_HCA."
references = ["NCCL source: net_ib.cc, Unable to open device"]
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:144 NCCL WARN NET/IB : Unable to open device mlx5_bond_1
n1:10:20 [0] NCCL INFO NET/IB : No device found.
n1:10:20 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:144 NCCL WARN NET/IB : Unable to query device mlx5_2
n1:10:20 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NET/IB : No device found.
n1:10:20 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 0                       # the others are enough
logs."nccl.log" = '''
n1:10:20 [0] transport/net_ib.cc:144 NCCL WARN NET/IB : Unable to open device mlx5_9
n1:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>
n1:10:20 [0] NCCL INFO Using network IB
'''
*/
SELECT u.attempt, list(DISTINCT u.host ORDER BY u.host) FILTER (WHERE u.host IS NOT NULL) AS hosts,
       [coalesce(u.host || '/', '') || u.hca] AS devices,
       printf('%s cannot be opened by NCCL, which falls back to TCP sockets', coalesce(u.host || ' ', '') || u.hca) AS summary,
       list({'file_id': u.file_id, 'line': u.line, 'part': u.part} ORDER BY u.file_id, u.line, u.part) AS evidence
FROM   rdma_missing u
WHERE  u.hca IS NOT NULL
AND    NOT EXISTS (SELECT 1 FROM nccl_net_using n WHERE n.attempt IS NOT DISTINCT FROM u.attempt AND n.host IS NOT DISTINCT FROM u.host AND n.network <> 'Socket')
GROUP  BY u.attempt, u.host, u.hca
