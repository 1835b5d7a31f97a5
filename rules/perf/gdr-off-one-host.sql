/*
title    = "GPUDirect RDMA is off on one host and on at its siblings"
kind     = "perf.gdr_off"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "perf.gdr_off", "config.env"]
needs    = ["connections"]
explanation = """
The network connections of this host go through host memory (no /GDRDMA behind the device), while the same work elsewhere reads and writes
GPU memory directly. Between hosts a third to a tenth of the bandwidth remains, and everybody waits for this host.
"""
advice = """
On the host named: `lsmod | grep -e nvidia_peermem -e nv_peer_mem`, `dmesg -T | grep -i peermem`; load nvidia-peermem (or use DMA-BUF with the open kernel module) and compare driver and OFED versions with a sibling.
"""
false_positives = "A host whose GPUs stand too far from its adapters (NCCL_NET_GDR_LEVEL)."
references = ["NCCL source: transport/net.cc, /GDRDMA"]
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA
n1:11:21 [1] NCCL INFO Channel 01/0 : 1[1] -> 9[1] [send] via NET/IB/1/GDRDMA
n2:12:22 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [send] via NET/IB/0
n2:13:23 [1] NCCL INFO Channel 01/0 : 9[1] -> 1[1] [send] via NET/IB/1
'''
[[test]]
fires = 1
expect = { hosts = ["n3"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Channel 00 : 0[1000] -> 8[1000] [send] via NET/IB/0/GDRDMA/Shared
n2:11:21 [0] NCCL INFO Channel 00 : 8[1000] -> 16[1000] [send] via NET/IB/0/GDRDMA/Shared
n3:12:22 [0] NCCL INFO Channel 00 : 16[1000] -> 0[1000] [send] via NET/IB/0/Shared
'''
[[test]]
fires = 0                       # nobody has it: a property of the site
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0
n2:12:22 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [send] via NET/IB/0
'''
[[test]]
fires = 0                       # one pair of a host only
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA
n2:12:22 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [send] via NET/IB/0/GDRDMA
n2:12:22 [0] NCCL INFO Channel 01/0 : 8[0] -> 0[0] [send] via NET/IB/1
'''
*/
WITH host_gdr AS (
  SELECT attempt, host, count(*) AS total, count(*) FILTER (WHERE gdr) AS direct, min(ts) AS began,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   connections
  WHERE  transport LIKE 'NET/%' AND transport <> 'NET/Socket' AND host IS NOT NULL AND NOT duplicate
  GROUP  BY attempt, host),
sibling AS (
  SELECT attempt, count(*) FILTER (WHERE direct > 0) AS hosts_with, count(*) FILTER (WHERE direct = 0) AS hosts_without FROM host_gdr GROUP BY attempt)
SELECT h.attempt, [h.host] AS hosts, h.began,
       printf('GPUDirect RDMA is off on %s: its %d network connections go through host memory, those of %d other host%s do not',
              h.host, h.total, s.hosts_with, CASE WHEN s.hosts_with > 1 THEN 's' ELSE '' END) AS summary,
       h.evidence
FROM   host_gdr h
JOIN   sibling s ON s.attempt IS NOT DISTINCT FROM h.attempt
WHERE  h.direct = 0 AND s.hosts_with >= s.hosts_without
