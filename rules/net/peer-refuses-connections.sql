/*
title    = "A process gave up calling a peer that does not listen"
kind     = "net.socket_error"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "desync.rank_behind"]
needs    = ["nccl_socket", "torch_gloo"]
explanation = """
Refused means that the other host answers and nobody listens at that port: the process had died, or had not come, or was started with another address. The
caller is a victim; a few refusals at a start are normal and only attempts that were given up are counted.
"""
advice = """
Read the log of the rank that was called: did it fail before, or is it still in its start? After a restart check that no address of the attempt before is in use (fresh store or port).
"""
false_positives = "A peer that had failed before: then its own fault is the cause."
references = ["NCCL source: misc/socket.cc", "gloo: transport/tcp"]
[[test]]
fires = 1
expect = { hosts = ["10.0.0.3", "n1"], either = true }
logs."nccl.log" = '''
n1:10:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.3<39204> failed : Connection refused
'''
[[test]]
fires = 1                        # gloo; nobody knows who called
expect = { hosts = [] }
logs."train.log" = '''
[rank1]: RuntimeError: Gloo connectFullMesh failed with [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:144] timed out connecting: SO_ERROR: Connection refused, remote=[10.0.0.3]:17326
'''
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO Call to connect returned Connection refused, retrying"
[[test]]
fires = 0                        # a bridge's address: a wrong interface
logs."nccl.log" = "n1:10:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 172.17.0.3<39204> failed : Connection refused"
[[test]]
fires = 0                        # several call one: that is named elsewhere
logs."nccl.log" = '''
n1:10:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.3<39204> failed : Connection refused
n2:10:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.3<39205> failed : Connection refused
'''
*/
WITH refused AS (
  SELECT f.attempt, min(f.ts) AS began, count(DISTINCT host || ' ' || peer) AS pairs, min(host) AS host, min(peer) AS peer, count(DISTINCT host) AS callers,
         bool_or(host IS NULL) AS unplaced, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   failed_connects f
  WHERE  NOT local_only AND (regexp_matches(error, '(?i)refused|abort') OR (what = 'gloo' AND host IS NULL))
  AND    NOT EXISTS (SELECT 1 FROM unreachable_pairs p WHERE p.attempt IS NOT DISTINCT FROM f.attempt AND p.common IS NOT NULL)
  GROUP  BY f.attempt)
SELECT r.attempt, r.began, r.evidence, true AS either, CASE WHEN e.attempt IS NOT NULL THEN 'symptom' ELSE 'cause' END AS role,
       CASE WHEN r.pairs = 1 AND NOT r.unplaced THEN list_sort([r.host, r.peer]) ELSE [] END AS hosts,
       CASE WHEN r.pairs = 1 AND NOT r.unplaced THEN printf('%s gave up calling %s, where nobody listens', r.host, r.peer)
            ELSE 'Processes gave up calling peers that do not listen' END || '; why is not in these lines' AS summary
FROM   refused r
LEFT JOIN earlier_faults e ON e.attempt IS NOT DISTINCT FROM r.attempt AND (r.began IS NULL OR e.since <= r.began + INTERVAL 60 SECOND)
