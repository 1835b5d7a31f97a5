/*
title    = "A container lost access to its GPUs"
kind     = "config.env.devices"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["crash.cuda_error", "hw.gpu_lost", "crash.python"]
needs    = ["nvidia_smi_lines"]
explanation = '''
NVML cannot be opened and gives no reason: in a container that worked before, the device rules of its cgroup were replaced, as by `systemctl daemon-reload` or an update of the container runtime. The GPUs themselves are well.
'''
advice = '''
Run `nvidia-smi` on the host: if it works there, restart the container; list the devices explicitly, or use CDI, so that a reload does not take them away.
'''
false_positives = "A GPU that fell off the bus says so in the kernel log of the host."
references = ["NVIDIA container toolkit: containers losing access to GPUs"]
[[test]]
fires = 1
logs."smi.txt" = "Failed to initialize NVML: Unknown Error"
[[test]]
fires = 1
logs."smi.txt" = '''
+ nvidia-smi
Failed to initialize NVML: Unknown Error
+ nvidia-smi
Failed to initialize NVML: Unknown Error
'''
[[test]]
fires = 0                        # another rule speaks of versions
logs."smi.txt" = "Failed to initialize NVML: Driver/library version mismatch"
[[test]]
fires = 0                        # the kernel tells more
logs."n1/smi.txt" = "Failed to initialize NVML: Unknown Error"
logs."n1/dmesg.txt" = "[  901.1] NVRM: Xid (PCI:0000:91:00): 79, pid=1234, GPU has fallen off the bus."
*/
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, min(ts) AS began,
       coalesce(host, 'A container') || ' can no longer open the GPU driver (NVML: Unknown Error)' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   nvidia_smi_nvml_failed
WHERE  regexp_matches(reason, '(?i)^unknown error') AND NOT EXISTS (SELECT 1 FROM gpu_xid) AND NOT EXISTS (SELECT 1 FROM gpu_fell_off_bus)
GROUP  BY attempt, host
