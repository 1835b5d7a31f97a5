/*
title    = "RDMA requests failed inside the host"
kind     = "net.ib_error"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "net.ib_error", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_ib"]
explanation = """
A completion with a local status is about the host that prints it: 1 and 2 a corrupted request, 4 a failed memory access (registration, or the path from
adapter to GPU memory with ACS or the IOMMU in the way), 19 and 21 the adapter or its firmware. It is no cable. On most hosts of a job at once it is
their common configuration.
"""
advice = """
On the host named: `dmesg -T | grep -iE "mlx5|DMAR|IO_PAGE_FAULT|peermem"`, and compare driver, OFED and nvidia-peermem versions with a sibling.
As a test run once with NCCL_NET_GDR_LEVEL=LOC: if that works, GPUDirect RDMA is at fault (ACS, IOMMU, peer-memory module).
"""
false_positives = "A buffer that the program freed while it was still sent gives status 4."
references = ["libibverbs: ibv_wc_status", "NCCL source: net_ib.cc"]
[[test]]
fires = 1
expect = { hosts = ["n4"] }
logs."nccl.log" = '''
n4:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=4 opcode=0 len=0 vendor err 81 (Send)
n3:11:21 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.4<47910> with status=12 opcode=0 len=0 vendor err 129 (Recv)
'''
[[test]]
fires = 1
expect = { hosts = ["n4"], devices = ["n4/mlx5_1"] }
logs."nccl.log" = '''
[2026-11-30 03:13:52] n4:10:20 [2] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.3<47910> with status=fatal error(19) opcode=Send(0) vendor_err=0 req_type=Send hca mlx5_1
'''
[[test]]
fires = 1                        # everywhere: a configuration
expect = { hosts = [] }
logs."nccl.log" = '''
n1:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=4 opcode=0 len=0 vendor err 81 (Send)
n2:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=4 opcode=0 len=0 vendor err 81 (Send)
n3:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.1<47910> with status=4 opcode=0 len=0 vendor err 81 (Send)
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n4:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=4 len=4 vendor err 129 (Send)
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n4:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=10 opcode=0 len=0 vendor err 136 (Send)
n4:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=5 opcode=0 len=0 vendor err 249 (Send)
'''
*/
WITH refused AS (
  SELECT attempt, status, host, hca, ts, file_id, line, part,
         CASE WHEN status = 4 THEN 'memory access refused' WHEN status IN (1, 2, 6, 8) THEN 'corrupted request' ELSE 'adapter fault' END AS what
  FROM   failed_completions
  WHERE  status IN (1, 2, 4, 6, 8, 19, 21)),
spread AS (
  SELECT attempt, count(DISTINCT host) AS hosts FROM refused GROUP BY attempt)
SELECT r.attempt, min(r.ts) AS began, list(DISTINCT r.host ORDER BY r.host) FILTER (WHERE r.host IS NOT NULL AND s.hosts <= 2) AS hosts,
       list(DISTINCT r.host || '/' || r.hca ORDER BY r.host || '/' || r.hca) FILTER (WHERE r.host IS NOT NULL AND r.hca IS NOT NULL AND s.hosts <= 2) AS devices,
       printf('%s: RDMA requests failed inside the host (status %s, %s)',
              -- more than two hosts with the same local fault share a configuration; their adapters did not break together
              CASE WHEN s.hosts > 2 THEN printf('%d hosts', s.hosts) ELSE coalesce(string_agg(DISTINCT r.host, ', ' ORDER BY r.host), 'A host') END,
              string_agg(DISTINCT CAST(r.status AS VARCHAR), ', ' ORDER BY CAST(r.status AS VARCHAR)), min(r.what)) AS summary,
       list({'file_id': r.file_id, 'line': r.line, 'part': r.part} ORDER BY r.file_id, r.line, r.part) AS evidence
FROM   refused r
JOIN   spread s ON s.attempt IS NOT DISTINCT FROM r.attempt
GROUP  BY r.attempt, s.hosts
