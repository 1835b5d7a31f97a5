/*
title    = "NCCL connections were closed by the other end"
kind     = "net.socket_error"
severity = "high"
role     = "symptom"
confidence = "possible"
explains = ["hang.*", "launcher.*", "desync.rank_behind", "crash.signal"]
needs    = ["nccl_socket"]
explanation = """
The process at the other end of these connections went away first. That is a victim's view: the peer named failed, was killed, or lost its own peer a
moment before. Where all such lines point to one host, none of it complains of another, and nothing else failed by itself, that host is where to look.
"""
advice = """
Fetch the log of the ranks on the host that went away first and read its last lines; then `dmesg -T` there (memory killer, Xid, segfault) and the exit code in the launcher's table.
"""
false_positives = "The end of a job that was stopped, or that had finished."
references = ["NCCL source: misc/socket.cc, Connection closed by remote peer"]
[[test]]
fires = 1
expect = { hosts = ["gpu004"], role = "cause", confidence = "possible" }
logs."nccl.log" = '''
gpu001:10:20 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer gpu004.ds.example.com<55693>
gpu002:11:21 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer gpu004.ds.example.com<55694>
'''
[[test]]
fires = 1                        # a chain: nobody stands out
expect = { role = "symptom" }
logs."nccl.log" = '''
gpu001:10:20 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer gpu002.ds.example.com<55693>
gpu002:11:21 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer gpu003.ds.example.com<55694>
gpu003:11:21 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer gpu001.ds.example.com<55694>
'''
[[test]]
fires = 1                        # inside one host it says nothing
expect = { role = "symptom" }
logs."nccl.log" = '''
gpu001:10:20 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer gpu001<55693>
'''
[[test]]
fires = 0                        # the normal way down
logs."nccl.log" = '''
gpu001:10:20 [0] NCCL INFO [Service thread] Connection closed by localRank 3
gpu001:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 4 cudaDev 0 busId 18000 - Destroy COMPLETE
'''
[[test]]
fires = 0                        # the training had ended
logs."train.log" = '''
gpu001:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
gpu001:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 4 cudaDev 0 busId 18000 - Destroy COMPLETE
gpu001:10:20 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer gpu002<55693>
'''
*/
WITH word AS MATERIALIZED (
  SELECT attempt, host, pid, peer_addr, peer_host, ts, file_id, line, part FROM nccl_socket_closed
  UNION ALL
  SELECT attempt, host, pid, peer_addr, peer_host, ts, file_id, line, part FROM nccl_socket_io_failed WHERE regexp_matches(error, '(?i)reset|broken pipe')),
closed AS MATERIALIZED (
  SELECT w.*, coalesce(a.host, w.peer_host, w.peer_addr) AS peer
  FROM   word w
  LEFT JOIN address_hosts a ON a.addr = w.peer_addr
  -- a process that takes down its communicators has finished, or was told to
  WHERE  NOT EXISTS (SELECT 1 FROM nccl_comm_end e WHERE e.file_id = w.file_id AND e.pid = w.pid AND e.action = 'Destroy' AND e.line < w.line)),
gone AS (        -- hosts that others miss and that miss nobody
  SELECT attempt, peer AS host, count(DISTINCT host || ' ' || pid) AS missed_by
  FROM   closed c
  WHERE  peer IS NOT NULL AND host IS DISTINCT FROM peer
  AND    NOT EXISTS (SELECT 1 FROM closed o WHERE o.attempt IS NOT DISTINCT FROM c.attempt AND o.host = c.peer)
  GROUP  BY attempt, peer),
alone AS (
  SELECT attempt, min(host) AS host, max(missed_by) AS missed_by
  FROM   gone
  GROUP  BY attempt
  HAVING count(*) = 1),
all_closed AS (
  SELECT attempt, min(ts) AS began, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS victims, count(DISTINCT peer) AS peers,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   closed
  GROUP  BY attempt),
judged AS (      -- two processes at least must miss it, and nothing may have failed by itself
  SELECT c.*, a.host, a.host IS NOT NULL AND a.missed_by >= 2 AND c.peers = 1 AND f.attempt IS NULL AND x.attempt IS NULL AS named
  FROM   all_closed c
  LEFT JOIN alone a ON a.attempt IS NOT DISTINCT FROM c.attempt
  LEFT JOIN earlier_faults f ON f.attempt IS NOT DISTINCT FROM c.attempt
  LEFT JOIN (SELECT DISTINCT attempt FROM elastic_death_signal UNION SELECT DISTINCT attempt FROM torch_watchdog_timeout) x ON x.attempt IS NOT DISTINCT FROM c.attempt)
SELECT attempt, began, evidence, CASE WHEN named THEN [host] ELSE victims END AS hosts, CASE WHEN named THEN 'cause' ELSE 'symptom' END AS role,
       CASE WHEN named THEN host || ' went away first: its connections were closed at the other ends; its own log is needed to say why'
            WHEN len(victims) BETWEEN 1 AND 3 THEN printf('%s lost connections to processes that went away first', list_aggregate(victims, 'string_agg', ', '))
            ELSE 'Processes lost connections to others that went away first' END AS summary
FROM   judged
