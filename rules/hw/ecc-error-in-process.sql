/*
title    = "A GPU met an uncorrectable memory error"
kind     = "hw.ecc"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "crash.*", "net.socket_error", "desync.rank_behind", "hw.xid"]
needs    = ["python", "torch", "nccl"]
explanation = """
CUDA told the process that its GPU's memory holds an error that cannot be corrected. One contained event ends one process and is legitimate;
a failed row remap, or repetition, condemns the part.
"""
advice = """
On that rank's host run `nvidia-smi -q -d ECC,ROW_REMAPPER` and read `dmesg -T | grep Xid` (48, 63, 64, 94, 95); reset the GPU when a remap is pending, replace it when remapping failed.
"""
false_positives = "None known: the text is the driver's."
references = ["NVIDIA GPU memory error management"]
[[test]]
fires = 1
expect = { ranks = [] }
logs."console.log" = '''
RuntimeError: CUDA error: uncorrectable ECC error encountered
CUDA kernel errors might be asynchronously reported at some other API call,so the stacktrace below might be incorrect.
'''
[[test]]
fires = 1
expect = { ranks = [3] }
logs."console.log" = '''
[rank3]: RuntimeError: CUDA error: uncorrectable ECC error encountered
'''
[[test]]
fires = 0
logs."console.log" = '''
[rank3]: RuntimeError: CUDA error: unspecified launch failure
'''
[[test]]
fires = 0
logs."console.log" = "ECC is enabled on this device"
*/
WITH error_ AS (
  SELECT attempt, rank, host, ts, file_id, line, part FROM cuda_error WHERE regexp_matches(error, 'ECC|ecc')
  UNION ALL SELECT attempt, rank, host, ts, file_id, line, part FROM nccl_cuda_failure WHERE regexp_matches(error, 'ECC'))
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       CASE WHEN rank IS NOT NULL THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts, min(ts) AS began,
       coalesce(printf('The GPU of rank %d', rank), 'The GPU of one process') || ' met an uncorrectable memory error (ECC)' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   error_
GROUP  BY attempt, rank
