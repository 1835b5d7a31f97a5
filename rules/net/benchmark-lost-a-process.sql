/*
title    = "A benchmark ended because a process or the network was gone"
kind     = "net.socket_error.remote"
severity = "high"
role     = "symptom"
confidence = "possible"
explains = []
needs    = ["nccl_tests"]
explanation = '''
nccl-tests ended with NCCL's remote error: another process of it ended first, or the network between them failed. The host that prints this is the one that noticed.
'''
advice = '''
Run it again with NCCL_DEBUG=INFO on all hosts and keep the output of every process: the first warning before this line names the peer. Then the kernel logs of both hosts.
'''
false_positives = "A benchmark that somebody interrupted."
references = ["nccl-tests source: common.cu; NCCL: ncclRemoteError"]
[[test]]
fires = 1
logs."allreduce.out" = '''
vx4: Test NCCL failure common.cu:1005 'remote process exited or there was a network error / Call to ibv_poll_cq failed'
 .. vx4 pid 8812: Test failure common.cu:891
'''
[[test]]
fires = 1
logs."allreduce.out" = "vx4: Test NCCL failure common.cu:1005 'remote process exited or there was a network error / '"
[[test]]
fires = 0
logs."allreduce.out" = "vx4: Test NCCL failure common.cu:1005 'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / '"
[[test]]
fires = 0
logs."allreduce.out" = "# Out of bounds values : 0 OK"
*/
SELECT attempt, min(ts) AS began, printf('A benchmark%s lost a process or its network; the line tells who noticed, not who failed', coalesce(' on ' || CASE WHEN count(DISTINCT host) = 1 THEN min(host) END, '')) AS summary,
       list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   bench_nccl_tests_failure
WHERE  error LIKE '%remote process exited%'
GROUP  BY attempt
