/*
title    = "The GPU driver is not loaded"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.*", "desync.*"]
needs    = ["nvidia_smi_lines", "kernel_gpu"]
explanation = """
nvidia-smi cannot talk to the driver: the module is not loaded, was not built for the running kernel, or its devices are not in the container. Programs then find no GPU at all.
"""
advice = """
On that host: `lsmod | grep nvidia`, `dkms status`, `dmesg -T | grep -i nvrm`; after a kernel upgrade rebuild the module; in a container look for /dev/nvidia0 and the runtime's hook.
"""
false_positives = "A login node without GPUs."
references = ["nvidia-smi: couldn't communicate with the NVIDIA driver"]
[[test]]
fires = 1
logs."setup.log" = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running."
[[test]]
fires = 1
logs."setup.log" = '''
NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.
RuntimeError: No CUDA GPUs are available
'''
[[test]]
fires = 0
logs."setup.log" = "Unable to determine the device handle for GPU0000:C4:00.0: Unknown Error"
[[test]]
fires = 0
logs."setup.log" = "Failed to initialize NVML: Driver/library version mismatch"
[[test]]
fires = 1
logs."dmesg.txt" = '''
[    6.112233] NVRM: The NVIDIA probe routine was not called for 8 device(s).
[    6.112277] NVRM: No NVIDIA devices probed.
'''
*/
WITH word AS (
  SELECT attempt, host, ts, file_id, line, part, 'nvidia-smi cannot talk to the GPU driver' AS what FROM nvidia_smi_no_driver
  UNION ALL SELECT attempt, host, ts, file_id, line, part, 'the GPU driver found no GPU that it may use' FROM gpu_not_probed)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       max(what) || CASE WHEN count(DISTINCT host) BETWEEN 1 AND 3 THEN ' on ' || string_agg(DISTINCT host, ', ' ORDER BY host) ELSE '' END || ': it is not loaded, not there in the container, or another driver holds the GPUs' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   word
GROUP  BY attempt
