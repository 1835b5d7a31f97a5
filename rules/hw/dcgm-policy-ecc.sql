/*
title    = "DCGM's policy met an uncorrectable memory error"
kind     = "hw.ecc"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.cuda_error"]
needs    = ["dcgm_reports"]
explanation = '''
Somebody registered a policy with DCGM, and a GPU of this group had a double bit error. The notice does not say which GPU.
'''
advice = '''
`nvidia-smi -q -d ECC,ROW_REMAPPER` and `dmesg -T | grep -i xid` on this host name the GPU; drain the host and reset it.
'''
false_positives = "A policy with a threshold that somebody lowered for a test."
references = ["DCGM user guide: policy"]
[[test]]
fires = 1
expect = { gpus = [] }
logs."policy.txt" = '''
Listening for violations.
A double bit ECC error has violated policy manager values.
DBE error count: 1
'''
[[test]]
fires = 1
logs."n1/dcgmi-policy.log" = '''
A double bit ECC error has violated policy manager values.
A XID event has violated policy manager values.
'''
[[test]]
fires = 0                        # heat
logs."policy.txt" = '''
A maximum temperature event has violated policy manager values.
'''
[[test]]
fires = 0
logs."policy.txt" = '''
Listening for violations.
'''
*/
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, min(ts) AS began, coalesce(host || ': a', 'A') || ' GPU had an uncorrectable memory error, says DCGM; it does not say which' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   dcgm_policy_violated
WHERE  regexp_matches(lower(what), 'double bit|dbe|uncorrect')
GROUP  BY attempt, host
