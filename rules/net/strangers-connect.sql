/*
title    = "Connections arrive that do not belong"
kind     = "net.socket_error"
severity = "medium"
role     = "symptom"
confidence = "possible"
needs    = ["nccl_socket", "nccl_setup"]
explanation = """
A connection carried another type, magic number or length than expected. Inside one job that means that its processes differ (network, plugin, NCCL version,
settings), or that two of them have one rank number; from outside, a left-over of an earlier attempt, a second job on the port, or a port scanner.
"""
advice = """
Compare the `Using network` and `NCCL version` lines and the NCCL_* settings of all hosts; look where the address in the line belongs to.
"""
false_positives = "A security scanner; newer NCCL drops its connections and goes on."
references = ["NCCL source: misc/socket.cc, socketFinalizeAccept"]
[[test]]
fires = 1
logs."nccl.log" = "n1:10:20 [0] misc/socket.cc:720 NCCL WARN socketFinalizeAccept: wrong type 3 != 4"
[[test]]
fires = 1
logs."nccl.log" = "n1:10:20 [0] bootstrap.cc:120 NCCL WARN Message truncated : received 136 bytes instead of 128"
[[test]]
fires = 0                        # dropped, and the job goes on
logs."nccl.log" = "n1:10:20 [0] NCCL INFO socketFinalizeAccept: from 10.1.3.44<48211>: discarding peer connection"
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer gpu002<55693>"
*/
WITH stranger AS (
  SELECT attempt, host, 'wrong ' || what AS what, ts, file_id, line, part FROM nccl_socket_stranger WHERE what IS NOT NULL
  UNION ALL
  SELECT attempt, host, printf('%d bytes instead of %d', received, expected), ts, file_id, line, part FROM nccl_bootstrap_truncated)
SELECT attempt, min(ts) AS began,
       -- two versions of NCCL say it all
       CASE WHEN (SELECT count(DISTINCT version) FROM nccl_version) > 1 THEN 'info' ELSE 'medium' END AS severity,
       list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       printf('%s got connections that do not belong (%s): the processes differ, or somebody else dialled',
              CASE WHEN count(DISTINCT host) BETWEEN 1 AND 3 THEN string_agg(DISTINCT host, ', ' ORDER BY host) WHEN count(DISTINCT host) = 0 THEN 'A process' ELSE printf('%d hosts', count(DISTINCT host)) END, min(what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   stranger
GROUP  BY attempt
