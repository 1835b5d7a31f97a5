/*
title    = "The GPU driver is not loaded"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.*", "desync.*"]
needs    = ["nvidia_smi_lines"]
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
*/
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       'nvidia-smi cannot talk to the GPU driver' || CASE WHEN count(DISTINCT host) BETWEEN 1 AND 3 THEN ' on ' || string_agg(DISTINCT host, ', ' ORDER BY host) ELSE '' END || ': it is not loaded, or not there in the container' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   nvidia_smi_no_driver
GROUP  BY attempt
