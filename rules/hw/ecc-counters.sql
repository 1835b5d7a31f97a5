/*
title    = "Counters of a GPU show uncorrectable memory errors"
kind     = "hw.ecc"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.cuda_error", "crash.signal", "crash.python", "hang.*", "desync.*", "launcher.*", "hw.xid"]
needs    = ["metrics"]
explanation = """
Uncorrected errors that appear between two polls, a remapping that failed, or a row that waits for its repair. Corrected errors and
aggregate counts of one snapshot say only that something happened some time.
"""
advice = """
Reset the GPU and read `nvidia-smi -q -d ROW_REMAPPER,ECC` again.
Replace it if remapping failed, or if uncorrected errors come back within days.
"""
false_positives = "Counts since the driver was loaded may be older than the job: without a second poll they are possible at most."
references = ["NVIDIA GPU memory error management"]
[[test]]
fires = 1
expect = { gpus = ["GPU 1"], confidence = "likely" }
logs."smi.csv" = '''
timestamp, index, temperature.gpu, ecc.errors.uncorrected.volatile.total
2025/05/01 12:00:00.000, 0, 40, 0
2025/05/01 12:00:00.000, 1, 41, 0
2025/05/01 12:00:10.000, 0, 40, 0
2025/05/01 12:00:10.000, 1, 41, 2
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 0"] }
logs."smi.csv" = '''
timestamp, index, temperature.gpu, remapped_rows.failure
2025/05/01 12:00:00.000, 0, 40, Yes
2025/05/01 12:00:00.000, 1, 41, No
'''
[[test]]
fires = 0                       # corrected ones
logs."smi.csv" = '''
timestamp, index, temperature.gpu, ecc.errors.corrected.volatile.total
2025/05/01 12:00:00.000, 0, 40, 0
2025/05/01 12:00:10.000, 0, 40, 12
'''
[[test]]
fires = 0
logs."smi.csv" = '''
timestamp, index, temperature.gpu, ecc.errors.uncorrected.volatile.total, remapped_rows.failure, remapped_rows.pending
2025/05/01 12:00:00.000, 0, 40, 0, No, No
2025/05/01 12:00:10.000, 0, 40, 0, No, No
'''
[[test]]
fires = 1                       # cut out of a dump
expect = { gpus = [], hosts = [] }
logs."smi-q.txt" = '''
        ECC Errors
            Volatile
                SRAM Correctable              : 0
                SRAM Uncorrectable Parity     : 1
            Aggregate
                SRAM Uncorrectable Parity     : 3
                SRAM Threshold Exceeded       : Yes
'''
*/
WITH told AS (
  SELECT host, gpu, CASE WHEN gpu IS NULL THEN device END AS device, name, min(value) AS low, max(value) AS high, count(*) AS polls,
         min(ts) FILTER (WHERE value > 0) AS began
  FROM   metrics
  WHERE  name IN ('ecc.errors.uncorrected.volatile.total', 'ecc.errors.uncorrected.volatile.dram', 'ecc.errors.uncorrected.volatile.sram',
                  'ecc.errors.uncorrected.volatile.device_memory', 'ecc.errors.uncorrected.volatile.sram.parity', 'ecc.errors.uncorrected.volatile.sram.secded', 'remapped_rows.failure', 'remapped_rows.pending', 'retired_pages.pending', 'ecc.errors.uncorrected.aggregate.sram.thresholdExceeded')
  GROUP  BY ALL),
bad AS (
  SELECT *, CASE WHEN name = 'remapped_rows.failure' THEN 'a memory row could not be replaced'
                 WHEN name LIKE '%pending' THEN 'a memory row waits for its repair'
                 WHEN name LIKE '%thresholdExceeded' THEN 'its SRAM had more errors than it may have'
                 WHEN high > low THEN printf('%d uncorrectable memory errors came up', CAST(high - low AS BIGINT))
                 ELSE printf('%d uncorrectable memory errors since its driver was loaded', CAST(high AS BIGINT)) END AS what,
         CASE WHEN name = 'remapped_rows.failure' OR name LIKE '%thresholdExceeded' OR (name LIKE 'ecc%' AND high > low) THEN 2 ELSE 1 END AS weight
  FROM   told
  WHERE  high > 0),
line AS (
  SELECT m.host, m.gpu, CASE WHEN m.gpu IS NULL THEN m.device END AS device, m.name, m.file_id, m.line, m.part, m.value
  FROM   metrics m
  WHERE  m.value > 0 AND m.name IN (SELECT name FROM bad))
SELECT 0 AS attempt, list(DISTINCT b.host ORDER BY b.host) FILTER (WHERE b.host IS NOT NULL) AS hosts,
       -- a cut dump does not say whose it is
       CASE WHEN b.gpu IS NULL AND b.device IS NULL THEN [] ELSE [coalesce(b.host || ':' || b.gpu, b.device, 'GPU ' || b.gpu)] END AS gpus,
       -- a repair that is due stops no job
       CASE WHEN max(weight) = 2 THEN 'likely' ELSE 'possible' END AS confidence,
       CASE WHEN max(weight) = 2 THEN 'cause' WHEN min(w.jobs) > 0 THEN 'context' ELSE 'cause' END AS role,
       CASE WHEN max(weight) = 2 THEN 'high' WHEN min(w.jobs) > 0 THEN 'info' ELSE 'medium' END AS severity, min(b.began) AS began,
       printf('%s%s: %s', coalesce('GPU ' || CAST(b.gpu AS VARCHAR), 'GPU ' || b.device, 'A GPU'), coalesce(' of ' || b.host, ''), string_agg(DISTINCT what, ', ' ORDER BY what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   bad b
JOIN   line l ON l.host IS NOT DISTINCT FROM b.host AND l.gpu IS NOT DISTINCT FROM b.gpu AND l.device IS NOT DISTINCT FROM b.device AND l.name = b.name
CROSS  JOIN (SELECT count(*) AS jobs, bool_or(completed) AS completed FROM job_ends) w
WHERE  NOT coalesce(w.completed, false)
GROUP  BY b.host, b.gpu, b.device
