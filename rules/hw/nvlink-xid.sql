/*
title    = "The driver reported an NVLink error"
kind     = "hw.nvlink"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.*", "net.*", "desync.*", "hw.gpu_lost", "hw.xid", "perf.*"]
needs    = ["kernel_gpu"]
explanation = """
A link between GPUs, or between GPU and switch, failed. Both ends report; the end with the earlier or harder error is the suspect.
"""
advice = """
Drain the host; compare `nvidia-smi nvlink -e` of both ends and the fabric manager log; reseat or replace by evidence from both ends.
"""
false_positives = "An Xid of another program on the same host: outside the job's time it stays silent, and in a job that ended well it is context."
references = ["NVIDIA Xid catalogue"]
[[test]]
fires = 1
logs."dmesg" = "[Mon May 20 11:04:13 2024] NVRM: Xid (PCI:0000:c4:00): 74, pid=1234, name=python3, NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"
[[test]]
fires = 1
logs."dmesg" = "[Mon May 20 11:04:13 2024] NVRM: Xid (PCI:0018:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 (0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"
[[test]]
fires = 0
logs."dmesg" = "[Mon May 20 11:04:13 2024] NVRM: Xid (PCI:0000:c4:00): 45, pid=1234, name=python3, Ch 00000008"
[[test]]
fires = 0                       # days before the job
logs."dmesg" = "[Sun May 12 07:38:30 2024] NVRM: Xid (PCI:0000:c4:00): 74, pid=1, name=x, NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"
logs."train.log" = "2024-05-20 11:04:13,123 | INFO | rank 0/4 | step 5/30 loss 0.00371 step_time_ms 50.7 data_ms 40.1 sync_ms 10.2"
*/
WITH said AS (
  SELECT x.attempt, x.host, x.bdf, x.xid, x.process_pid, x.ts, x.file_id, x.line, x.part, x.message,
         lower(regexp_extract(x.bdf, '([0-9a-fA-F]{2}:[0-9a-fA-F]{2})$', 1)) AS bus
  FROM   gpu_xid x
  WHERE  x.xid IN (74, 144, 145, 146, 147, 148, 149, 150, 136) AND x.bdf IS NOT NULL),
placed AS (                      -- a job in the input: the fault must be in its time and on its hosts
  SELECT s.*, g.rank, g.gpu, w.attempt AS job_attempt, (SELECT count(*) FROM job_window) AS jobs
  FROM   said s
  LEFT JOIN job_window w ON s.ts BETWEEN w.from_ts AND w.to_ts AND w.attempt IS NOT DISTINCT FROM s.attempt
  LEFT JOIN gpu_of_rank g ON g.host = s.host AND g.bus = s.bus AND g.attempt IS NOT DISTINCT FROM s.attempt),
relevant AS (
  SELECT * FROM placed WHERE jobs = 0 OR job_attempt IS NOT NULL OR ts IS NULL),
finished AS (                    -- a job that ended well has not suffered from it
  SELECT attempt FROM train_done UNION SELECT attempt FROM elastic_finished)
SELECT r.attempt, list(DISTINCT r.host ORDER BY r.host) FILTER (WHERE r.host IS NOT NULL) AS hosts, list(DISTINCT r.rank ORDER BY r.rank) FILTER (WHERE r.rank IS NOT NULL) AS ranks,
       [CASE WHEN min(r.gpu) IS NOT NULL AND r.host IS NOT NULL THEN r.host || ':' || min(r.gpu) ELSE r.bdf END] AS gpus, min(r.ts) AS began,
       CASE WHEN bool_or(f.attempt IS NOT NULL) THEN 'info' ELSE 'critical' END AS severity,
       CASE WHEN bool_or(f.attempt IS NOT NULL) THEN 'context' ELSE 'cause' END AS role,
       printf('GPU %s%s: an NVLink error (Xid %s)%s', CASE WHEN min(r.gpu) IS NOT NULL THEN min(r.gpu) || ' (' || r.bdf || ')' ELSE r.bdf END, coalesce(' of ' || r.host, ''),
              string_agg(DISTINCT CAST(r.xid AS VARCHAR), ', ' ORDER BY CAST(r.xid AS VARCHAR)), coalesce(printf('; it is rank %d''s', min(r.rank)), '')) AS summary,
       list({'file_id': r.file_id, 'line': r.line, 'part': r.part} ORDER BY r.file_id, r.line, r.part) AS evidence
FROM   relevant r
LEFT JOIN finished f ON f.attempt IS NOT DISTINCT FROM r.attempt
GROUP  BY r.attempt, r.host, r.bdf
