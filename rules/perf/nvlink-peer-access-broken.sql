/*
title    = "Peer access is off between GPUs that NVLink connects"
kind     = "perf.p2p_off"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "perf.*", "crash.cuda_error", "net.socket_error"]
needs    = ["nccl_topology"]
explanation = """
NCCL sees NVLinks between these GPUs and the driver refuses peer access over them. NCCL calls that a hardware issue: a broken link or bridge, or a fabric that is not
set up. The same line without the word NVLINK is the ordinary state of boards without it and is not counted.
"""
advice = """
On the host named: `nvidia-smi nvlink -s`, `nvidia-smi topo -p2p n`, `dmesg -T | grep -i xid`; check the fabric manager; reseat or replace bridge or board.
"""
false_positives = "Virtual machines that pass NVLinks through in part."
references = ["NCCL source: graph/paths.cc"]
[[test]]
fires = 1
expect = { hosts = ["n1"], gpus = ["n1:2", "n1:3"] }
logs."nccl.log" = "n1:10:20 [2] graph/paths.cc:290 NCCL WARN P2P is disabled between NVLINK connected GPUs 2 and 3. This should not be the case given their connectivity, and is probably due to a hardware issue."
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [2] graph/paths.cc:290 NCCL WARN P2P is disabled between NVLINK connected GPUs 0 and 1. This should not be the case given their connectivity, and is probably due to a hardware issue.
n1:10:20 [2] graph/paths.cc:290 NCCL WARN P2P is disabled between NVLINK connected GPUs 0 and 2. This should not be the case given their connectivity, and is probably due to a hardware issue.
'''
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO P2P is disabled between connected GPUs 1 and 0. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1."
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct"
*/
WITH off AS (
  SELECT attempt, host, unnest([gpu_a, gpu_b]) AS gpu, file_id, line, part, ts FROM nccl_topo_p2p_disabled WHERE nvlink IS NOT NULL)
SELECT attempt, [host] AS hosts, min(ts) AS began,
       -- two GPUs are a link; with more of them it is the board or the fabric
       CASE WHEN host IS NOT NULL AND count(DISTINCT gpu) = 2 THEN list(DISTINCT host || ':' || gpu ORDER BY host || ':' || gpu) ELSE [] END AS gpus,
       printf('%s: peer access is off between GPUs that NVLink connects (%s)', coalesce(host, 'A host'), string_agg(DISTINCT gpu, ', ' ORDER BY gpu)) AS summary,
       list(DISTINCT {'file_id': file_id, 'line': line, 'part': part} ORDER BY {'file_id': file_id, 'line': line, 'part': part}) AS evidence
FROM   off
GROUP  BY attempt, host
