/*
title    = "An AMD GPU met an address that it may not use"
kind     = "crash.cuda_error"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.signal", "crash.python", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*"]
needs    = ["kernel_accelerators"]
explanation = """
A kernel on the GPU read or wrote an address without a mapping, and the ROCm runtime ended the process: the same as an illegal memory access with CUDA or Xid 31. Mostly the program or a library of it; a peer that freed
memory too early gives the same on this GPU. The number behind "GPU node-" counts agents of the runtime, host processors among them: it is no device index.
"""
advice = """
Run again with HIP_LAUNCH_BLOCKING=1 (AMD_SERIALIZE_KERNEL=3) for the kernel's name, and with RCCL's peer access off (NCCL_P2P_DISABLE=1) as a test.
If the same GPU faults with other programs too, look at `dmesg -T | grep amdgpu` for RAS lines and take it out.
"""
false_positives = "A fault in the kernel log of a host that another program caused: compare the process id."
references = ["ROCm: environment variables for debugging", "amdgpu kernel driver"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = '''
[rank3]: Memory access fault by GPU node-5 (Agent handle: 0x55b1ef7e3c20) on address 0x7e1d5d600000. Reason: Unknown.
'''
[[test]]
fires = 1                        # only the kernel's lines
expect = { gpus = ["0000:c6:00"], ranks = [] }
logs."dmesg.txt" = '''
[182044.118250] amdgpu 0000:c6:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:32791)
[182044.118262] amdgpu 0000:c6:00.0: amdgpu:  for process python3 pid 551023 thread python3 pid 551023
[182044.118268] amdgpu 0000:c6:00.0: amdgpu:   in page starting at address 0x00007f1c5ae00000 from IH client 0x1b (UTCL2)
'''
[[test]]
fires = 0                        # a driver that retries the page serves it
logs."dmesg.txt" = '''
[182044.118250] amdgpu 0000:c6:00.0: amdgpu: [gfxhub0] retry page fault (src_id:0 ring:24 vmid:3 pasid:32791)
'''
[[test]]
fires = 0                        # its process ends
logs."dmesg.txt" = '''
[182046.550014] amdgpu: Freeing queue vital buffer 0x7f1a02000000, queue evicted
'''
*/
WITH fault AS (
  SELECT e.attempt, coalesce(e.rank, l.rank) AS rank, e.host, NULL AS bdf, e.ts, 'met ' || CASE WHEN e.what LIKE 'HW%' THEN 'an exception of the GPU' ELSE 'a memory access fault on the GPU' END AS what, e.file_id, e.line, e.part
  FROM   gpu_amd_runtime_exception e
  LEFT JOIN lone_aborts l ON e.rank IS NULL AND l.attempt IS NOT DISTINCT FROM e.attempt
  WHERE  NOT regexp_matches(coalesce(e.reason, ''), '(?i)reset|hang|ECC')
  UNION ALL
  SELECT h.attempt, NULL, f.host, regexp_replace(lower(f.bdf), '\.[0-9a-f]$', ''), f.ts, 'faulted at an address', f.file_id, f.line, f.part
  FROM   gpu_amd_page_fault f
  JOIN   host_events h USING (file_id, line, part)
  -- the driver serves a fault that may be retried
  WHERE  h.hit AND coalesce(f.retry, 'no-retry') = 'no-retry'),
spread AS (SELECT attempt, count(DISTINCT coalesce(host, '') || bdf) AS gpus_hit FROM fault GROUP BY attempt)
SELECT f.attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       CASE WHEN gpus_hit <= 2 THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL AND (bdf IS NOT NULL OR rank IS NOT NULL)) END AS hosts,
       CASE WHEN gpus_hit <= 2 THEN list(DISTINCT bdf ORDER BY bdf) FILTER (WHERE bdf IS NOT NULL) END AS gpus, min(f.ts) AS began,
       CASE WHEN bool_and(bdf IS NOT NULL) THEN 'possible' ELSE 'likely' END AS confidence,
       CASE WHEN gpus_hit > 2 THEN printf('%d GPUs', gpus_hit) WHEN bdf IS NOT NULL THEN coalesce(min(host) || ': ', '') || 'GPU ' || bdf WHEN rank IS NOT NULL THEN printf('Rank %d', rank) ELSE 'A process' END
         || ' ' || min(what) || '; the program''s code or, less often, the GPU' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   (SELECT * REPLACE (CASE WHEN (SELECT max(gpus_hit) FROM spread) <= 2 THEN bdf WHEN bdf IS NOT NULL THEN 'several' END AS bdf) FROM fault) f
JOIN   spread s ON s.attempt IS NOT DISTINCT FROM f.attempt
-- many GPUs at once are one fault of the program
GROUP  BY f.attempt, gpus_hit, rank, f.bdf
