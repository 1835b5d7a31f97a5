/*
title    = "The module for GPUDirect RDMA does not load"
kind     = "perf.gdr_off.module"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["perf.low_busbw"]
needs    = ["kernel_gpu", "kernel_host"]
explanation = '''
nvidia-peermem could not be loaded on this host: an older nv_peer_mem holds its place, or it was built for another version of the RDMA drivers. Without it, and without DMA-BUF, data between GPU and NIC goes through host memory.
'''
advice = '''
`lsmod | grep peer`, unload nv_peer_mem, install the driver after (or rebuild it against) the RDMA drivers, `modprobe nvidia-peermem`; then NCCL's channels must end in /GDRDMA.
'''
false_positives = "Hosts that use DMA-BUF, or have no RDMA, do not need the module."
references = ["NVIDIA driver README: GPUDirect RDMA peer memory client"]
[[test]]
fires = 1
logs."boot.txt" = '''
[   61.200001] nvidia_peermem: exports duplicate symbol nv_peer_mem_exit (owned by nv_peer_mem)
modprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument
'''
[[test]]
fires = 1
expect = { hosts = ["n4"] }
logs."n4.syslog" = '''
May  1 12:00:00 n4 kernel: [   61.200001] nvidia_peermem: Unknown symbol ib_register_peer_memory_client (err -2)
'''
[[test]]
fires = 0
logs."boot.txt" = '''
[   61.200001] nvidia_peermem: module verification failed: signature and/or required key missing - tainting kernel
'''
[[test]]
fires = 0                        # NCCL uses it, or DMA-BUF, all the same
logs."n4.syslog" = '''
May  1 12:00:00 n4 kernel: [   61.200001] nvidia_peermem: Unknown symbol ib_register_peer_memory_client (err -2)
'''
logs."nccl.log" = '''
n4:100:120 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [receive] via NET/IB/0/GDRDMA
'''
*/
WITH refused AS (
  SELECT attempt, host, reason, ts, file_id, line, part FROM gpu_peermem_not_loaded
  UNION ALL SELECT attempt, host, module || ': ' || lower(problem) || ' symbol ' || symbol, ts, file_id, line, part FROM kernel_module_symbol WHERE regexp_matches(module, '^(nvidia_peermem|nv_peer_mem)$')
  UNION ALL SELECT attempt, host, module || ': ' || coalesce(reason, 'not inserted'), ts, file_id, line, part FROM host_module_load_failed WHERE regexp_matches(module, '^(nvidia[-_]peermem|nv_peer_mem)$'))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, min(ts) AS began,
       coalesce(host, 'A host') || ' cannot load the module for GPUDirect RDMA: ' || min({'l': line, 't': reason}).t AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   refused
WHERE  NOT EXISTS (SELECT 1 FROM connections WHERE transport LIKE '%GDRDMA%' OR gdr)
GROUP  BY attempt, host
