/*
title    = "One host cannot connect to another"
kind     = "net.socket_error"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.python"]
needs    = ["nccl"]
explanation = """
NCCL gave up connecting to a peer. "No route" is routing or a rejecting firewall, "timed out" a dropping firewall or a wrong subnet, "refused" a peer
that does not listen (any more). A path has two ends: neither host is convicted by it.
"""
advice = """
Test the same pair with a plain TCP connection over the ephemeral range (`nc -zv ADDRESS PORT`) in both directions, and see whether the peer's process was alive at that time.
Open the ephemeral ports among the hosts of the job, or pin NCCL_SOCKET_IFNAME to the network they share.
"""
false_positives = "The peer may simply have died: then its own log has the reason."
references = ["NCCL source: misc/socket.cc"]
[[test]]
fires = 1
expect = { either = true }
logs."nccl.log" = '''
trn-14:11:21 [1] NCCL INFO Bootstrap : Using enp129s0:172.20.5.14<0>
trn-14:11:21 [0] include/socket.h:409 NCCL WARN Net : Connect to 172.20.5.15<47133> failed : No route to host
'''
[[test]]
fires = 1
logs."nccl.log" = "n1:11:21 [0] misc/socket.cc:483 NCCL WARN socketPollConnect: Connect to 10.1.2.3<36422> failed : Connection timed out"
[[test]]
fires = 0                       # retries that stop
logs."nccl.log" = "CA:11:21 [0] NCCL INFO socketPollConnect: connect to 10.1.2.3<36422> returned Connection refused, retrying (1/34) after sleep for 100 msec"
[[test]]
fires = 0                       # refused: the peer may have died; that is for its own log
logs."nccl.log" = "n1:11:21 [0] misc/socket.cc:483 NCCL WARN socketPollConnect: Connect to 10.1.2.3<36422> failed : Connection refused"
*/
WITH failed AS (
  SELECT attempt, host, rank, peer_addr, error, ts, file_id, line, part
  FROM   nccl_socket_connect_failed
  WHERE  peer_addr IS NOT NULL AND regexp_matches(error, 'No route to host|timed out|unreachable')
  AND    NOT regexp_matches(lower(peer_addr), '^(::ffff:)?127\.|^::1$|^fe80:|^(::ffff:)?169\.254\.|^(::ffff:)?172\.17\.|^(::ffff:)?192\.168\.122\.'))
SELECT attempt, CASE WHEN host IS NULL THEN [] ELSE list_sort([host, peer_addr]) END AS hosts, true AS either, min(ts) AS began,
       printf('%s cannot connect to %s (%s); the path has two ends, and nothing shows which is at fault', coalesce(host, 'Rank ' || min(rank), 'A process'), peer_addr, min(error)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   failed
GROUP  BY attempt, host, peer_addr
