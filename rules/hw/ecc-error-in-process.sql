/*
title    = "A GPU met an uncorrectable memory error"
kind     = "hw.ecc"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "crash.*", "net.socket_error", "desync.rank_behind", "hw.xid"]
needs    = ["python", "torch", "nccl"]
explanation = """
CUDA told the process that its GPU's memory holds an error that cannot be corrected. One contained event ends one process and is legitimate;
a failed row remap, or repetition, condemns the part.
"""
advice = """
On that rank's host run `nvidia-smi -q -d ECC,ROW_REMAPPER` and read `dmesg -T | grep Xid` (48, 63, 64, 94, 95); reset the GPU when a remap is pending, replace it when remapping failed.
"""
false_positives = "None known: the text is the driver's."
references = ["NVIDIA GPU memory error management"]
[[test]]
fires = 1
expect = { ranks = [] }
logs."console.log" = '''
RuntimeError: CUDA error: uncorrectable ECC error encountered
CUDA kernel errors might be asynchronously reported at some other API call,so the stacktrace below might be incorrect.
'''
[[test]]
fires = 1
expect = { ranks = [3] }
logs."console.log" = '''
[rank3]: RuntimeError: CUDA error: uncorrectable ECC error encountered
'''
[[test]]
fires = 0
logs."console.log" = '''
[rank3]: RuntimeError: CUDA error: unspecified launch failure
'''
[[test]]
fires = 0
logs."console.log" = "ECC is enabled on this device"
[[test]]
# The watchdog numbers its lines, the kernel names the GPU: one fault, told twice.
fires = 1
expect = { hosts = ["n1"], ranks = [2], gpus = ["0000:9b:00"] }
logs."n1.log" = '''
2026-07-03 11:11:00 step 1 loss 2.1
RuntimeError: CUDA error: uncorrectable ECC error encountered
[E ProcessGroupNCCL.cpp:916] [Rank 2] NCCL watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered
2026-07-03 11:22:48 ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -6) local_rank: 2 (pid: 1189499) of binary: /usr/bin/python3
'''
logs."messages-n1" = '''
2026-07-03T11:22:47+00:00 n1 kernel: NVRM: Xid (PCI:0000:9b:00): 94, pid=1189499, name=python3, Contained: LTC TAG (0x2,0x0). RST: No, D-RST: No
'''
*/
WITH subgroup AS (  -- the watchdog's number is one in its group: of the job only where there is no smaller group
  SELECT 1 FROM nccl_comm_init WHERE nranks > 1 HAVING count(DISTINCT nranks) > 1),
error_ AS (      -- a time that another line gave is no time of the error
  SELECT attempt, coalesce(rank, CASE WHEN in_watchdog IS NOT NULL AND local_rank IS NULL AND coalesce(pg_id, 0) = 0 AND NOT EXISTS (SELECT 1 FROM subgroup)
                                      THEN TRY_CAST(group_rank AS INTEGER) END) AS rank, host, CASE WHEN ts_from = 'line' THEN ts END AS ts, file_id, line, part
  FROM   cuda_error WHERE regexp_matches(error, 'ECC|ecc')
  UNION ALL SELECT attempt, rank, host, CASE WHEN ts_from = 'line' THEN ts END, file_id, line, part FROM nccl_cuda_failure WHERE regexp_matches(error, 'ECC')),
alone AS (       -- the traceback above the watchdog's word is of the same rank, if only one has such an error
  SELECT attempt, file_id, min(rank) AS rank, min(line) AS line FROM error_ WHERE rank IS NOT NULL
  GROUP  BY ALL HAVING count(DISTINCT rank) = 1),
gpu AS (         -- the kernel's word of the same fault, if it is of one GPU
  SELECT attempt, min(host) AS host, min(gpus) AS gpus, min(ranks) AS ranks
  FROM   xids WHERE hit AND NOT echo AND family = 'memory' AND grade IN ('error', 'fatal')
  GROUP  BY attempt HAVING count(DISTINCT coalesce(host, '') || '/' || bdf) = 1),
owned AS (
  SELECT e.* REPLACE (coalesce(e.rank, a.rank) AS rank) FROM error_ e
  LEFT JOIN alone a ON e.rank IS NULL AND a.attempt IS NOT DISTINCT FROM e.attempt AND a.file_id = e.file_id
       AND e.line + 12 >= a.line AND e.line <= a.line + 12),
told AS (
  SELECT attempt, rank, CASE WHEN rank IS NOT NULL THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) END AS hosts, min(ts) AS began,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   owned GROUP BY attempt, rank)
SELECT t.attempt, CASE WHEN t.rank IS NOT NULL THEN [t.rank] ELSE coalesce(g.ranks, []) END AS ranks,
       list_distinct(list_concat(coalesce(t.hosts, []), CASE WHEN g.host IS NOT NULL THEN [g.host] ELSE [] END)) AS hosts, coalesce(g.gpus, []) AS gpus, t.began,
       coalesce(printf('The GPU of rank %d', t.rank), 'The GPU of one process') || coalesce(' on ' || g.host, '') || ' met an uncorrectable memory error (ECC)' AS summary,
       t.evidence
FROM   told t
LEFT JOIN gpu g ON g.attempt IS NOT DISTINCT FROM t.attempt AND (SELECT count(*) FROM told o WHERE o.attempt IS NOT DISTINCT FROM t.attempt) = 1
     AND (t.rank IS NULL OR len(coalesce(g.ranks, [])) = 0 OR list_contains(g.ranks, t.rank)) AND (len(coalesce(t.hosts, [])) = 0 OR g.host IS NULL OR list_contains(t.hosts, g.host))
