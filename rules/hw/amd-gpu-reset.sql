/*
title    = "An AMD GPU hung or was reset"
kind     = "hw.gpu_lost"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["kernel_accelerators"]
explanation = """
A queue of the GPU did not finish, or its scheduler firmware did not answer, and the driver reset it: every process on it dies. Every
process that uses the device prints the fault, so devices are counted, not lines. A kernel of the program may have provoked it.
"""
advice = """
Look at `dmesg -T | grep amdgpu` before the reset for page faults and RAS lines, and rerun on another GPU.
Drain the host if the reset failed.
"""
false_positives = "Resets asked for by a person or by a test."
references = ["Linux amdgpu: ring timeout, GPU reset"]
[[test]]
fires = 1
expect = { hosts = ["mi1"], gpus = ["0000:c1:00"] }
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: ring comp_1.1.0 timeout, signaled seq=25, emitted seq=27
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!
May  1 12:00:05 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: GPU reset(1) succeeded!
'''
[[test]]
fires = 1
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!
May  1 12:00:05 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: GPU reset(1) failed
'''
[[test]]
fires = 0                       # the all-clear
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: no uncorrectable hardware errors detected in umc block
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu: Freeing queue vital buffer 0x7f0012340000, queue evicted
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, bdf, 'a queue did not finish' AS what, 1 AS weight FROM gpu_amd_ring_timeout
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'its scheduler firmware did not answer', 2 FROM gpu_amd_mes_failed
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'it was reset', 0 FROM gpu_amd_reset_begin
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'its reset failed', 3 FROM gpu_amd_reset_end WHERE outcome LIKE '%fail%'),
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
       printf('%s%s hung%s: %s', coalesce(min(host) || ': ', ''), coalesce('GPU ' || bdf, 'a GPU'), coalesce(strftime(min(began), ' at %H:%M:%S'), ''),
              string_agg(DISTINCT what, ', ' ORDER BY what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named
GROUP  BY attempt, host, bdf
