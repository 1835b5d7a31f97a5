/*
title    = "A node's file system is read-only, says the cluster"
kind     = "storage.stall.read_only"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.python", "launcher.*", "hang.*", "sched.evicted", "sched.node_fail"]
needs    = ["kubernetes", "k8s_describe"]
explanation = '''
The node problem detector set the condition ReadonlyFilesystem: the kernel of this node remounted a file system read-only after an error of its disk. Logs, checkpoints and caches can no longer be written there, and the host looks alive.
'''
advice = '''
`kubectl cordon NODE`; on the node `dmesg -T | grep -iE "remount|I/O error|EXT4-fs|XFS"` and `smartctl -a` for the disk, then repair or replace it. The condition stays until the node restarts.
'''
false_positives = "A disk that the job does not use; the condition is never withdrawn by itself, so it can be older than the job."
references = ["Kubernetes: node-problem-detector, kernel-monitor"]
[[test]]
fires = 1
expect = { hosts = ["gpu-w5"] }
logs."node.txt" = '''
Name:               gpu-w5
Conditions:
  Type                 Status  LastHeartbeatTime                 LastTransitionTime                Reason                 Message
  ReadonlyFilesystem   True    Mon, 06 Jan 2025 09:11:02 +0000   Mon, 06 Jan 2025 08:40:12 +0000   FilesystemIsReadOnly   Filesystem is read-only
  Ready                True    Mon, 06 Jan 2025 09:12:44 +0000   Wed, 01 Jan 2025 10:00:00 +0000   KubeletReady           kubelet is posting ready status
'''
[[test]]
fires = 1
expect = { hosts = ["gpu-w5"] }
logs."events.txt" = '''
9m          Warning   FilesystemIsReadOnly   node/gpu-w5       Node condition ReadonlyFilesystem is now: True, reason: FilesystemIsReadOnly, message: "Filesystem is read-only"
'''
[[test]]
fires = 0
logs."node.txt" = '''
Name:               gpu-w5
  ReadonlyFilesystem   False   Mon, 06 Jan 2025 09:11:02 +0000   Mon, 06 Jan 2025 08:40:12 +0000   FilesystemIsNotReadOnly   Filesystem is not read-only
'''
[[test]]
fires = 0                        # another node than the job's
logs."train.log" = '''
gpu-w1:10:20 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 1 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
'''
logs."node.txt" = '''
Name:               gpu-w5
  ReadonlyFilesystem   True    Mon, 06 Jan 2025 09:11:02 +0000   Mon, 06 Jan 2025 08:40:12 +0000   FilesystemIsReadOnly   Filesystem is read-only
'''
*/
WITH said AS (
  SELECT attempt, file_id, line, part, ts, host AS node FROM k8s_node_condition WHERE condition = 'ReadonlyFilesystem'
  UNION ALL      -- without the words of what it saw
  SELECT attempt, file_id, line, part, ts, object FROM k8s_event WHERE object_kind = 'node' AND text LIKE 'Node condition ReadonlyFilesystem is now: True%'
  UNION ALL
  SELECT attempt, file_id, line, part, NULL, (SELECT d.pod FROM k8s_described_pod d WHERE d.file_id = c.file_id AND d.line < c.line ORDER BY d.line DESC LIMIT 1)
  FROM   k8s_condition_row c WHERE condition = 'ReadonlyFilesystem' AND status = 'True')
SELECT s.attempt, [split_part(s.node, '.', 1)] AS hosts, min(s.ts) AS began, printf('%s has a read-only file system, says the cluster', split_part(s.node, '.', 1)) AS summary,
       list({'file_id': s.file_id, 'line': s.line, 'part': s.part} ORDER BY s.file_id, s.line, s.part) AS evidence
FROM   said s
WHERE  s.node IS NOT NULL
AND   (NOT EXISTS (SELECT 1 FROM ranks WHERE host IS NOT NULL) OR split_part(s.node, '.', 1) IN (SELECT host FROM ranks) OR EXISTS (SELECT 1 FROM k8s_pod p WHERE p.node = s.node))
GROUP  BY s.attempt, s.node
