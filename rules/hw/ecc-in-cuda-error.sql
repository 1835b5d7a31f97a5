/*
title    = "A CUDA call failed for an uncorrectable memory error"
kind     = "hw.ecc"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["crash.cuda_error", "crash.python", "crash.signal", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["python"]
explanation = """
The CUDA runtime itself says that the GPU of this process met a memory error that could not be corrected. The program did nothing wrong;
the other ranks die or wait because of it.
"""
advice = """
Read `dmesg -T | grep NVRM` on that rank's host for Xid 48, 63, 64, 94 or 95, and `nvidia-smi -q -d ROW_REMAPPER,ECC`.
Reset the GPU before the next job; replace it if it comes back within days.
"""
false_positives = "CUDA reports errors asynchronously: the call that failed is not the one at fault, the GPU is."
references = ["cudaErrorECCUncorrectable"]
[[test]]
fires = 1
expect = { ranks = [3], confidence = "likely" }
logs."train.log" = '''
[rank3]: RuntimeError: CUDA error: uncorrectable ECC error encountered
'''
[[test]]
fires = 1                       # whose it is, is not shown
expect = { ranks = [], hosts = [] }
logs."console.log" = '''
RuntimeError: CUDA error: uncorrectable ECC error encountered
CUDA kernel errors might be asynchronously reported at some other API call,so the stacktrace below might be incorrect.
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank3]: RuntimeError: CUDA error: an illegal memory access was encountered
'''
[[test]]
fires = 0                       # read from a table
logs."q.txt" = '''
        Uncorrectable ECC errors                                : 0
'''
*/
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       min(ts) FILTER (WHERE ts_from = 'line') AS began,
       printf('%s: its GPU met an uncorrectable memory error, says CUDA', CASE WHEN rank IS NOT NULL THEN 'Rank ' || rank || coalesce(' on ' || min(host), '')
              ELSE coalesce('A process on ' || min(host), 'One process') END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   cuda_error
WHERE  regexp_matches(lower(error), 'ecc error')
GROUP  BY attempt, rank, CASE WHEN rank IS NULL THEN host END
