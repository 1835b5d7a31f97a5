/*
title    = "The scheduler drained a node for a fault"
kind     = "sched.node_fail.drained"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "hang.init", "sched.gang"]
needs    = ["slurm", "slurm_tables"]
explanation = '''
Slurm or its health check took this node out of service, and the reason given is a fault: processes that could not be killed, a prolog or epilog that failed, a check of hardware. What lies behind it only the node's own logs tell.
'''
advice = '''
Read the node's kernel log round the time of the reason (`scontrol show node NODE`). Kill task failed: a process hangs in a driver or file system, `ps -eo pid,stat,wchan:30,cmd | grep ' D'`. A prolog or health check: run it by hand there.
'''
false_positives = "Maintenance: reasons that name no fault are left out. A node of another job."
references = ["Slurm: HealthCheckProgram, Reason of sinfo -R and scontrol"]
[[test]]
fires = 1
expect = { hosts = ["dgx-07"] }
logs."scontrol.txt" = '''
NodeName=dgx-07 Arch=x86_64 CoresPerSocket=56
   Gres=gpu:h100:8
   State=IDLE+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Reason=Kill task failed [root@2025-01-20T07:31:02]
'''
[[test]]
fires = 1
expect = { hosts = ["hpcn12"] }
logs."sinfo.txt" = '''
NODELIST    NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT FEATURES REASON
hpcn12          1     main*     drained   12   12:1:1  64251        0      1   (null) NHC: check_hw_ib: No IB port at 200 Gb/s
hpcn13          1     main*        idle   12   12:1:1  64251        0      1   (null) none
'''
[[test]]
fires = 0
logs."sinfo.txt" = '''
NODELIST    NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT FEATURES REASON
hpcn12          1     main*     drained   12   12:1:1  64251        0      1   (null) BIOS update CHG-20177 [root
hpcn13          1     main*        idle   12   12:1:1  64251        0      1   (null) none
'''
[[test]]
fires = 0                        # other rules speak of lost GPUs and nodes
logs."scontrol.txt" = '''
NodeName=dgx-07 Arch=x86_64 CoresPerSocket=56
   Gres=gpu:h100:8
   State=DOWN* ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Reason=Not responding [slurm@2025-01-20T07:31:02]
'''
[[test]]
fires = 1
expect = { hosts = ["gn07"] }
logs."sinfo.txt" = '''
REASON                                   USER        TIMESTAMP           STATE      NODELIST
NHC: check_hw_ib:  No IB port mlx5_4:1   root        2024-09-09T03:11:20 drain      gn07
'''
[[test]]
fires = 0                        # work that was planned
logs."sinfo.txt" = '''
REASON               USER      TIMESTAMP           NODELIST
GPU firmware upgrade root      2024-09-09T03:11:20 gn07
'''
[[test]]
fires = 1
expect = { hosts = ["gx17"] }
logs."slurmctld.log" = '''
[2025-04-01T03:11:02.110] error: slurmd error running JobId=99112 on node(s)=gx17: Prolog error
[2025-04-01T03:11:02.111] drain_nodes: node gx17 state set to DRAIN
'''
*/
WITH word AS (
  SELECT attempt, nodes, reason, ts, file_id, line, part FROM slurm_sinfo WHERE regexp_matches(lower(state), '^(drain|drng|down|fail)')
  UNION ALL SELECT attempt, nodes, reason, ts, file_id, line, part FROM slurm_node_record
  UNION ALL SELECT attempt, nodes, reason, ts, file_id, line, part FROM slurm_node_reason WHERE nodes IS NOT NULL
  UNION ALL SELECT attempt, nodes, reason, ts, file_id, line, part FROM slurm_slurmd_error),
fault AS (
  SELECT *, split_part(nodes, '.', 1) AS place FROM word
  WHERE  regexp_matches(lower(reason), 'kill task failed|(prolog|epilog) (error|fail|exit)|complete fail|^nhc\b|health ?check|check_\w+:|xid|\becc\b|nvlink|\bdcgm|gpu (error|fail|lost|missing|fell)|(ib|nic|link|hca) (is )?(down|flap|fail|error)|low (real)?memory|mount|hardware|\bdimm|thermal|overheat|remap|\brma\b')
  AND    NOT regexp_matches(lower(reason), 'not responding|unexpectedly rebooted|count reported lower|maint|upgrade|update|reserv|reimage|test')
  AND    nodes IS NOT NULL AND nodes NOT LIKE '%[%' AND nodes NOT LIKE '%,%')
SELECT f.attempt, [f.place] AS hosts, min(f.ts) AS began, printf('%s was taken out of service: %s', f.place, min(f.reason)) AS summary,
       list({'file_id': f.file_id, 'line': f.line, 'part': f.part} ORDER BY f.file_id, f.line, f.part) AS evidence
FROM   fault f
LEFT   JOIN job_ends e ON e.attempt = f.attempt
-- a node of another job proves nothing for this one
WHERE  NOT coalesce(e.completed, false) AND (NOT EXISTS (SELECT 1 FROM ranks WHERE host IS NOT NULL) OR f.place IN (SELECT host FROM ranks))
GROUP  BY f.attempt, f.place
