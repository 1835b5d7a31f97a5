/*
title    = "GPUs of one host talk through host memory, those of its siblings directly"
kind     = "perf.transport_fallback"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "perf.p2p_off", "config.env"]
needs    = ["connections"]
explanation = """
Inside this host all channels go over SHM (or the network) while the same channels elsewhere use peer access. Its GPUs cannot reach each other directly:
NVLink or fabric manager down, ACS or IOMMU on, containers apart, or a setting on this host only.
"""
advice = """
On the host named run `nvidia-smi topo -m`, `nvidia-smi nvlink -s` and `systemctl status nvidia-fabricmanager`, and compare the NCCL variables with a sibling's.
"""
false_positives = "A host of another build in a mixed job."
references = ["NCCL source: transport/p2p.cc, transport/shm.cc"]
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = '''
n1:11:21 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read
n3:11:21 [0] NCCL INFO Channel 00/0 : 4[0] -> 5[1] via P2P/CUMEM/read
n2:11:21 [0] NCCL INFO Channel 00 : 2[0] -> 3[1] via SHM/direct/direct
'''
[[test]]
fires = 1
expect = { hosts = ["n3"] }
logs."nccl.log" = '''
n1:11:21 [0] NCCL INFO Channel 00 : 0[1000] -> 1[2000] via P2P/IPC
n2:11:21 [0] NCCL INFO Channel 00 : 2[1000] -> 3[2000] via P2P/IPC
n3:11:21 [0] NCCL INFO Channel 00 : 4[1000] -> 5[2000] via direct shared memory
'''
[[test]]
fires = 0                       # all alike
logs."nccl.log" = '''
n1:11:21 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct
n2:11:21 [0] NCCL INFO Channel 00 : 2[0] -> 3[1] via SHM/direct/direct
'''
[[test]]
fires = 0                       # SHM between sockets beside P2P is normal
logs."nccl.log" = '''
n1:11:21 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC
n1:11:21 [1] NCCL INFO Channel 00 : 1[1] -> 2[2] via SHM/direct/direct
n2:11:21 [0] NCCL INFO Channel 00/0 : 4[0] -> 5[1] via P2P/IPC
n2:11:21 [1] NCCL INFO Channel 00 : 5[1] -> 6[2] via SHM/direct/direct
'''
*/
WITH inside AS (
  SELECT attempt, host, count(*) FILTER (WHERE transport LIKE 'P2P%') AS direct, count(*) FILTER (WHERE transport LIKE 'SHM%') AS staged, min(ts) AS began,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) FILTER (WHERE transport LIKE 'SHM%') AS evidence
  FROM   connections
  WHERE  host IS NOT NULL AND NOT duplicate AND (transport LIKE 'P2P%' OR transport LIKE 'SHM%')
  GROUP  BY attempt, host),
sibling AS (
  SELECT attempt, count(*) FILTER (WHERE direct > 0) AS with_p2p, count(*) FILTER (WHERE direct = 0) AS without FROM inside GROUP BY attempt)
SELECT i.attempt, [i.host] AS hosts, i.began,
       printf('The GPUs of %s talk through host memory (%d connections over SHM), those of %d other host%s directly', i.host, i.staged, s.with_p2p,
              CASE WHEN s.with_p2p > 1 THEN 's' ELSE '' END) AS summary,
       i.evidence
FROM   inside i
JOIN   sibling s ON s.attempt IS NOT DISTINCT FROM i.attempt
WHERE  i.direct = 0 AND i.staged > 0 AND s.with_p2p >= s.without
