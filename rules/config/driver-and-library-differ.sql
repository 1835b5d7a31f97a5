/*
title    = "Driver library and kernel module are of different versions"
kind     = "config.version_mismatch"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["config.env", "hang.*", "launcher.*", "net.socket_error", "crash.*", "desync.*", "hw.gpu_lost"]
needs    = ["kernel_gpu", "nvidia_smi_lines", "nccl_system", "kernel_nvswitch"]
explanation = """
The NVIDIA libraries that programs load on this host are of another version than the kernel module: the driver was upgraded under running processes, or a
container brings its own libraries. Nothing can open a GPU until they agree.
"""
advice = """
On the host named compare `cat /proc/driver/nvidia/version` with `nvidia-smi` inside and outside the container; reboot (or unload and load the modules) after an upgrade, and hold the driver packages against automatic upgrades.
"""
false_positives = "A line of a tool long before the job; lines of the kernel count only from within it."
references = ["NVRM: API mismatch", "NVML: Driver/library version mismatch"]
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."n2/dmesg.log" = '''
2026-11-30T03:13:52.000000+00:00 n2 kernel: NVRM: API mismatch: the client has the version 550.54.15, but this kernel module has the version 535.104.12.  Please make sure that this kernel module and all NVIDIA driver components have the same version.
'''
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = "n2:10:20 [0] misc/nvmlwrap.cc:183 NCCL WARN nvmlInit_v2() failed: Driver/library version mismatch"
[[test]]
fires = 1
logs."smi.txt" = "Failed to initialize NVML: Driver/library version mismatch"
[[test]]
fires = 0
logs."smi.txt" = "Failed to initialize NVML: Insufficient Permissions"
[[test]]
fires = 0                        # the evening before, another program
logs."n2/dmesg.log" = '''
2026-11-29T13:13:52.000000+00:00 n2 kernel: NVRM: API mismatch: the client has the version 550.54.15, but this kernel module has the version 535.104.12.  Please make sure that this kernel module and all NVIDIA driver components have the same version.
'''
logs."train.log" = '''
[2026-11-30 03:00:00] n1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:40:00] n1:10:20 [0] init.cc:10 NCCL WARN something
'''
[[test]]
fires = 1
expect = { hosts = ["n14"] }
logs."journal.txt" = '''
Nov 02 08:10:52 n14 nv-fabricmanager[3321]: fabric manager NVIDIA GPU driver interface version 535.104.05 don't match with driver version 535.129.03. Please update with matching NVIDIA driver package.
'''
*/
WITH kernel AS (
  SELECT a.host, printf('%s against %s', a.client_version, a.kernel_version) AS versions, a.ts, a.file_id, a.line, a.part, a.attempt
  FROM   gpu_api_mismatch a
  -- ten minutes before the first line of the job: its start
  WHERE  NOT EXISTS (SELECT 1 FROM job_spans) OR a.ts IS NULL
  OR     EXISTS (SELECT 1 FROM job_spans s WHERE s.began IS NULL OR a.ts BETWEEN s.began - INTERVAL 600 SECOND AND s.ended)),
differ AS (
  SELECT attempt, host, versions, ts, file_id, line, part FROM kernel
  UNION ALL SELECT attempt, host, printf('fabric manager %s, driver %s', manager_version, driver_version), ts, file_id, line, part FROM gpu_fabric_manager_version_mismatch
  UNION ALL SELECT attempt, host, NULL, ts, file_id, line, part FROM nvidia_smi_nvml_failed WHERE reason LIKE '%version mismatch%'
  UNION ALL SELECT attempt, host, NULL, ts, file_id, line, part FROM nccl_nvml_failed WHERE error LIKE '%version mismatch%')
SELECT attempt, [host] AS hosts, min(ts) AS began,
       printf('%s runs %s of another version than its kernel module%s', coalesce(host, 'A host'), CASE WHEN bool_and(versions LIKE 'fabric manager%') THEN 'a fabric manager' ELSE 'driver libraries' END, coalesce(' (' || min(versions) || ')', '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   differ
GROUP  BY attempt, host
