/*
title    = "A program made a GPU fault"
kind     = "hw.xid.program"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.*", "net.*", "desync.*", "hw.gpu_lost", "hw.xid", "perf.*"]
needs    = ["kernel_gpu"]
explanation = """
A kernel of the program accessed memory wrongly or did not end. Hardware only if it follows one GPU, or one unit of it, across programs; on many GPUs at once it is the code of the job.
"""
advice = """
Rerun with CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer; swap the GPU for another to tell code from hardware.
"""
false_positives = "An Xid of another program on the same host: outside the job's time it stays silent, and in a job that ended well it is context."
references = ["NVIDIA Xid catalogue"]
[[test]]
fires = 1
logs."dmesg" = "[Mon May 20 11:04:13 2024] NVRM: Xid (PCI:0000:9c:00): 13, pid=1234, name=python3, Graphics SM Warp Exception on (GPC 7, TPC 7, SM 0): Out Of Range Address"
[[test]]
fires = 1
logs."dmesg" = "[Mon May 20 11:04:13 2024] NVRM: Xid (PCI:0000:9c:00): 31, pid=1234, name=python3, Ch 00000018, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_13 faulted @ 0x7fca_5c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
[[test]]
fires = 0
logs."dmesg" = "[Mon May 20 11:04:13 2024] NVRM: Xid (PCI:0000:c4:00): 45, pid=1234, name=python3, Ch 00000008"
[[test]]
fires = 0                       # days before the job
logs."dmesg" = "[Sun May 12 07:38:30 2024] NVRM: Xid (PCI:0000:c4:00): 31, pid=1, name=x, Ch 00000018, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_13 faulted @ 0x7fca_5c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
logs."train.log" = "2024-05-20 11:04:13,123 | INFO | rank 0/4 | step 5/30 loss 0.00371 step_time_ms 50.7 data_ms 40.1 sync_ms 10.2"
*/
WITH said AS (
  SELECT x.attempt, x.host, x.bdf, x.xid, x.process_pid, x.ts, x.file_id, x.line, x.part, x.message,
         lower(regexp_extract(x.bdf, '([0-9a-fA-F]{2}:[0-9a-fA-F]{2})$', 1)) AS bus
  FROM   gpu_xid x
  WHERE  x.xid IN (13, 31, 32, 69, 109, 8) AND x.bdf IS NOT NULL),
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
       CASE WHEN bool_or(f.attempt IS NOT NULL) THEN 'info' ELSE 'high' END AS severity,
       CASE WHEN bool_or(f.attempt IS NOT NULL) THEN 'context' ELSE 'cause' END AS role,
       printf('GPU %s%s: a fault that a program mostly causes (Xid %s)%s', CASE WHEN min(r.gpu) IS NOT NULL THEN min(r.gpu) || ' (' || r.bdf || ')' ELSE r.bdf END, coalesce(' of ' || r.host, ''),
              string_agg(DISTINCT CAST(r.xid AS VARCHAR), ', ' ORDER BY CAST(r.xid AS VARCHAR)), coalesce(printf('; it is rank %d''s', min(r.rank)), '')) AS summary,
       list({'file_id': r.file_id, 'line': r.line, 'part': r.part} ORDER BY r.file_id, r.line, r.part) AS evidence
FROM   relevant r
LEFT JOIN finished f ON f.attempt IS NOT DISTINCT FROM r.attempt
GROUP  BY r.attempt, r.host, r.bdf
