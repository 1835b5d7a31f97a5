/*
title    = "Steps waited for a file server"
kind     = "storage.stall"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "data.stall", "storage.stall", "host.hung_task", "desync.rank_behind", "hang.*"]
needs    = ["kernel_netfs"]
explanation = """
While a file server did not answer, a step of the job took that much longer: reads of the input or a checkpoint waited for it. The client and its ranks are
victims of the server or of the network to it.
"""
advice = """
Look at the server at that time (load, failover, full disk, network), and at other clients: does it hit all of them?
On the client: `nfsstat -c`, `nfsiostat 1`, `lfs check servers`; mount options (timeo, retrans, nconnect).
"""
false_positives = "A pause that no step shows is not reported here; less than a minute in sum is information."
references = ["Linux net/sunrpc/clnt.c; Lustre ptlrpc/import.c"]
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["10.0.0.9"], severity = "medium" }
logs."node1.syslog" = '''
2024-05-01T12:00:40.000000+00:00 node1 kernel: [ 9040.456789] nfs: server 10.0.0.9 not responding, still trying
2024-05-01T12:02:11.000000+00:00 node1 kernel: [ 9131.456789] nfs: server 10.0.0.9 OK
'''
logs."train.log" = '''
[2024-05-01 12:00:06] step 1 loss 2.401
[2024-05-01 12:00:12] step 2 loss 2.402
[2024-05-01 12:00:18] step 3 loss 2.403
[2024-05-01 12:00:24] step 4 loss 2.404
[2024-05-01 12:00:30] step 5 loss 2.405
[2024-05-01 12:00:36] step 6 loss 2.406
[2024-05-01 12:02:14] step 7 loss 2.407
[2024-05-01 12:02:20] step 8 loss 2.408
[2024-05-01 12:02:26] step 9 loss 2.409
[2024-05-01 12:02:32] step 10 loss 2.410
[2024-05-01 12:02:38] step 11 loss 2.411
[2024-05-01 12:02:44] step 12 loss 2.412
[2024-05-01 12:02:50] step 13 loss 2.413
[2024-05-01 12:02:56] step 14 loss 2.414
[2024-05-01 12:03:02] step 15 loss 2.415
[2024-05-01 12:03:08] step 16 loss 2.416
[2024-05-01 12:03:14] step 17 loss 2.417
[2024-05-01 12:03:20] step 18 loss 2.418
[2024-05-01 12:03:26] step 19 loss 2.419
[2024-05-01 12:03:32] step 20 loss 2.420
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["10.2.0.7@o2ib"] }
logs."node1.syslog" = '''
2024-05-01T12:00:40.000000+00:00 node1 kernel: [ 9040.456789] Lustre: lfs-OST0003-osc-ffff9a: Connection to lfs-OST0003 (at 10.2.0.7@o2ib) was lost; in progress operations using this service will wait for recovery to complete
2024-05-01T12:02:01.000000+00:00 node1 kernel: [ 9121.456789] Lustre: lfs-OST0003-osc-ffff9a: Connection restored to lfs-OST0003 (at 10.2.0.7@o2ib)
'''
logs."train.log" = '''
[2024-05-01 12:00:06] step 1 loss 2.401
[2024-05-01 12:00:12] step 2 loss 2.402
[2024-05-01 12:00:18] step 3 loss 2.403
[2024-05-01 12:00:24] step 4 loss 2.404
[2024-05-01 12:00:30] step 5 loss 2.405
[2024-05-01 12:00:36] step 6 loss 2.406
[2024-05-01 12:02:07] step 7 loss 2.407
[2024-05-01 12:02:13] step 8 loss 2.408
[2024-05-01 12:02:19] step 9 loss 2.409
[2024-05-01 12:02:25] step 10 loss 2.410
[2024-05-01 12:02:31] step 11 loss 2.411
[2024-05-01 12:02:37] step 12 loss 2.412
[2024-05-01 12:02:43] step 13 loss 2.413
[2024-05-01 12:02:49] step 14 loss 2.414
[2024-05-01 12:02:55] step 15 loss 2.415
[2024-05-01 12:03:01] step 16 loss 2.416
[2024-05-01 12:03:07] step 17 loss 2.417
[2024-05-01 12:03:13] step 18 loss 2.418
[2024-05-01 12:03:19] step 19 loss 2.419
[2024-05-01 12:03:25] step 20 loss 2.420
'''
[[test]]
# A blip.
fires = 0
logs."node1.syslog" = '''
2024-05-01T12:00:40.000000+00:00 node1 kernel: [ 9040.456789] nfs: server 10.0.0.9 not responding, still trying
2024-05-01T12:00:42.000000+00:00 node1 kernel: [ 9042.456789] nfs: server 10.0.0.9 OK
'''
logs."train.log" = '''
[2024-05-01 12:00:06] step 1 loss 2.401
[2024-05-01 12:00:12] step 2 loss 2.402
[2024-05-01 12:00:18] step 3 loss 2.403
[2024-05-01 12:00:24] step 4 loss 2.404
[2024-05-01 12:00:30] step 5 loss 2.405
[2024-05-01 12:00:36] step 6 loss 2.406
[2024-05-01 12:00:42] step 7 loss 2.407
[2024-05-01 12:00:48] step 8 loss 2.408
[2024-05-01 12:00:54] step 9 loss 2.409
[2024-05-01 12:01:00] step 10 loss 2.410
[2024-05-01 12:01:06] step 11 loss 2.411
[2024-05-01 12:01:12] step 12 loss 2.412
[2024-05-01 12:01:18] step 13 loss 2.413
[2024-05-01 12:01:24] step 14 loss 2.414
[2024-05-01 12:01:30] step 15 loss 2.415
[2024-05-01 12:01:36] step 16 loss 2.416
[2024-05-01 12:01:42] step 17 loss 2.417
[2024-05-01 12:01:48] step 18 loss 2.418
[2024-05-01 12:01:54] step 19 loss 2.419
[2024-05-01 12:02:00] step 20 loss 2.420
'''
[[test]]
# A long step at another time.
fires = 0
logs."node1.syslog" = '''
2024-05-01T12:01:50.000000+00:00 node1 kernel: [ 9110.456789] nfs: server 10.0.0.9 not responding, still trying
2024-05-01T12:01:59.000000+00:00 node1 kernel: [ 9119.456789] nfs: server 10.0.0.9 OK
'''
logs."train.log" = '''
[2024-05-01 12:00:06] step 1 loss 2.401
[2024-05-01 12:00:12] step 2 loss 2.402
[2024-05-01 12:01:48] step 3 loss 2.403
[2024-05-01 12:01:54] step 4 loss 2.404
[2024-05-01 12:02:00] step 5 loss 2.405
[2024-05-01 12:02:06] step 6 loss 2.406
[2024-05-01 12:02:12] step 7 loss 2.407
[2024-05-01 12:02:18] step 8 loss 2.408
[2024-05-01 12:02:24] step 9 loss 2.409
[2024-05-01 12:02:30] step 10 loss 2.410
[2024-05-01 12:02:36] step 11 loss 2.411
[2024-05-01 12:02:42] step 12 loss 2.412
[2024-05-01 12:02:48] step 13 loss 2.413
[2024-05-01 12:02:54] step 14 loss 2.414
[2024-05-01 12:03:00] step 15 loss 2.415
[2024-05-01 12:03:06] step 16 loss 2.416
[2024-05-01 12:03:12] step 17 loss 2.417
[2024-05-01 12:03:18] step 18 loss 2.418
[2024-05-01 12:03:24] step 19 loss 2.419
[2024-05-01 12:03:30] step 20 loss 2.420
'''
*/
-- The test: a step that took at least ten seconds and a third of the pause longer than usual, while the pause lasted (30 s more for what had piled up).
WITH pause AS (
  SELECT n.attempt, n.host, n.server, n.ts AS began, n.file_id, n.line, n.part,
         (SELECT min(o.ts) FROM storage_nfs_ok o WHERE o.server = n.server AND o.host IS NOT DISTINCT FROM n.host AND o.ts >= n.ts) AS ended
  FROM storage_nfs_not_responding n
  UNION ALL
  SELECT n.attempt, n.host, n.server, n.ts, n.file_id, n.line, n.part,
         (SELECT min(o.ts) FROM storage_lustre_restored o WHERE o.server = n.server AND o.host IS NOT DISTINCT FROM n.host AND o.ts >= n.ts)
  FROM storage_lustre_lost n),
