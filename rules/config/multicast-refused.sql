/*
title    = "NVLink multicast memory could not be set up"
kind     = "config.env"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.*", "net.socket_error", "desync.rank_behind"]
needs    = ["nccl_channels", "nccl_system", "kernel_nvswitch"]
explanation = """
NCCL could not bind or import the multicast memory of NVLink SHARP. The fabric manager or the NVSwitches of that host are not in order (not running, other
version than the driver, restarted without a reset of the GPUs), or the container lacks the device nodes. One GPU alone is not to blame.
"""
advice = """
On the host named compare the versions of nvidia-fabricmanager and driver, restart both in order after draining, and give the container /dev/nvidia-caps-imex-channels and fabric devices.
As a test, not a cure: NCCL_NVLS_ENABLE=0.
"""
false_positives = "Releases that print it and go on without NVLS are not counted."
references = ["NCCL source: transport/nvls.cc"]
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = '''
[2026-11-30 03:13:52] n2:10:20 [0] transport/nvls.cc:310 NCCL WARN Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 'the operation cannot be performed in the present state'
'''
[[test]]
fires = 1
logs."fabricmanager.log" = '''
[Jul 23 2024 07:53:55] [ERROR] [tid 841] failed to find the GPU handle 4718 in the multicast team request setup 99
'''
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = "n2:10:20 [3] transport/nvls.cc:244 NCCL WARN Cuda failure 1 'invalid argument'"
[[test]]
fires = 0                        # it goes on without
logs."nccl.log" = "n2:10:20 [0] NCCL INFO Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 'x'. Proceeding without NVLS support."
[[test]]
fires = 0
logs."nccl.log" = "n2:10:20 [0] NCCL INFO NVLS multicast support is not available on dev 0"
*/
WITH refused AS (
  SELECT attempt, host, error, ts, file_id, line, part FROM nccl_nvls_bind_failed WHERE fallback IS NULL
  UNION ALL      -- releases that print the bare CUDA error
  SELECT attempt, host, error, ts, file_id, line, part FROM nccl_cuda_failure WHERE "at" LIKE '%nvls%' AND error NOT LIKE '%out of memory%'
  UNION ALL
  SELECT attempt, host, 'a GPU is not in the fabric manager''s list', ts, file_id, line, part FROM gpu_fabric_manager_multicast_failed)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       printf('NVLink multicast memory could not be set up%s (%s)',
              CASE WHEN count(DISTINCT host) BETWEEN 1 AND 3 THEN ' on ' || string_agg(DISTINCT host, ', ' ORDER BY host) WHEN count(DISTINCT host) > 3 THEN printf(' on %d hosts', count(DISTINCT host)) ELSE '' END,
              coalesce(min(error), 'no reason given')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   refused
GROUP  BY attempt
