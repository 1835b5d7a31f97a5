/*
title    = "The scheduler lost a node"
kind     = "sched.node_fail"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["sched.cancelled", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "net.link_flap", "launcher.*", "crash.signal", "hw.host_lost", "sched.evicted"]
needs    = ["slurm", "slurm_tables", "kubernetes"]
explanation = """
Slurm or Kubernetes no longer hears from a node, or says that the job ended because one failed. Whether the host crashed, or only its
daemon or the network to it is gone, these lines do not tell.
"""
advice = """
Look at the node's console, its BMC event log and `scontrol show node NODE`; is it up, reachable, and does slurmd or kubelet run?
Read the end of its kernel log before the silence. Many nodes at once: power, cooling or a switch.
"""
false_positives = "Nodes of other jobs in a controller's log, and nodes that answered again within minutes, are left out."
references = ["Slurm: node states", "Kubernetes: node conditions"]
[[test]]
fires = 1
expect = { hosts = ["hpcnode211", "hpcnode212"], confidence = "likely" }
logs."sinfo.txt" = '''
Mon Jul  4 23:41:49 2016
NODELIST    NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT FEATURES REASON
hpcnode211      1     main*       down*   12   12:1:1  64251        0      1   (null) Not responding
hpcnode212      1     main*       down*   12   12:1:1  64251        0      1   (null) Not responding
'''
[[test]]
fires = 1                       # said of the job itself, and which node
expect = { hosts = ["node17"], confidence = "certain" }
logs."slurm-123.out" = '''
srun: error: Node failure on node17
slurmstepd: error: *** JOB 123 ON node16 CANCELLED AT 2024-05-01T12:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***
'''
[[test]]
fires = 0                       # a node of another job
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
'''
logs."slurmctld.log" = '''
[2024-05-01T12:00:00.123] error: Nodes cpu[17-18] not responding, setting DOWN
'''
[[test]]
fires = 0                       # it answered again
logs."slurmctld.log" = '''
[2024-05-01T12:00:00.123] error: Nodes node17 not responding
[2024-05-01T12:01:40.123] Node node17 now responding
'''
[[test]]
fires = 1
expect = { hosts = ["ip-10-4-77-12"] }
logs."events.txt" = '''
LAST SEEN   TYPE      REASON             OBJECT                    MESSAGE
8m55s       Normal    NodeNotReady       node/ip-10-4-77-12.ec2.internal   Node ip-10-4-77-12.ec2.internal status is now: NodeNotReady
4m          Normal    TaintManagerEviction   pod/ft-worker-3   Marking for deletion Pod research/ft-worker-3
'''
[[test]]
fires = 1
expect = { hosts = ["gpu-n3"] }
logs."nodes.txt" = '''
NAME     STATUS     ROLES    AGE   VERSION
gpu-n2   Ready      <none>   45d   v1.28.3
gpu-n3   NotReady   <none>   45d   v1.28.3
'''
[[test]]
fires = 1
expect = { hosts = ["gpu-n3"] }
logs."describe.txt" = '''
Name:               gpu-n3.example.net
Conditions:
  Type             Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message
  MemoryPressure   Unknown   Mon, 06 Jan 2025 08:39:41 +0000   Mon, 06 Jan 2025 08:40:12 +0000   NodeStatusUnknown   Kubelet stopped posting node status.
  Ready            Unknown   Mon, 06 Jan 2025 08:39:41 +0000   Mon, 06 Jan 2025 08:40:12 +0000   NodeStatusUnknown   Kubelet stopped posting node status.
'''
[[test]]
fires = 1                        # its container runtime does not answer
expect = { hosts = ["gpu-n3"] }
logs."describe.txt" = '''
Name:               gpu-n3
Conditions:
  Type             Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message
  MemoryPressure   False     Mon, 06 Jan 2025 08:39:41 +0000   Mon, 06 Jan 2025 08:00:12 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available
  Ready            False     Mon, 06 Jan 2025 08:39:41 +0000   Mon, 06 Jan 2025 08:40:12 +0000   KubeletNotReady     PLEG is not healthy: pleg was last seen active 15m12.1s ago; threshold is 3m0s
'''
[[test]]
fires = 0                        # conditions of a pod: it is not ready while it ends
logs."describe.txt" = '''
Name:               train-3
Node:               gpu-n3/10.0.0.3
Conditions:
  Type              Status
  Initialized       True
  Ready             False
'''
[[test]]
fires = 1
expect = { hosts = ["dgx-07"] }
logs."scontrol.txt" = '''
NodeName=dgx-07 Arch=x86_64 CoresPerSocket=56
   Gres=gpu:h100:8
   State=DOWN* ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Reason=Not responding [slurm@2025-01-20T07:31:02]
'''
[[test]]
fires = 1                        # late to answer, beside the one that failed
expect = { hosts = ["node017"] }
logs."slurmctld.log" = '''
[2025-11-03T02:10:01.101] error: Nodes node[017-018] not responding
[2025-11-03T02:15:01.101] error: Nodes node017 not responding, setting DOWN
[2025-11-03T02:15:01.201] Killing JobId=48213 on failed node node017
'''
[[test]]
fires = 0                        # a list of a cluster, of any job
logs."sinfo.txt" = '''
PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST
gpu*         up   infinite      1  down* node017
gpu*         up   infinite     31   idle node[018-048]
'''
*/
WITH ours AS (
  SELECT n.*, n.what IN ('node failure', 'job failed on it') AS sure
  FROM   slurm_nodes n
  LEFT   JOIN job_ends e ON e.attempt = n.attempt
  WHERE  NOT coalesce(e.completed, false)
  AND    (NOT EXISTS (SELECT 1 FROM ranks WHERE host IS NOT NULL) OR n.host IN (SELECT host FROM ranks))
  -- five minutes: the controller asks again within SlurmdTimeout
  AND    NOT (n.what LIKE 'not responding%' AND EXISTS (SELECT 1 FROM slurm_node_responding r WHERE r.file_id = n.file_id AND r.line > n.line
              AND regexp_replace(r.nodes, '\..*$', '') = n.host AND (r.ts IS NULL OR n.ts IS NULL OR r.ts - n.ts < INTERVAL 5 MINUTE)))
  -- a list of the cluster's nodes says nothing of a job whose nodes are not known
  AND    NOT (n.what = 'in the list of nodes that are down' AND n.host NOT IN (SELECT host FROM ranks WHERE host IS NOT NULL))
  -- one that only was late to answer, where another is said to have failed
  AND    NOT (n.what = 'not responding' AND EXISTS (SELECT 1 FROM slurm_nodes f WHERE f.attempt IS NOT DISTINCT FROM n.attempt AND f.what IN ('node failure', 'job failed on it'))
              AND NOT EXISTS (SELECT 1 FROM slurm_nodes f WHERE f.host = n.host AND f.what <> 'not responding'))
  UNION ALL
  SELECT attempt, file_id, line, part, ts, 'not ready', coalesce(node, CASE WHEN object_kind LIKE 'node%' THEN object END), false FROM k8s_node_not_ready
  WHERE  coalesce(node, CASE WHEN object_kind LIKE 'node%' THEN object END) IS NOT NULL
  UNION ALL       -- kubectl describe node: the name stands above its conditions
  SELECT attempt, file_id, line, part, NULL, 'not ready', (SELECT regexp_replace(d.pod, '\..*$', '') FROM k8s_described_pod d WHERE d.file_id = n.file_id AND d.line < n.line ORDER BY d.line DESC LIMIT 1), false
  FROM   k8s_node_not_ready n
  WHERE  node IS NULL AND object_kind IS NULL AND EXISTS (SELECT 1 FROM k8s_described_pod d WHERE d.file_id = n.file_id AND d.line < n.line)
  AND    NOT EXISTS (SELECT 1 FROM k8s_described_node d WHERE d.file_id = n.file_id AND d.line < n.line)
  UNION ALL
  SELECT attempt, file_id, line, part, NULL, 'not ready', (SELECT regexp_replace(d.pod, '\..*$', '') FROM k8s_described_pod d WHERE d.file_id = c.file_id AND d.line < c.line ORDER BY d.line DESC LIMIT 1), false
  FROM  (SELECT attempt, file_id, line, part FROM k8s_condition_row WHERE condition = 'Ready' AND status = 'False' AND reason <> 'KubeletReady'
         UNION ALL SELECT attempt, file_id, line, part FROM k8s_pleg WHERE message LIKE '%KubeletNotReady%PLEG is not healthy%') c
  WHERE  EXISTS (SELECT 1 FROM k8s_described_pod d WHERE d.file_id = c.file_id AND d.line < c.line)
  UNION ALL       -- by the event of the node, unless it is ready again
  SELECT n.attempt, n.file_id, n.line, n.part, n.ts, 'not ready', regexp_replace(n.node, '\..*$', ''), false FROM k8s_node_status n
  WHERE  n.status = 'NodeNotReady' AND NOT EXISTS (SELECT 1 FROM k8s_node_status r WHERE r.file_id = n.file_id AND r.node = n.node AND r.status = 'NodeReady' AND r.line > n.line)
  UNION ALL
  SELECT attempt, file_id, line, part, TRY_CAST("at" AS TIMESTAMP) - to_microseconds(coalesce((SELECT max(p.zone_us) FROM pieces p WHERE p.file_id = c.file_id), 0)), 'node failure', NULL, true FROM slurm_cancelled c WHERE upper(reason) LIKE '%NODE FAIL%'
  UNION ALL
  SELECT attempt, file_id, line, part, NULL, 'node failure', NULL, true FROM slurm_sacct WHERE state LIKE 'NODE_FAIL%' AND (job IN (SELECT job FROM own_jobs) OR NOT EXISTS (SELECT 1 FROM own_jobs)))
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       CASE WHEN bool_or(sure) THEN 'certain' ELSE 'likely' END AS confidence, min(ts) AS began,
       CASE WHEN count(DISTINCT host) = 0 THEN 'A node of the job failed, says the scheduler; these lines do not name it'
            WHEN count(DISTINCT host) <= 3 THEN printf('%s %s, says the scheduler: %s', string_agg(DISTINCT host, ', ' ORDER BY host), CASE WHEN count(DISTINCT host) = 1 THEN 'is lost' ELSE 'are lost' END, min(what) FILTER (WHERE host IS NOT NULL))
            ELSE printf('%s and %d more nodes are lost, says the scheduler: %s', min(host), count(DISTINCT host) - 1, min(what)) END AS summary,
       list_distinct(list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part)) AS evidence
FROM   ours
GROUP  BY attempt
