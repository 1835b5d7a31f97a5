/*
title    = "The driver waits for a GPU that makes no progress"
kind     = "hw.xid.hang"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "crash.cuda_error", "desync.rank_behind", "host.hung_task"]
needs    = ["kernel_gpu"]
explanation = '''
The display part of the driver asked this GPU for something and got no answer, again and again: the GPU or its firmware hangs, or a kernel holds it without end. The number is the driver's own, mostly that of nvidia-smi.
'''
advice = '''
`nvidia-smi -q -i N` (does it answer?), `dmesg -T | grep -E 'NVRM|Xid'`; reset the GPU, and reboot the host if that hangs. Headless hosts need no nvidia-modeset: `nvidia-drm modeset=0`.
'''
false_positives = "Once or twice while a desktop session starts or a monitor wakes."
references = ["NVIDIA driver: nvidia-modeset"]
[[test]]
fires = 1
expect = { hosts = ["n2"], gpus = ["n2:0"] }
logs."kern.log" = '''
Jun 12 12:00:10 n2 kernel: nvidia-modeset: ERROR: GPU:0: Error while waiting for GPU progress: 0x0000c77d:0 2:0:4048:4040
Jun 12 12:00:15 n2 kernel: nvidia-modeset: ERROR: GPU:0: Error while waiting for GPU progress: 0x0000c77d:0 2:0:4048:4040
Jun 12 12:00:20 n2 kernel: nvidia-modeset: ERROR: GPU:0: Error while waiting for GPU progress: 0x0000c77d:0 2:0:4048:4040
'''
[[test]]
fires = 1
expect = { hosts = [], gpus = ["GPU 3"] }
logs."dmesg.txt" = '''
[  812.1] nvidia-modeset: ERROR: GPU:3: Error while waiting for GPU progress: 0x0000c57d:0 2:0:1024:1020
[  817.1] nvidia-modeset: ERROR: GPU:3: Error while waiting for GPU progress: 0x0000c57d:0 2:0:1024:1020
[  822.1] nvidia-modeset: ERROR: GPU:3: Error while waiting for GPU progress: 0x0000c57d:0 2:0:1024:1020
'''
[[test]]
fires = 0                        # once
logs."kern.log" = '''
Jun 12 12:00:10 n2 kernel: nvidia-modeset: ERROR: GPU:0: Error while waiting for GPU progress: 0x0000c77d:0 2:0:4048:4040
'''
[[test]]
fires = 0                        # what a GPU without a monitor says
logs."kern.log" = '''
Jun 12 12:00:10 n2 kernel: nvidia-modeset: WARNING: GPU:0: Unable to read EDID for display device DP-0
'''
*/
SELECT h.attempt, CASE WHEN g.host IS NOT NULL THEN [g.host] ELSE [] END AS hosts, [coalesce(g.host || ':' || g.gpu, 'GPU ' || g.gpu)] AS gpus, min(h.began) AS began,
       coalesce(g.host || ': ', '') || printf('GPU %d makes no progress%s, says its driver', g.gpu, coalesce(strftime(min(h.began), ' from %H:%M:%S'), '')) AS summary,
       list({'file_id': g.file_id, 'line': g.line, 'part': g.part} ORDER BY g.file_id, g.line, g.part) AS evidence
FROM   gpu_no_progress g
JOIN   host_events h USING (file_id, line, part)
WHERE  h.hit
GROUP  BY h.attempt, g.host, g.gpu
HAVING count(*) >= 3
