/*
title    = "Peer access is off between GPUs that are made for it"
kind     = "perf.p2p_off"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.low_channels", "perf.transport_fallback"]
needs    = ["nccl_topology", "connections"]
explanation = """
NCCL found that GPUs of this host cannot reach each other's memory, and traffic between them goes through host memory. On boards with NVLink that is never meant: access control
services (ACS) or an IOMMU stand between, a virtual machine hides the links, containers are apart, or the fabric manager does not run.
"""
advice = """
On the host: `nvidia-smi topo -p2p r` and `nvidia-smi topo -m` (NV between all pairs?), `systemctl status nvidia-fabricmanager`, `lspci -vvv | grep ACSCtl` (all minus), `cat /proc/cmdline` for the IOMMU.
"""
false_positives = "Workstation boards, on which it is off by design: only boards with NVLink are counted."
references = ["NCCL source: graph/paths.cc; NCCL documentation: troubleshooting, GPU-to-GPU communication"]
[[test]]
fires = 1
expect = { hosts = ["a100x"] }
logs."nccl.log" = '''
a100x:500:600 [0] NCCL INFO P2P is disabled between connected GPUs 0 and 1. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.
a100x:500:600 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct
'''
logs."smi-a100x.txt" = """
GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-33333330-aaaa-bbbb-cccc-dddddddddddd)
GPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-33333331-aaaa-bbbb-cccc-dddddddddddd)
"""
[[test]]
fires = 1                        # the device list of a benchmark names the board
logs."nccl.log" = '''
#  Rank  0 Group  0 Pid   4121 on    node017 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
node017:500:600 [0] NCCL INFO P2P is disabled between connected GPUs 0 and 1. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.
node017:500:600 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct
'''
[[test]]
fires = 0                        # by design
logs."nccl.log" = '''
ws:500:600 [0] NCCL INFO P2P is disabled between connected GPUs 0 and 1. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.
ws:500:600 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct
'''
logs."smi.txt" = """
GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-33333330-aaaa-bbbb-cccc-dddddddddddd)
"""
[[test]]
fires = 0                        # what boards they are, nobody says
logs."nccl.log" = '''
ws:500:600 [0] NCCL INFO P2P is disabled between connected GPUs 0 and 1. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.
ws:500:600 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct
'''
*/
WITH board AS (
  SELECT host, name FROM gpu_identity WHERE name IS NOT NULL
  UNION SELECT device_host, name FROM bench_nccl_tests_device),
off AS (
  SELECT attempt, host, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence FROM nccl_topo_p2p_disabled GROUP BY attempt, host),
slow AS (
  SELECT attempt, host, count(*) AS n FROM connections WHERE transport LIKE 'SHM%' AND NOT duplicate GROUP BY attempt, host)
SELECT o.attempt, [o.host] AS hosts, o.evidence,
       coalesce(o.host || ': ', '') || printf('peer access is off between its GPUs (%s), so %d connections go through host memory', min(b.name), s.n) AS summary
FROM   off o
JOIN   slow s ON s.attempt IS NOT DISTINCT FROM o.attempt AND s.host IS NOT DISTINCT FROM o.host
JOIN   board b ON (b.host = o.host OR b.host IS NULL OR o.host IS NULL) AND regexp_matches(b.name, 'SXM|HBM3|H[128]00|A[18]00|V100|B[123]00|GB[23]00|H20$|MI[23]\d\d')
-- a setting that says so is another finding
WHERE  NOT EXISTS (SELECT 1 FROM nccl_env e WHERE e.name IN ('NCCL_P2P_DISABLE', 'NCCL_P2P_LEVEL') AND e.attempt IS NOT DISTINCT FROM o.attempt)
GROUP  BY o.attempt, o.host, o.evidence, s.n
