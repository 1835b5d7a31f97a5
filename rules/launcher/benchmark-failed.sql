/*
title    = "A benchmark of NCCL failed"
kind     = "launcher.child_failed.benchmark"
severity = "high"
role     = "symptom"
confidence = "possible"
explains = []
needs    = ["nccl_tests"]
explanation = '''
nccl-tests stopped at an error of NCCL or CUDA and says no more than its class. The warnings that NCCL prints before it tell the reason.
'''
advice = '''
Run it again with NCCL_DEBUG=WARN (or INFO) on all hosts and read the first warning; `dmesg -T` of the host that fails.
'''
false_positives = "A benchmark that somebody interrupted."
references = ["nccl-tests source: common.cu"]
[[test]]
fires = 1
logs."allreduce.out" = "vx4: Test NCCL failure common.cu:1005 'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / '"
[[test]]
fires = 1
logs."allreduce.out" = "vx4: Test CUDA failure common.cu:1005 'no CUDA-capable device is detected'"
[[test]]
fires = 1
logs."allreduce.out" = "vx4: Test CUDA failure common.cu:1006 'CUDA-capable device(s) is/are busy or unavailable'"
[[test]]
fires = 0                        # another rule's
logs."allreduce.out" = "vx4: Test NCCL failure common.cu:1005 'remote process exited or there was a network error / '"
[[test]]
fires = 0
logs."allreduce.out" = "# Out of bounds values : 0 OK"
*/
SELECT attempt, min(ts) AS began, printf('A benchmark failed: %s', min({'l': line, 'e': error}).e) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   bench_nccl_tests_failure
WHERE  error NOT LIKE '%remote process exited%'
GROUP  BY attempt
