/*
title    = "A host's kernel could not give GPU memory to its network adapters"
kind     = "perf.gdr_off"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["config.env", "perf.low_busbw", "perf.straggler", "hang.init", "launcher.*", "crash.python", "crash.signal", "net.ib_error"]
needs    = ["kernel_gpu"]
explanation = """
nvidia-peermem, which registers GPU memory with network adapters for GPUDirect RDMA, was refused the pages by the GPU driver. A process that asked for the registration either fails at its
start or copies everything through the host's memory. Mostly the module was built for another driver, or the GPU's BAR1 is used up.
"""
advice = """
On the host named: `modinfo nvidia_peermem | grep -E 'version|vermagic'` against `cat /proc/driver/nvidia/version`, reload it (`modprobe -r nvidia_peermem; modprobe nvidia_peermem`) or use DMA-BUF (driver 515 and Linux 5.12 on).
`nvidia-smi -q -d MEMORY` shows how much of BAR1 is used; `NCCL_NET_GDR_LEVEL=LOC` lets a job run without GPUDirect meanwhile.
"""
false_positives = "`detected invalid context` of the same module is the end of a process and is left out. A test by hand outside the job."
references = ["nvidia-peermem: nv_mem_get_pages"]
[[test]]
fires = 1
expect = { hosts = ["node2"], role = "cause" }
logs."node2/kern.log" = '''
2026-11-30T03:13:50.000000+00:00 node2 kernel: nvidia-peermem nv_mem_get_pages:216 ERROR error -22 while calling nvidia_p2p_get_pages()
'''
logs."nccl.log" = '''
[2026-11-30 03:13:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:13:51] node2:10:20 [0] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_reg_mr failed
'''
[[test]]
fires = 1                        # no process complained
expect = { hosts = ["node2"], role = "context", severity = "info" }
logs."node2/kern.log" = '''
2026-11-30T03:13:50.000000+00:00 node2 kernel: nvidia-peermem nv_mem_get_pages:216 ERROR error -22 while calling nvidia_p2p_get_pages()
'''
[[test]]
fires = 0                        # processes that ended
logs."node2/kern.log" = '''
2026-11-30T03:13:50.000000+00:00 node2 kernel: nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, skipping further processing
'''
[[test]]
fires = 0                        # the day before
logs."node2/kern.log" = '''
2026-11-29T03:13:50.000000+00:00 node2 kernel: nvidia-peermem nv_mem_get_pages:216 ERROR error -22 while calling nvidia_p2p_get_pages()
'''
logs."nccl.log" = '''
[2026-11-30 03:13:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:13:51] node2:10:20 [0] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_reg_mr failed
'''
*/
WITH refused AS (
  SELECT p.host, h.attempt, h.began, p.error, p.file_id, p.line, p.part,
         -- its caller reports at once
         (SELECT min({'file_id': v.file_id, 'line': v.line, 'part': v.part}) FROM nccl_net_ib_verbs_failed v
          WHERE v.attempt = h.attempt AND v.host = p.host AND regexp_matches(v.call, 'reg_(dmabuf_)?mr') AND v.ts BETWEEN h.began - INTERVAL 60 SECOND AND h.began + INTERVAL 60 SECOND) AS told
  FROM   gpu_peermem_failed p
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit AND h.sure AND p.host IS NOT NULL)
SELECT attempt, [host] AS hosts, min(began) AS began,
       CASE WHEN count(told) > 0 THEN 'high' ELSE 'info' END AS severity, CASE WHEN count(told) > 0 THEN 'cause' ELSE 'context' END AS role,
       printf('%s: the GPU driver refused its memory to the network adapters', host) || coalesce(printf(' (error %d)', min(error)), '') || coalesce(strftime(min(began), ' at %H:%M:%S'), '')
       || CASE WHEN count(told) > 0 THEN ', so NCCL could not register it' ELSE '' END AS summary,
       list_concat(list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part), list(DISTINCT told ORDER BY told) FILTER (WHERE told IS NOT NULL)) AS evidence
FROM   refused
GROUP  BY attempt, host
