/*
title    = "A file server did not answer"
kind     = "storage.stall"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["storage.*", "host.*", "data.stall", "hang.*", "desync.*", "launcher.*", "crash.signal", "net.socket_error"]
needs    = ["kernel_netfs"]
explanation = """
The kernel wrote that an NFS server did not respond, or that the connection to a Lustre target was lost. Until the line that it is back,
every read and write there blocks: ranks that load data or save sit still, and the others wait for them.
"""
advice = """
Look at the server and the path to it at this time: its load, its log, other clients' kernel logs.
Many hosts at once: the server or its network; one host: that host's mount or NIC. Retry from the last checkpoint.
"""
false_positives = "Pauses of seconds are normal and fire only as a note; a stall after the failure is no cause."
references = ["Linux: net/sunrpc, Lustre client messages"]
[[test]]
fires = 1                       # the others began to wait when it began
expect = { hosts = ["dgx041"], devices = ["10.13.1.7"], severity = "high", role = "cause" }
logs."train.log" = '''
[rank0]:[E1114 05:46:21.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800009 milliseconds before timing out.
'''
logs."dgx041.syslog" = '''
2025-11-14T05:15:59.000000+00:00 dgx041 kernel: nfs: server 10.13.1.7 not responding, still trying
2025-11-14T05:49:13.000000+00:00 dgx041 kernel: nfs: server 10.13.1.7 OK
'''
[[test]]
fires = 1                       # never came back
expect = { hosts = ["node3"], devices = ["fs-OST0003"] }
logs."messages" = '''
May  1 12:00:00 node3 kernel: Lustre: fs-OST0003-osc-ffff8d1a2b3c4d5e: Connection to fs-OST0003 (at 10.0.0.9@o2ib) was lost; in progress operations using this service will wait for recovery to complete
'''
[[test]]
fires = 1                       # a blip is a note
expect = { severity = "info", role = "context" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: nfs: server 10.0.0.9 not responding, still trying
May  1 12:00:03 node3 kernel: nfs: server 10.0.0.9 OK
'''
[[test]]
fires = 0                       # hours before the job
logs."train.log" = '''
[rank0]:[E1114 05:46:21.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800009 milliseconds before timing out.
'''
logs."dgx041.syslog" = '''
2025-11-13T21:49:01.000000+00:00 dgx041 kernel: nfs: server 10.23.1.25 not responding, still trying
2025-11-13T21:49:03.000000+00:00 dgx041 kernel: nfs: server 10.23.1.25 OK
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 node3 kernel: Lustre: fs-OST0003-osc-ffff8d1a2b3c4d5e: Connection restored to fs-OST0003 (at 10.0.0.9@o2ib)
'''
*/
WITH pause AS (                  -- runs of "not responding" up to the line that ends them, within one source
  SELECT s.*
  FROM   storage_pauses s),
judged AS (
  SELECT *, began IS NOT NULL AND (ended IS NULL OR ended - began >= INTERVAL 30 SECOND) AS long,
         -- it must cover the moment when the wait began; steps and polls take up to a minute
         CASE WHEN place = 'alone' THEN true
              WHEN broke_s IS NOT NULL THEN broke_s BETWEEN -60 AND 1e9 AND (ended IS NULL OR epoch(ended - began) >= broke_s + 20)
              ELSE ended IS NULL OR ended - began >= INTERVAL 2 MINUTE END AS covers
  FROM   pause
  WHERE  hit OR (place IN ('late', 'early') AND NOT completed)),
told AS (
  SELECT j.*, long AND covers AND hit AS guilty FROM judged j),
worst AS (                       -- one row a server and attempt: the stall that matters, or the longest pause
  SELECT attempt, server, bool_or(guilty) AS guilty FROM told GROUP BY attempt, server),
chosen AS (
  SELECT t.*, w.guilty AS any_guilty
  FROM   told t
  JOIN   worst w ON w.attempt = t.attempt AND w.server = t.server
  WHERE  t.guilty OR NOT w.guilty),
stuck AS (                       -- ranks that the kernel saw blocked, and ranks that did not wait while the others did
  SELECT h.attempt, b.host, h.rank FROM blocked_tasks b JOIN host_events h USING (file_id, line, part) WHERE h.rank IS NOT NULL AND b.waits_on = 'storage'
  UNION
  SELECT attempt, host, rank FROM late_ranks)
SELECT c.attempt, list(DISTINCT c.host ORDER BY c.host) FILTER (WHERE c.host IS NOT NULL) AS hosts,
       list(DISTINCT s.rank ORDER BY s.rank) FILTER (WHERE s.rank IS NOT NULL AND c.any_guilty) AS ranks, [c.server] AS devices,
       CASE WHEN bool_or(any_guilty) THEN 'cause' ELSE 'context' END AS role, CASE WHEN NOT bool_or(any_guilty) THEN 'info' WHEN bool_or(s.rank IS NOT NULL) THEN 'critical' ELSE 'high' END AS severity,
       -- who was held back is known: no guess is left
       CASE WHEN bool_or(any_guilty) AND NOT bool_or(s.rank IS NOT NULL) THEN 'likely' ELSE 'certain' END AS confidence,
       min(c.began) AS began, CASE WHEN count(*) = count(c.ended) THEN max(c.ended) END AS ended,
       printf('%s: %s did not answer%s%s%s', CASE WHEN count(DISTINCT c.host) > 1 THEN printf('%d hosts', count(DISTINCT c.host)) ELSE coalesce(min(c.host), 'One host') END, c.server,
              coalesce(strftime(min(c.began), ' from %H:%M:%S'), ''),
              CASE WHEN count(*) FILTER (WHERE c.ended IS NULL) > 0 THEN ' and was not back by the end of the log' ELSE printf(' for %d s', CAST(max(epoch(c.ended - c.began)) AS BIGINT)) END,
              CASE WHEN bool_or(any_guilty) AND count(DISTINCT s.rank) = 1 THEN printf('; rank %d was held back', min(s.rank)) ELSE '' END) AS summary,
       list_distinct(flatten(list(c.evidence ORDER BY c.file_id, c.line))) AS evidence
FROM   chosen c
LEFT   JOIN stuck s ON s.attempt = c.attempt AND s.host = c.host
GROUP  BY c.attempt, c.server
