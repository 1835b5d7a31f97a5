/*
title    = "The scheduler lost nodes"
kind     = "sched.node_fail"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["launcher.*", "net.*", "hang.*", "desync.*", "hw.host_lost", "crash.signal"]
needs    = ["slurm", "slurm_tables"]
explanation = """
Slurm marks these nodes down or not responding: the host crashed, or only its daemon or network is gone. Which it is, its own console tells.
"""
advice = """
Is the host up? `ping`, console and BMC log; then `scontrol show node NODE`, `journalctl -u slurmd` and `dmesg -T` on it.
"""
false_positives = "Nodes that an administrator set down: their reason says so."
references = ["Slurm: slurmctld, sinfo -R"]
[[test]]
fires = 1
expect = { hosts = ["hpcnode211"] }
logs."slurmctld.log" = "[2024-05-01T12:00:00.123] error: Nodes hpcnode211 not responding, setting DOWN"
[[test]]
fires = 1
logs."sinfo.txt" = '''
NODELIST    NODES PARTITION STATE CPUS S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON
hpcnode211      1     main* down*   12 2:6:1  64000        0      1   (null) Not responding
'''
[[test]]
fires = 0
logs."slurmctld.log" = "[2024-05-01T12:00:00.123] Node hpcnode211 now responding"
[[test]]
fires = 0                       # somebody drained it
logs."slurmctld.log" = "[2024-05-01T12:00:00.123] update_node: node hpcnode211 reason set to: maintenance"
*/
WITH lost AS (
  SELECT attempt, nodes, ts, file_id, line, part FROM slurm_node_not_responding
  UNION ALL SELECT attempt, nodes, ts, file_id, line, part FROM slurm_node_failure
  UNION ALL SELECT attempt, nodes, ts, file_id, line, part FROM slurm_sinfo WHERE reason ILIKE '%not responding%' OR state IN ('down*', 'drng*', 'drain*') AND reason ILIKE '%respond%')
SELECT attempt, list(DISTINCT nodes ORDER BY nodes) FILTER (WHERE nodes NOT LIKE '%[%') AS hosts, min(ts) AS began,
       printf('Slurm lost %s: not responding', string_agg(DISTINCT nodes, ', ' ORDER BY nodes)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   lost
WHERE  nodes IS NOT NULL
GROUP  BY attempt
