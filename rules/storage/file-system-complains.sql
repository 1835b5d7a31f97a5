/*
title    = "A shared file system's client or server complains"
kind     = "storage.stall"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["host.hung_task"]
needs    = ["kernel_netfs", "cluster_fs"]
explanation = '''
The log of a shared file system tells of requests that failed, timed out or met an overloaded server. No job is in the input, so what waited for it is open; each process that reads or writes there stands still.
'''
advice = '''
Look at the server or target named: its own log, its load and its network at that time; on the clients `lfs check servers`, `mmlsdisk`, `nfsiostat` or the like.
'''
false_positives = "A failover that ended within a minute."
references = ["Lustre operations manual; IBM Storage Scale message log; Linux fs/nfs"]
[[test]]
fires = 1
expect = { hosts = ["cn4"], devices = ["10.20.1.31@o2ib"] }
logs."cn4.kern.log" = '''
2026-11-30T03:12:50.000000+00:00 cn4 kernel: LustreError: 11-0: lfs2-OST0003-osc-ffff9a7f4b3c2000: operation ost_write to node 10.20.1.31@o2ib failed: rc = -110
2026-11-30T03:12:55.000000+00:00 cn4 kernel: LustreError: 11-0: lfs2-OST0003-osc-ffff9a7f4b3c2000: operation ost_write to node 10.20.1.31@o2ib failed: rc = -107
'''
[[test]]
fires = 1
expect = { hosts = [] }
logs."mmfs.log.latest" = '''
2026-02-20_10:12:40.030+0100: [E] Disk failure.  Volume gscratch. rc = 5, and physical volume nsd_ss01_03.
2026-02-20_10:12:41.330+0100: [X] File System gscratch unmounted by the system with return code 217 reason code 0
'''
[[test]]
fires = 0                        # one late request
logs."cn4.kern.log" = '''
2026-11-30T03:12:50.000000+00:00 cn4 kernel: Lustre: 5121:0:(client.c:2310:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent 1751371200/real 1751371200]  req@ffff9a8111f0aa00 x1804/t0(0) o4->lfs2-OST0011-osc-ffff9a7f4b3c2000@10.20.1.31@o2ib:6/4 lens 488/448 e 3 to 1 dl 1751371241 ref 2 fl Rpc:X/0/ffffffff rc 0/-1
'''
[[test]]
fires = 0
logs."mmfs.log.latest" = '''
2026-02-20_10:12:40.030+0100: [N] Node 10.7.0.11 (gnsd01) lease renewed
2026-02-20_10:12:41.330+0100: [I] Command: successful mount gscratch
'''
[[test]]
fires = 1
expect = { devices = ["stor3.local"], hosts = [] }
logs."beegfs-client.log" = '''
(2) Jan17 13:44:01 Worker4 [NodeConn (acquire stream)] >> Connect failed: beegfs-storage stor3.local [ID: 3] at 10.20.0.13:8003 (protocol: RDMA)
(0) Jan17 13:44:03 Worker4 [Messaging (RPC)] >> Communication error: Receive timed out from: beegfs-storage stor3.local [ID: 3] at 10.20.0.13:8003; Peer: beegfs-storage stor3.local [ID: 3]. (Message type: 2103)
'''
[[test]]
fires = 0                        # they come and go
logs."waiters.txt" = '''
Waiting 0.0123 sec since 10:12:11, monitored, thread 12345 MBDoMsgThread: on ThCond 0x7F2C (MsgRecordCondvar), reason 'RPC wait' for NSD I/O completion on node 10.31.4.7 <c0n3>
'''
*/
WITH word AS (
  SELECT attempt, host, server AS place, op || ' failed with ' || CAST(rc AS VARCHAR) AS what, 2 AS weight, ts, file_id, line, part FROM storage_lustre_op_failed WHERE rc IN (-5, -107, -108, -110)
  UNION ALL SELECT attempt, host, server, 'a request ' || why, 1, ts, file_id, line, part FROM storage_lustre_timeout
  UNION ALL SELECT attempt, host, server, what, 1, ts, file_id, line, part FROM storage_lnet_timeout
  UNION ALL SELECT attempt, host, service, 'requests are served too slowly', 1, ts, file_id, line, part FROM storage_lustre_slow
  -- the one that was evicted hung or lost its network, and the log is the server's
  UNION ALL SELECT attempt, NULL, client_nid, 'the server evicted a client that did not answer', 2, ts, file_id, line, part FROM storage_lustre_client_evicted
  UNION ALL SELECT attempt, host, server, coalesce(what, 'its state was lost'), 2, ts, file_id, line, part FROM storage_nfs_state_lost
  UNION ALL SELECT attempt, host, server, fs || ': ' || text, CASE WHEN level = 'X' THEN 3 WHEN fs = 'gpfs' OR secs >= 30 THEN 2 ELSE 1 END, ts, file_id, line, part FROM storage_other_error
  -- threads wait for milliseconds all the time, and for minutes where something does not answer
  UNION ALL SELECT attempt, host, server, printf('a thread waited %d s: %s', CAST(secs AS BIGINT), coalesce("for", why)), 2, ts, file_id, line, part FROM storage_waiter WHERE secs >= 60),
alone AS (
  SELECT * FROM word WHERE NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL))
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT place ORDER BY place) FILTER (WHERE place IS NOT NULL) AS devices, min(ts) AS began,
       CASE WHEN count(DISTINCT host) > 1 THEN printf('%d hosts', count(DISTINCT host)) ELSE coalesce(min(host), 'A shared file system') END
       || coalesce(' with ' || min(place), '') || ': ' || max({'w': weight, 'l': -CAST(line AS BIGINT), 't': what}).t AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   alone
GROUP  BY attempt
-- one warning passes
HAVING sum(weight) >= 2
