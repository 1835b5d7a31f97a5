/*
title    = "The fabric plugin reported failed requests"
kind     = "net.ib_error"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_plugins"]
explanation = """
The libfabric plugin (EFA and its like) completed a request with an error. Unreachable or unresponsive mean that the peer's endpoint is gone (its process
died or was restarted) or that a security group blocks the traffic; resource errors are about the own host.
"""
advice = """
Read the end of the logs of the ranks that this one talked to, and the state of their instances; check that the security group allows all traffic to itself, and that plugin, libfabric and driver match on all hosts.
"""
false_positives = "The end of a job in which another process died first."
references = ["aws-ofi-nccl: Request completed with error"]
[[test]]
fires = 1
logs."nccl.log" = "n1:10:20 [0] process_completions:1512 NCCL WARN NET/OFI Request completed with error. RC: 103. Error: unknown error"
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [0] ofi_process_cq:1512 NCCL WARN NET/OFI Request completed with error. RC: 21. Error: unreachable remote
n2:10:20 [0] ofi_process_cq:1512 NCCL WARN NET/OFI Request completed with error. RC: 21. Error: unreachable remote
'''
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO NET/OFI Selected Provider is efa (found 16 nics)"
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin."
*/
WITH failed AS (
  SELECT attempt, min(ts) AS began, count(DISTINCT host) AS hosts, min(coalesce(error, 'code ' || code)) AS error,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_ofi_request_failed
  GROUP  BY attempt)
SELECT r.attempt, r.began, r.evidence, true AS either, CASE WHEN f.attempt IS NOT NULL THEN 'symptom' ELSE 'cause' END AS role,
       printf('Requests over the fabric failed%s (%s); the lines do not say which end is at fault', CASE WHEN r.hosts > 1 THEN printf(' on %d hosts', r.hosts) ELSE '' END, lower(r.error)) AS summary
FROM   failed r
LEFT JOIN earlier_faults f ON f.attempt IS NOT DISTINCT FROM r.attempt AND (r.began IS NULL OR f.since <= r.began + INTERVAL 60 SECOND)
