/*
title    = "A host offers fewer GPUs than it should"
kind     = "hw.gpu_lost"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["launcher.*", "hang.init", "crash.cuda_error", "sched.gang"]
needs    = ["slurm", "slurm_tables", "kubernetes"]
explanation = """
Slurm's GRES count or the Kubernetes device plugin found a GPU less than configured: it was lost, or marked unhealthy after an Xid.
"""
advice = """
Compare `nvidia-smi -L` and `lspci | grep -i nvidia` with the expected count on that host, then `dmesg -T | grep NVRM`.
Keep the host drained until the count is right.
"""
false_positives = "A GPU held by another container or in MIG mode also lowers the count."
references = ["slurm.conf: gres", "NVIDIA k8s-device-plugin"]
[[test]]
fires = 1
expect = { hosts = ["node17"] }
logs."slurmctld.log" = '''
[2024-05-01T12:00:00.123] error: Setting node node17 state to INVAL with reason:gres/gpu count reported lower than configured (7 < 8)
'''
[[test]]
fires = 1
expect = { hosts = [] }
logs."events.txt" = '''
Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 8, Available: 7, which is unexpected
'''
[[test]]
fires = 0                       # not of GPUs
logs."slurmctld.log" = '''
[2024-05-01T12:00:00.123] error: Setting node node17 state to INVAL with reason:gres/shard count reported lower than configured (7 < 8)
'''
[[test]]
fires = 0                       # nothing left is a full host, not a lost GPU
logs."events.txt" = '''
Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 8, Available: 0, which is unexpected
'''
[[test]]
fires = 1
expect = { hosts = ["dgx-07"] }
logs."scontrol.txt" = '''
NodeName=dgx-07 Arch=x86_64 CoresPerSocket=56
   Gres=gpu:h100:8
   State=IDLE+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Reason=gres/gpu count reported lower than configured (7 < 8) [slurm@2025-01-20T07:31:02]
'''
*/
WITH line AS (
  -- the reason in a record of `scontrol show node` belongs to the node that begins it
  SELECT g.attempt, g.file_id, g.line, g.part, g.ts, coalesce(g.nodes, split_part(r.nodes, '.', 1)) AS place, g.have, g.want
  FROM   slurm_node_gres_missing g
  LEFT JOIN slurm_node_record r ON r.file_id = g.file_id AND g.line BETWEEN r.line AND r.line + r.n_lines - 1
  WHERE  g.gres LIKE 'gres/gpu%'
  UNION ALL
  SELECT attempt, file_id, line, part, ts, NULL, available, requested FROM k8s_admission_error WHERE resource LIKE 'nvidia.com/gpu%' AND available > 0)
SELECT l.attempt, list(DISTINCT place ORDER BY place) FILTER (WHERE place IS NOT NULL AND place NOT LIKE '%[%') AS hosts, min(ts) AS began,
       printf('%s offers %d of %d GPUs', coalesce(min(place), 'A host'), min(have), max(want)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   line l
LEFT   JOIN job_ends e ON e.attempt = l.attempt
WHERE  have < want AND NOT coalesce(e.completed, false)
-- a node of another job proves nothing for this one
AND    (place IS NULL OR NOT EXISTS (SELECT 1 FROM ranks WHERE host IS NOT NULL) OR place IN (SELECT host FROM ranks))
GROUP  BY l.attempt, place
