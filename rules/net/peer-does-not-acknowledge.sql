/*
title    = "A TCP peer does not acknowledge"
kind     = "net.socket_error.unacknowledged"
severity = "high"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["host_net"]
explanation = '''
ss shows a connection of this host with data that was sent again and again, with ever longer pauses, and never acknowledged. A process that is slow still acknowledges through its kernel: the peer's host, or the path to it, is gone.
'''
advice = '''
Is the peer reachable (`ping`, `ip neigh`), and does its own `ss -ti` show the connection? If it is up, look for a firewall or a path with a smaller MTU between both.
'''
false_positives = "A host that is rebooting on purpose."
references = ["ss manual: -i, timers"]
[[test]]
fires = 1
expect = { hosts = ["10.30.1.14"] }
logs."ss.txt" = '''
ESTAB  0       2896120  10.30.1.11:48122      10.30.1.14:51234   users:(("python3",pid=22311,fd=88))
	 cubic wscale:12,12 rto:120000 backoff:9 rtt:0.211/0.03 mss:8948 cwnd:1 bytes_sent:91 lastack:412231 unacked:324 retrans:1/11 lost:324
ESTAB  0       0        10.30.1.11:48130      10.30.1.12:51288   users:(("python3",pid=22311,fd=89))
	 cubic wscale:12,12 rto:204 rtt:0.190/0.02 mss:8948 cwnd:48 lastack:811
'''
[[test]]
fires = 1
expect = { hosts = ["10.30.1.14"] }
logs."ss.txt" = '''
ESTAB  0       2896120  10.30.1.11:48122      10.30.1.14:51234   users:(("python3",pid=22311,fd=88))
	 cubic wscale:12,12 rto:60000 backoff:8 mss:8948 cwnd:1 bytes_sent:91 lastack:212231 unacked:324 retrans:1/11 lost:324
'''
[[test]]
fires = 0                        # one resend
logs."ss.txt" = '''
ESTAB  0       2896  10.30.1.11:48122      10.30.1.14:51234   users:(("python3",pid=22311,fd=88))
	 cubic wscale:12,12 rto:408 backoff:1 mss:8948 cwnd:1 bytes_sent:91 lastack:431 unacked:2 retrans:1/11 lost:2
'''
[[test]]
fires = 0                        # idle
logs."ss.txt" = '''
ESTAB  0       0        10.30.1.11:48130      10.30.1.12:51288   users:(("python3",pid=22311,fd=89))
	 cubic wscale:12,12 rto:204 rtt:0.190/0.02 mss:8948 cwnd:48 lastack:982311
'''
*/
-- The test: five doublings of the wait, or thirty seconds since the last word of the peer: a lost packet costs two.
WITH stuck AS (
  SELECT s.attempt, coalesce(a.host, s.remote) AS peer, max(coalesce(s.lastack, 0)) / 1000 AS secs, max(s.backoff) AS doublings,
         list({'file_id': s.file_id, 'line': s.line, 'part': s.part} ORDER BY s.file_id, s.line, s.part) AS evidence
  FROM   socket_unacknowledged s
  LEFT JOIN address_hosts a ON a.addr = s.remote
  WHERE  s.backoff >= 5 OR (s.backoff >= 2 AND s.lastack >= 30000)
  GROUP  BY s.attempt, coalesce(a.host, s.remote))
SELECT attempt, [peer] AS hosts, evidence,
       printf('%s no longer acknowledges what is sent to it%s', peer, CASE WHEN secs > 0 THEN printf(', for %d s', CAST(secs AS BIGINT)) ELSE '' END) AS summary
FROM   stuck
-- several at once: the sender's own network may be at fault
QUALIFY count(*) OVER (PARTITION BY attempt) <= 2
