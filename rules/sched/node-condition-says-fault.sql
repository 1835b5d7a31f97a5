/*
title    = "The cluster's node check found a fault on a node"
kind     = "sched.node_fail.condition"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "hang.init", "sched.evicted", "sched.gang"]
needs    = ["kubernetes", "k8s_describe"]
explanation = '''
The node problem detector, or a health check of the provider, set a condition on this node: a deadlock of the kernel, missing GPUs, links that flap, errors of a GPU. What it saw stands behind the condition in quotes.
'''
advice = '''
`kubectl describe node NODE` for all conditions and their times, `kubectl cordon NODE`, then the kernel log of the node for what the condition names.
'''
false_positives = "Conditions about restarts of kubelet or container runtime, and notices of planned work, are left out."
references = ["Kubernetes: node-problem-detector; AKS, OKE: GPU node health"]
[[test]]
fires = 1
expect = { hosts = ["gpu-w5"] }
logs."events.txt" = '''
9m          Warning   DockerHung   node/gpu-w5       Node condition KernelDeadlock is now: True, reason: DockerHung
'''
[[test]]
fires = 1
expect = { hosts = ["gpu-w5"] }
logs."events.txt" = '''
9m          Warning   IBLinkFlapping   node/gpu-w5       Node condition IBLinkFlapping is now: True, reason: IBLinkFlapping, message: "IB link flapping detected, multiple link flaps within 6 hours"
'''
[[test]]
fires = 1                        # as kubectl describe node shows it
expect = { hosts = ["gpu-w5"] }
logs."node.txt" = '''
Name:               gpu-w5.example.net
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                  Message
  ----             ------  -----------------                 ------------------                ------                  -------
  KernelDeadlock   True    Mon, 06 Jan 2025 09:11:02 +0000   Mon, 06 Jan 2025 08:40:12 +0000   DockerHung              task docker:20744 blocked for more than 120 seconds
  MemoryPressure   False   Mon, 06 Jan 2025 09:12:44 +0000   Wed, 01 Jan 2025 10:00:00 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available
  Ready            True    Mon, 06 Jan 2025 09:12:44 +0000   Wed, 01 Jan 2025 10:00:00 +0000   KubeletReady            kubelet is posting ready status
'''
[[test]]
fires = 0                        # all well
logs."node.txt" = '''
Name:               gpu-w5
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                  Message
  ----             ------  -----------------                 ------------------                ------                  -------
  KernelDeadlock   False   Mon, 06 Jan 2025 09:11:02 +0000   Mon, 06 Jan 2025 08:40:12 +0000   KernelHasNoDeadlock     kernel has no deadlock
  NetworkUnavailable False Mon, 06 Jan 2025 09:11:02 +0000   Mon, 06 Jan 2025 08:40:12 +0000   CalicoIsUp              Calico is running on this node
  Ready            True    Mon, 06 Jan 2025 09:12:44 +0000   Wed, 01 Jan 2025 10:00:00 +0000   KubeletReady            kubelet is posting ready status
'''
[[test]]
fires = 0                        # of storage, another rule speaks
logs."node.txt" = '''
Name:               gpu-w5
  ReadonlyFilesystem   True    Mon, 06 Jan 2025 09:11:02 +0000   Mon, 06 Jan 2025 08:40:12 +0000   FilesystemIsReadOnly   Filesystem is read-only
'''
[[test]]
fires = 0
logs."events.txt" = '''
9m          Warning   FrequentKubeletRestart   node/gpu-w5       Node condition FrequentKubeletRestart is now: True, reason: FrequentKubeletRestart
'''
[[test]]
fires = 0                        # over
logs."events.txt" = '''
9m          Normal    KernelHasNoDeadlock   node/gpu-w5       Node condition KernelDeadlock is now: False, reason: KernelHasNoDeadlock
'''
*/
WITH said AS (
  SELECT attempt, file_id, line, part, ts, host AS node, condition, reason FROM k8s_node_condition
  UNION ALL      -- without the words of what it saw
  SELECT attempt, file_id, line, part, ts, object, regexp_extract(text, '^Node condition (\w+) is now: True', 1), regexp_extract(text, 'reason: (\w+)', 1)
  FROM   k8s_event WHERE object_kind = 'node' AND text LIKE 'Node condition % is now: True%'
  UNION ALL      -- kubectl describe: the name stands above
  SELECT attempt, file_id, line, part, NULL, (SELECT d.pod FROM k8s_described_pod d WHERE d.file_id = c.file_id AND d.line < c.line ORDER BY d.line DESC LIMIT 1), condition, reason
  FROM   k8s_condition_row c WHERE status = 'True')
SELECT s.attempt, [split_part(s.node, '.', 1)] AS hosts, min(s.ts) AS began, printf('%s has the condition %s (%s), says the cluster', split_part(s.node, '.', 1), min(s.condition), min(s.reason)) AS summary,
       list({'file_id': s.file_id, 'line': s.line, 'part': s.part} ORDER BY s.file_id, s.line, s.part) AS evidence
FROM   said s
WHERE  s.node IS NOT NULL AND NOT regexp_matches(s.condition, '(?i)frequent|scheduled|maintenance|^Ready$|pressure|^ReadonlyFilesystem$')
AND   (NOT EXISTS (SELECT 1 FROM ranks WHERE host IS NOT NULL) OR split_part(s.node, '.', 1) IN (SELECT host FROM ranks) OR EXISTS (SELECT 1 FROM k8s_pod p WHERE p.node = s.node))
GROUP  BY s.attempt, s.node
