/*
title    = "Tasks were blocked on storage"
kind     = "storage.stall"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "desync.rank_behind", "data.stall", "launcher.*", "crash.signal"]
needs    = ["kernel_host", "kernel_netfs"]
explanation = """
The kernel reports tasks that waited long inside file-system or block code, or a file server that did not respond. The rank that reads or writes there is
late, and everybody waits for it.
"""
advice = """
Look at the server or disk named (`nfsstat -m`, `lfs check servers`, `iostat -x 1`), and at other clients of it at that time.
"""
false_positives = "Short gaps of a server that answers again before anybody noticed: with a job that went on they are information."
references = ["Linux: kernel/hung_task.c, net/sunrpc"]
[[test]]
fires = 1
logs."dmesg" = '''
[Mon May 20 11:04:13 2024] INFO: task fluid3_sim:12345 blocked for more than 122 seconds.
[Mon May 20 11:04:13 2024]       Tainted: P           OE     5.15.0-105-generic #115-Ubuntu
[Mon May 20 11:04:13 2024] Call Trace:
[Mon May 20 11:04:13 2024]  wait_on_page_writeback+0x26/0x80
[Mon May 20 11:04:13 2024]  nfs_file_fsync+0x1a/0x40
'''
[[test]]
fires = 1
logs."n1.syslog" = "2024-05-20T11:04:13.000000+00:00 n1 kernel: [  123.456789] nfs: server 10.0.0.9 not responding, still trying"
[[test]]
fires = 0                       # it answered again
logs."n1.syslog" = '''
2024-05-20T11:04:13.000000+00:00 n1 kernel: [  123.456789] nfs: server 10.0.0.9 not responding, still trying
2024-05-20T11:04:20.000000+00:00 n1 kernel: [  130.456789] nfs: server 10.0.0.9 OK
'''
[[test]]
fires = 0                       # a blocked task in the GPU driver is not storage
logs."dmesg" = '''
[Mon May 20 11:04:13 2024] INFO: task python3:12345 blocked for more than 122 seconds.
[Mon May 20 11:04:13 2024] Call Trace:
[Mon May 20 11:04:13 2024]  os_acquire_rwlock_write+0x26/0x80 [nvidia]
'''
*/
WITH blocked AS (
  SELECT attempt, host, ts, process || ' was blocked for ' || secs || ' s in file-system code' AS what, NULL AS server, file_id, line, part
  FROM   kernel_hung_task
  WHERE  regexp_matches(frames, 'nfs|rpc_|ll_|cl_|osc_|ldlm_|ptlrpc|xfs_|ext4_|jbd2_|blk_mq|nvme_|io_schedule|writeback|wait_on_page|wait_on_bit|pagevec|filemap|balance_dirty|fsync|wekafs|ceph_|gpfs|mmfs')),
silent AS (                      -- the last word about a server on a host is that it does not respond, or it stayed away for over a minute
  SELECT n.attempt, n.host, n.ts, n.server, n.file_id, n.line, n.part,
         (SELECT min(o.ts) FROM storage_nfs_ok o WHERE o.server = n.server AND o.host IS NOT DISTINCT FROM n.host AND (o.ts >= n.ts OR o.file_id = n.file_id AND o.line > n.line)) AS back
  FROM   storage_nfs_not_responding n),
stalled AS (
  SELECT * FROM blocked
  UNION ALL
  SELECT attempt, host, ts, 'NFS server ' || server || ' did not respond' || coalesce(printf(' for %d s', date_diff('second', ts, back)), ''), server, file_id, line, part
  FROM   silent
  WHERE  back IS NULL OR back > ts + INTERVAL 60 SECOND),
relevant AS (
  SELECT s.*
  FROM   stalled s
  LEFT JOIN job_window w ON s.ts BETWEEN w.from_ts AND w.to_ts AND w.attempt IS NOT DISTINCT FROM s.attempt
  WHERE  w.attempt IS NOT NULL OR (SELECT count(*) FROM job_window) = 0 OR s.ts IS NULL),
finished AS (SELECT attempt FROM train_done UNION SELECT attempt FROM elastic_finished)
SELECT r.attempt, list(DISTINCT r.host ORDER BY r.host) FILTER (WHERE r.host IS NOT NULL) AS hosts, min(r.ts) AS began,
       CASE WHEN bool_or(f.attempt IS NOT NULL) THEN 'info' ELSE 'high' END AS severity, CASE WHEN bool_or(f.attempt IS NOT NULL) THEN 'context' ELSE 'cause' END AS role,
       coalesce(r.host || ': ', '') || min(r.what) AS summary,
       list({'file_id': r.file_id, 'line': r.line, 'part': r.part} ORDER BY r.file_id, r.line, r.part) AS evidence
FROM   relevant r
LEFT JOIN finished f ON f.attempt IS NOT DISTINCT FROM r.attempt
GROUP  BY r.attempt, r.host
