/*
title    = "A process sees no GPU"
kind     = "config.env"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "hang.*", "crash.python", "net.socket_error"]
unless   = ["hw.*", "config.*", "sched.*"]
needs    = ["python"]
explanation = """
CUDA found no device that this process may use: CUDA_VISIBLE_DEVICES is empty or names one that is not there, the container or the job step was given none, the driver is not loaded, or the GPU is gone. Which of these it was does not stand here.
"""
advice = """
In the same place and as the same user: `nvidia-smi -L`, `echo $CUDA_VISIBLE_DEVICES`, `ls -l /dev/nvidia*`; in a container `docker run --gpus all`, under Slurm `--gres=gpu`, in Kubernetes the limit nvidia.com/gpu; on the host `dmesg -T | grep -E 'NVRM|Xid'`.
"""
false_positives = "A helper process that needs no GPU and asks for one nevertheless."
references = ["PyTorch: c10/cuda/CUDAFunctions.cpp, torch/csrc/cuda/Module.cpp", "CUDA runtime errors 100 and 999"]
[[test]]
fires = 1
expect = { ranks = [2], role = "cause" }
logs."train.log" = "[rank2]: RuntimeError: No CUDA GPUs are available"
[[test]]
fires = 1
logs."train.log" = '''
Traceback (most recent call last):
  File "/opt/env/lib/python3.10/site-packages/torch/cuda/__init__.py", line 302, in _lazy_init
    torch._C._cuda_init()
RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx
'''
[[test]]
fires = 0                       # another reason is given
logs."train.log" = '''
RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized
'''
[[test]]
fires = 0                       # a warning, and the work is done on the CPU
logs."train.log" = '''
UserWarning: CUDA initialization: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx (Triggered internally at ../c10/cuda/CUDAFunctions.cpp:108.)
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
'''
[[test]]
fires = 0                       # somebody else uses it
logs."train.log" = "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable"
*/
WITH blind AS (
  SELECT attempt, rank, host, error, ts, file_id, line, part FROM cuda_init_failed
  WHERE  code IN (100, 999) OR regexp_matches(error, '^(No CUDA GPUs are available|Found no NVIDIA driver|CUDA unknown error|no CUDA-capable device is detected)'))
SELECT attempt, CASE WHEN count(DISTINCT rank) = 1 THEN list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) ELSE [] END AS ranks,
       CASE WHEN count(DISTINCT host) = 1 THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts, min(ts) AS began,
       CASE WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d sees', min(rank)) WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks see', count(DISTINCT rank)) ELSE 'A process sees' END
         || CASE WHEN count(DISTINCT host) = 1 THEN ' on ' || min(host) ELSE '' END || printf(' no GPU (%s); these lines do not say whether it was given none or has lost it', min(error)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   blind b
WHERE  NOT EXISTS (SELECT 1 FROM work_seen w WHERE w.attempt IS NOT DISTINCT FROM b.attempt)
GROUP  BY attempt
