/*
title    = "A container could not be given its GPUs"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["launcher.*", "hang.init", "crash.python", "sched.gang"]
needs    = ["container_gpu"]
explanation = """
The container runtime has no tool that gives GPUs to containers, or was asked for a device that is not there. The container was not started.
"""
advice = """
On the host: install nvidia-container-toolkit, `nvidia-ctk runtime configure --runtime=docker`, restart the runtime; `nvidia-smi -L` against the devices asked for (NVIDIA_VISIBLE_DEVICES, --gpus).
"""
false_positives = "A start that was tried again after the runtime had been set up."
references = ["NVIDIA Container Toolkit: troubleshooting"]
[[test]]
fires = 1
logs."docker.err" = '''docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'''
[[test]]
fires = 1
logs."docker.err" = "nvidia-container-cli: device error: 4: unknown device: unknown."
[[test]]
fires = 0                       # the driver is what is wrong
logs."docker.err" = "nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown."
[[test]]
fires = 0                       # later it ran
logs."run.log" = '''
nvidia-container-cli: device error: 4: unknown device: unknown.
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
'''
*/
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       printf('A container could not get its GPUs%s: %s', CASE WHEN count(DISTINCT host) = 1 THEN ' on ' || min(host) ELSE '' END, min(what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   container_gpu_refused c
WHERE  NOT regexp_matches(what, 'driver not loaded|driver/library version mismatch|unsatisfied condition|driver rpc error|nvml error|cuda error')
AND    NOT EXISTS (SELECT 1 FROM work_seen w WHERE w.attempt IS NOT DISTINCT FROM c.attempt)
GROUP  BY attempt
