/*
title    = "nvidia-smi says that a GPU needs a reset"
kind     = "hw.xid.recovery"
severity = "high"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["nvidia_smi_text"]
explanation = '''
The report of this GPU has a recovery action, or a reset that is required: the driver met an error that only a reset, a drain or a reboot clears. Which error, its kernel log tells.
'''
advice = '''
`dmesg -T | grep -E 'NVRM|Xid'` on the host for what came before; then drain it and do what is asked (`nvidia-smi --gpu-reset -i N`, or reboot) before the next job.
'''
false_positives = "A report taken after a fault of another job, before anybody reset the GPU."
references = ["nvidia-smi manual: GPU Reset Status, GPU Recovery Action"]
[[test]]
fires = 1
expect = { gpus = ["0000:9d:00.0"] }
logs."smi.txt" = '''
==============NVSMI LOG==============
GPU 00000000:9D:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    GPU Reset Status
        Reset Required                    : Yes
        Drain and Reset Recommended       : Yes
'''
[[test]]
fires = 1
expect = { gpus = ["0000:1b:00.0"] }
logs."smi.txt" = '''
==============NVSMI LOG==============
GPU 00000000:1B:00.0
    Product Name                          : NVIDIA B200
    GPU Recovery Action                   : Node Reboot Required
'''
[[test]]
fires = 0
logs."smi.txt" = '''
==============NVSMI LOG==============
GPU 00000000:1B:00.0
    Product Name                          : NVIDIA B200
    GPU Recovery Action                   : None
    GPU Reset Status
        Reset Required                    : No
        Drain and Reset Recommended       : No
'''
[[test]]
fires = 0                        # older cards have no such state
logs."smi.txt" = '''
==============NVSMI LOG==============
GPU 00000000:1B:00.0
    Product Name                          : Tesla T4
    GPU Reset Status
        Reset Required                    : N/A
        Drain and Reset Recommended       : N/A
'''
*/
WITH asked AS (
  SELECT attempt, file_id, line, part, host, gpu, lower(device) AS bdf, field, value FROM gpu_state
  WHERE (field = 'gpu_recovery_action' AND regexp_matches(value, '(?i)reset|reboot|drain|recover'))
  OR    (field IN ('reset_required', 'drain_and_reset_recommended') AND value = 'Yes'))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, list_filter([coalesce(host || ':' || gpu, bdf), bdf], lambda n: n IS NOT NULL)[:1] AS gpus,
       coalesce(host || ': ', '') || printf('GPU %s needs recovery, says nvidia-smi (%s)', coalesce(CAST(gpu AS VARCHAR), bdf), min(CASE field WHEN 'gpu_recovery_action' THEN lower(value) WHEN 'reset_required' THEN 'a reset' ELSE 'drain and reset' END)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   asked
WHERE  coalesce(host || ':' || gpu, bdf) IS NOT NULL
-- the kernel's own word says more
AND    NOT EXISTS (SELECT 1 FROM xids x WHERE NOT x.echo AND x.grade IN ('error', 'fatal') AND (x.host = asked.host OR x.host IS NULL OR asked.host IS NULL))
GROUP  BY attempt, host, gpu, bdf
