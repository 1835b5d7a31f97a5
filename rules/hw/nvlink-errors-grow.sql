/*
title    = "Errors of an NVLink grow"
kind     = "hw.nvlink"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["nvidia_smi_text", "dcgm"]
explanation = """
Between two readings this link was retrained or sent again much more than the others of the job. Each recovery stops the link for a moment, and repeated ones
precede a fatal error. The counter stands at one end; the other end, or the cable or board between, may be the cause.
"""
advice = """
Compare `nvidia-smi nvlink -e` of both ends of this link and of all GPUs, look for Xid 74 and 144 to 150 in `dmesg -T`, and run `dcgmi diag -r 3`; reseat or replace by what both ends say.
"""
false_positives = "A few replays are normal; the first training of links at boot counts too, which is why one reading says nothing."
references = ["nvidia-smi nvlink -e; DCGM_FI_DEV_NVLINK_*"]
[[test]]
fires = 1
expect = { confidence = "likely", severity = "medium" }
logs."nvlink_node1_before.txt" = '''
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000000)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 0
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000001)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 0
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
GPU 2: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000002)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 3
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
'''
logs."nvlink_node1_after.txt" = '''
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000000)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 0
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000001)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 45000
	 Link 1: Recovery Errors: 17
	 Link 1: CRC Errors: 912
GPU 2: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000002)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 5
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
'''
[[test]]
fires = 1
expect = { hosts = ["node17"], gpus = ["node17:1"] }
logs."dcgm.txt" = '''
Wed May  1 12:00:00 UTC 2024
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="0",UUID="GPU-00000000-0000-4000-8000-000000000000",Hostname="node17"} 0
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="1",UUID="GPU-00000000-0000-4000-8000-000000000001",Hostname="node17"} 2
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="2",UUID="GPU-00000000-0000-4000-8000-000000000002",Hostname="node17"} 0
Wed May  1 12:01:00 UTC 2024
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="0",UUID="GPU-00000000-0000-4000-8000-000000000000",Hostname="node17"} 0
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="1",UUID="GPU-00000000-0000-4000-8000-000000000001",Hostname="node17"} 5
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="2",UUID="GPU-00000000-0000-4000-8000-000000000002",Hostname="node17"} 0
Wed May  1 12:02:00 UTC 2024
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="0",UUID="GPU-00000000-0000-4000-8000-000000000000",Hostname="node17"} 0
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="1",UUID="GPU-00000000-0000-4000-8000-000000000001",Hostname="node17"} 11
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="2",UUID="GPU-00000000-0000-4000-8000-000000000002",Hostname="node17"} 0
Wed May  1 12:03:00 UTC 2024
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="0",UUID="GPU-00000000-0000-4000-8000-000000000000",Hostname="node17"} 0
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="1",UUID="GPU-00000000-0000-4000-8000-000000000001",Hostname="node17"} 19
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="2",UUID="GPU-00000000-0000-4000-8000-000000000002",Hostname="node17"} 0
'''
[[test]]
# One reading.
fires = 0
logs."nvlink_node1_after.txt" = '''
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000000)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 0
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000001)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 45000
	 Link 1: Recovery Errors: 17
	 Link 1: CRC Errors: 912
GPU 2: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000002)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 5
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
'''
[[test]]
# Some replays.
fires = 0
logs."nvlink_node1_before.txt" = '''
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000000)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 0
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000001)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 3
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
'''
logs."nvlink_node1_after.txt" = '''
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000000)
	 Link 0: Replay Errors: 2
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 0
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000001)
	 Link 0: Replay Errors: 0
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 0
	 Link 1: Replay Errors: 7
	 Link 1: Recovery Errors: 0
	 Link 1: CRC Errors: 0
'''
*/
-- The test: ten times the usual of all links, and at least 2 recoveries, or 100 of the other errors (replays: 1000).
WITH bad AS (
  SELECT attempt, host, gpu, gpu_name, CASE WHEN device LIKE 'nvlink%' THEN device END AS link, max(delta) AS delta, min(began) AS began, max(ended) AS ended,
         min(replace(split_part(name, '.', 2), '_', ' ')) AS what, flatten(list(evidence ORDER BY name)) AS evidence
  FROM link_error_deltas
  WHERE gpu_name IS NOT NULL AND siblings >= 1 AND delta >= 10 * usual
    AND delta >= CASE WHEN name LIKE '%recovery%' THEN 2 WHEN name LIKE '%replay%' THEN 1000 ELSE 100 END
  GROUP BY ALL)
SELECT b.attempt, [b.host] AS hosts, [b.gpu_name] AS gpus, min(b.began) AS began, max(b.ended) AS ended,
       flatten(list(b.evidence ORDER BY b.link)) AS evidence,
       s.severity, s.role,
       printf('GPU %s: %d more %s on %s', regexp_replace(b.gpu_name, '^GPU ', ''), CAST(max(b.delta) AS BIGINT), min(b.what),
              coalesce(min(b.link), 'its NVLinks')) || coalesce(s.effect, '') AS summary
FROM bad b
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM b.attempt
GROUP BY b.attempt, b.host, b.gpu_name, s.severity, s.role, s.effect
