/*
title    = "An AMD GPU met an uncorrectable hardware error"
kind     = "hw.ecc"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hw.gpu_lost", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["kernel_accelerators"]
explanation = """
The RAS interface of the GPU counted uncorrectable errors, found a bad page or met poisoned data: its processes die, and a reset follows.
"""
advice = """
Drain the host; read `amd-smi bad-pages` and `amd-smi metric --ecc` for the device.
Replace it if bad pages keep coming.
"""
false_positives = "`no uncorrectable hardware errors detected` is the all-clear, corrected and deferred counts are notes."
references = ["Linux amdgpu: RAS"]
[[test]]
fires = 1
expect = { hosts = ["mi1"], gpus = ["0000:c1:00"] }
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: 2 uncorrectable hardware errors detected in umc block
'''
[[test]]
fires = 1
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: {1}socket: 0, die: 0, 1 new uncorrectable hardware errors detected in umc block
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: no uncorrectable hardware errors detected in umc block
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: 14 correctable hardware errors detected in umc block
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, bdf, coalesce(block, 'memory') AS block FROM gpu_amd_ras WHERE class = 'uncorrectable' AND coalesce(count, 1) > 0
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'memory' FROM gpu_amd_memory_failure),
placed AS (
  SELECT l.* REPLACE (regexp_replace(lower(l.bdf), '\.[0-9a-f]$', '') AS bdf), h.attempt, h.sure, h.began
  FROM   line l
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit),
named AS (
  SELECT p.*, g.gpu, g.ranks FROM placed p LEFT JOIN gpu_addresses g ON g.bdf = p.bdf AND g.host IS NOT DISTINCT FROM p.host)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       list_distinct(flatten(list(ranks ORDER BY file_id, line) FILTER (WHERE ranks IS NOT NULL))) AS ranks,
       list_filter([min(host || ':' || gpu), bdf], lambda n: n IS NOT NULL) AS gpus, min(began) AS began,
       printf('%s%s met uncorrectable errors%s (%s)', coalesce(min(host) || ': ', ''), coalesce('GPU ' || bdf, 'a GPU'), coalesce(strftime(min(began), ' at %H:%M:%S'), ''),
              string_agg(DISTINCT block, ', ' ORDER BY block)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named
GROUP  BY attempt, host, bdf
