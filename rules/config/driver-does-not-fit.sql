/*
title    = "The driver does not fit the CUDA version of the program"
kind     = "config.version_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.*", "desync.*"]
needs    = ["python", "nccl_system", "torch"]
explanation = """
CUDA refuses: the driver is older than this build needs (35, 222), driver and user libraries do not form a supported pair (803, 804), or the build holds no code for
this GPU (209, no kernel image). On some hosts only, it is those that differ; on all, the program's build.
"""
advice = """
On the host named compare `nvidia-smi` (driver, highest CUDA) with `python -c "import torch; print(torch.version.cuda, torch.cuda.get_arch_list())"`; raise the driver there, or use a build for it.
"""
false_positives = "A stub library in LD_LIBRARY_PATH that hides the driver's own."
references = ["CUDA runtime errors 35, 209, 222, 803, 804"]
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = "n2:10:20 [0] init.cc:211 NCCL WARN Cuda failure 35 'CUDA driver version is insufficient for CUDA runtime version'"
[[test]]
fires = 1
expect = { ranks = [1] }
logs."train.log" = '''
[rank1]: RuntimeError: CUDA error: no kernel image is available for execution on the device
'''
[[test]]
fires = 1                       # PyTorch asks the driver itself
expect = { ranks = [3] }
logs."train.log" = "[rank3]: RuntimeError: The NVIDIA driver on your system is too old (found version 12020). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx Alternatively, go to: https://pytorch.org to install a PyTorch version that has been compiled with your version of the CUDA driver."
[[test]]
fires = 1                       # kernels that the driver is to translate, of a newer compiler
logs."train.log" = "RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain."
[[test]]
fires = 0                       # no driver at all, or no GPU
logs."train.log" = "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx"
[[test]]
fires = 0
logs."nccl.log" = "n2:10:20 [0] init.cc:211 NCCL WARN Cuda failure 2 'out of memory'"
[[test]]
fires = 0
logs."train.log" = '''
[rank1]: RuntimeError: CUDA error: an illegal memory access was encountered
'''
*/
WITH word AS (
  SELECT attempt, host, rank, code, error, ts, file_id, line, part FROM cuda_init_failed
  UNION ALL SELECT attempt, host, rank, code, error, ts, file_id, line, part FROM nccl_cuda_failure
  UNION ALL SELECT attempt, host, rank, NULL, error, ts, file_id, line, part FROM cuda_error),
refused AS (
  SELECT *, CASE WHEN code IN (35, 222) OR regexp_matches(error, 'driver version is insufficient|driver on your system is too old|PTX was compiled with an unsupported toolchain') THEN 'the driver is too old'
                 WHEN code IN (803, 804) OR regexp_matches(error, 'unsupported display driver|forward compatibility') THEN 'driver and CUDA libraries are no supported pair'
                 WHEN code = 209 OR error LIKE '%no kernel image is available%' THEN 'the build holds no code for this GPU' END AS why
  FROM   word)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       CASE WHEN count(host) = 0 AND count(DISTINCT rank) = 1 THEN list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) ELSE [] END AS ranks,
       printf('%s cannot use %s GPUs: %s',
              CASE WHEN count(DISTINCT host) BETWEEN 1 AND 3 THEN string_agg(DISTINCT host, ', ' ORDER BY host) WHEN count(DISTINCT host) > 3 THEN printf('%d hosts', count(DISTINCT host))
                   WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d', min(rank)) WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks', count(DISTINCT rank)) ELSE 'A process' END,
              CASE WHEN count(host) = 0 AND count(DISTINCT rank) > 1 OR count(DISTINCT host) > 1 THEN 'their' ELSE 'its' END, min(why)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   refused
WHERE  why IS NOT NULL
GROUP  BY attempt
