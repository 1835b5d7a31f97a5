/*
title    = "Processes gave up connecting"
kind     = "net.socket_error"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["nccl_socket"]
explanation = """
NCCL tried to connect until its retries or its patience were used up, and this version does not print whom it called. The process at the other end is
gone or never came, or the address it gave cannot be reached.
"""
advice = """
Compare the `Bootstrap : Using` lines of all hosts (one network, no bridge or loopback), then look for the rank whose log ends first.
A newer NCCL (2.27 and later) prints the address with each failure.
"""
false_positives = "A stop of the job while ranks were still connecting."
references = ["NCCL source: misc/socket.cc, exceeded retries"]
[[test]]
fires = 1
logs."nccl.log" = "n1:10:20 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: exceeded retries (20000)"
[[test]]
fires = 1
logs."nccl.log" = "[2026-11-30 03:13:52] n1:10:20 [0] misc/socket.cc:484 NCCL WARN socketPollConnect: connect returned Connection refused, exceeded error retry count (34)"
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO socketPollConnect: connect returned Connection refused, retrying (3/34) after sleep for 300 msec"
[[test]]
fires = 0                        # the other end is named: judged elsewhere
logs."nccl.log" = "n1:10:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.3<39204> failed : No route to host"
*/
SELECT attempt, min(ts) AS began, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       printf('%s gave up connecting to a process that these lines do not name%s',
              CASE WHEN count(DISTINCT host) = 0 THEN 'A process' WHEN count(DISTINCT host) <= 3 THEN string_agg(DISTINCT host, ', ' ORDER BY host) ELSE printf('%d hosts', count(DISTINCT host)) END,
              coalesce(' (' || lower(min(error)) || ')', '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   nccl_socket_connect_failed
WHERE  peer_addr IS NULL AND peer_host IS NULL
GROUP  BY attempt
