/*
title    = "The driver of a host sees no GPU"
kind     = "hw.gpu_lost"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "crash.cuda_error", "config.env"]
needs    = ["nvidia_smi_lines"]
explanation = '''
nvidia-smi ran and found the driver, but no device. On a host that has GPUs all of them are lost, held by another driver (vfio) or excluded; inside a container none was passed in.
'''
advice = '''
On the host itself: `lspci | grep -i nvidia`, `dmesg -T | grep -E 'NVRM|nvidia'`, `nvidia-smi -L`; in a container compare `ls /dev/nvidia*` and NVIDIA_VISIBLE_DEVICES with a host where it works.
'''
false_positives = "A login node or a step that asked for no GPU."
references = ["nvidia-smi"]
[[test]]
fires = 1
expect = { hosts = ["n19"] }
logs."srun.out" = '''
0: |   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |
1: No devices were found
srun: error: n19: task 1: Exited with exit code 6
'''
[[test]]
fires = 1
expect = { hosts = [] }
logs."smi.txt" = '''
No devices were found
'''
[[test]]
fires = 0
logs."smi.txt" = '''
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000000)
'''
[[test]]
fires = 0                        # the job worked
logs."train.log" = '''
No devices were found
2026-11-30 03:00:00 iter 1: loss 2.49, time 1000.00ms
2026-11-30 03:00:01 iter 2: loss 2.48, time 1000.00ms
2026-11-30 03:00:02 iter 3: loss 2.47, time 1000.00ms
'''
*/
WITH none AS (
  SELECT n.attempt, n.file_id, n.line, n.part, coalesce(n.host, t.host) AS host
  FROM   nvidia_smi_no_devices n
  LEFT   JOIN (SELECT file_id, tasks, min(nodes) AS host FROM slurm_task_exit WHERE nodes NOT LIKE '%[%' AND nodes NOT LIKE '%,%' GROUP BY file_id, tasks) t
         ON t.file_id = n.file_id AND t.tasks = CAST(n.task AS VARCHAR))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, coalesce(host || ': t', 'T') || 'he driver sees no GPU' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   none
WHERE  NOT EXISTS (SELECT 1 FROM steps s WHERE s.attempt = none.attempt)
GROUP  BY attempt, host