hit AS (
  SELECT p.*, l.iteration, l.excess_ms, l.file_id AS step_file, l.line AS step_line, l.part AS step_part
  FROM pause p
  JOIN long_steps l ON l.attempt IS NOT DISTINCT FROM p.attempt AND l.ended >= p.began AND l.began <= coalesce(p.ended, l.ended) + INTERVAL 30 SECOND
                   AND (p.ended IS NULL OR l.excess_ms >= epoch_ms(p.ended) / 3 - epoch_ms(p.began) / 3)),
lost AS (
  SELECT attempt, server, sum(excess_ms) / 1e3 AS seconds FROM (SELECT DISTINCT attempt, server, iteration, excess_ms FROM hit) GROUP BY ALL)
SELECT h.attempt, CASE WHEN count(DISTINCT h.host) = 1 THEN [min(h.host)] ELSE [] END AS hosts, [h.server] AS devices, min(h.began) AS began, max(h.ended) AS ended,
       list({'file_id': h.file_id, 'line': h.line, 'part': h.part} ORDER BY h.file_id, h.line, h.part)
       || list({'file_id': h.step_file, 'line': h.step_line, 'part': h.step_part} ORDER BY h.step_file, h.step_line) AS evidence,
       CASE WHEN max(l.seconds) >= 60 THEN 'medium' ELSE 'info' END AS severity, CASE WHEN max(l.seconds) >= 60 THEN 'cause' ELSE 'context' END AS role,
       CASE WHEN count(DISTINCT h.host) = 1 THEN min(h.host) || ': ' ELSE '' END
       || printf('file server %s did not answer%s and the steps lost %d s', h.server, strftime(min(h.began), ' from %H:%M:%S'), CAST(max(l.seconds) AS INTEGER)) AS summary
FROM hit h
JOIN lost l ON l.attempt IS NOT DISTINCT FROM h.attempt AND l.server = h.server
GROUP BY h.attempt, h.server
