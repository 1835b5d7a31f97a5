/*
title    = "A CUDA call failed for an NVLink error"
kind     = "hw.nvlink"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["crash.cuda_error", "crash.python", "crash.signal", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["python"]
explanation = """
The CUDA runtime says that an NVLink of this process's GPU failed. The other end of the link may be the one at fault; the kernel log
has the link number.
"""
advice = """
Read `dmesg -T | grep -e NVRM -e SXid` on that rank's host, and `nvidia-smi nvlink -s` and `-e` on both ends.
Reset the GPUs of the host before the next job.
"""
false_positives = "Several ranks of a host that fail together share a switch: the lines do not tell which link."
references = ["cudaErrorNvlinkUncorrectable"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = '''
[rank3]: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution
'''
[[test]]
fires = 1                       # both ends of a link: one of the two
expect = { ranks = [2, 3], either = true }
logs."train.log" = '''
[rank2]: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution
[rank3]: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank3]: RuntimeError: CUDA error: unspecified launch failure
'''
[[test]]
fires = 0
logs."train.log" = '''
node1:100:100 [0] NCCL INFO NVLS multicast support is available on dev 0
'''
*/
SELECT attempt, CASE WHEN count(DISTINCT rank) <= 2 THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) END AS hosts,
       CASE WHEN count(DISTINCT rank) <= 2 THEN list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) END AS ranks,
       count(DISTINCT rank) = 2 AS either, min(ts) FILTER (WHERE ts_from = 'line') AS began,
       CASE WHEN count(DISTINCT rank) BETWEEN 1 AND 2
            THEN printf('An NVLink failed under rank%s %s, says CUDA', CASE WHEN count(DISTINCT rank) = 2 THEN 's' ELSE '' END,
                        string_agg(DISTINCT CAST(rank AS VARCHAR), ' and ' ORDER BY CAST(rank AS VARCHAR)))
            ELSE 'NVLinks failed, says CUDA in several processes' END AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   cuda_error
WHERE  regexp_matches(lower(error), 'nvlink error')
GROUP  BY attempt
