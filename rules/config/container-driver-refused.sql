/*
title    = "The container needs another driver than the host has"
kind     = "config.version_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["launcher.*", "hang.init", "crash.python", "sched.gang"]
needs    = ["container_gpu"]
explanation = """
The tool that gives a container its GPUs found the host's driver missing, not loaded, of another version than its library, or older than the image asks for. The container was not started.
"""
advice = """
On the host: `nvidia-smi` and `cat /proc/driver/nvidia/version`; load the module (`modprobe nvidia`) or reboot after an upgrade; for `unsatisfied condition: cuda>=...`, a newer driver there or an image built for an older CUDA.
"""
false_positives = "A start that was tried again after the driver had come up."
references = ["libnvidia-container: nvc.c, container requirements"]
[[test]]
fires = 1
logs."docker.err" = "nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown."
[[test]]
fires = 1
logs."docker.err" = "docker: Error response from daemon: OCI runtime create failed: nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4, please update your driver to a newer version, or use an earlier cuda container: unknown."
[[test]]
fires = 0                       # no tool for GPUs at all
logs."docker.err" = '''docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'''
[[test]]
fires = 0                       # later it ran
logs."run.log" = '''
nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown.
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
'''
*/
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       printf('A container could not get its GPUs%s: %s', CASE WHEN count(DISTINCT host) = 1 THEN ' on ' || min(host) ELSE '' END, min(what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   container_gpu_refused c
WHERE  regexp_matches(what, 'driver not loaded|driver/library version mismatch|unsatisfied condition|driver rpc error|nvml error|cuda error')
AND    NOT EXISTS (SELECT 1 FROM work_seen w WHERE w.attempt IS NOT DISTINCT FROM c.attempt)
GROUP  BY attempt
