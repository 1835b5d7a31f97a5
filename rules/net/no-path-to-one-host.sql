/*
title    = "Several hosts cannot connect to one host"
kind     = "net.socket_error"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_socket", "torch_gloo"]
explanation = """
One host is an end of every TCP connection that could not be made. Refused means that it answers and nobody listens (the process is gone, or has not
come yet); no route or unreachable, that routing or a rejecting firewall is in the way; a timeout, that packets are dropped or the host is down.
"""
advice = """
Is the host named up, and are its ranks alive? Read the end of their logs first; then from another host `ping` it and try `nc -zv ADDRESS PORT` on a high port while `nc -l PORT` runs there.
Open all ports between the hosts of a job (NCCL and gloo use ephemeral ones), and compare its routes and firewall rules with a sibling's.
"""
false_positives = "A process that had died there before: its own log tells."
references = ["NCCL source: misc/socket.cc"]
[[test]]
fires = 1
expect = { hosts = ["10.0.0.3"] }
logs."nccl.log" = '''
n1:10:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.3<39204> failed : No route to host
n2:10:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.3<39205> failed : No route to host
'''
[[test]]
fires = 1                        # it reaches nobody
expect = { hosts = ["n3"] }
logs."nccl.log" = '''
n3:10:20 [0] misc/socket.cc:483 NCCL WARN socketPollConnect: Connect to 10.0.0.1<39204> failed : Connection timed out
n3:11:20 [1] misc/socket.cc:483 NCCL WARN socketPollConnect: Connect to 10.0.0.2<39205> failed : Connection timed out
'''
[[test]]
fires = 0                        # a pair has two ends
logs."nccl.log" = '''
n1:10:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.3<39204> failed : No route to host
n1:11:20 [1] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.3<39205> failed : No route to host
'''
[[test]]
fires = 0                        # a few refusals while the peer is not listening yet
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO socketPollConnect: connect returned Connection refused, retrying (1/34) after sleep for 100 msec
n2:10:20 [0] NCCL INFO socketPollConnect: connect returned Connection refused, retrying (1/34) after sleep for 100 msec
'''
*/
SELECT b.attempt, [b.common] AS hosts, min(b.began) AS began, list(DISTINCT e.evidence ORDER BY e.evidence) AS evidence,
       CASE WHEN min(f.since) IS NOT NULL THEN 'symptom' ELSE 'cause' END AS role,
       printf('%s and %d other hosts cannot connect to each other (%s)', b.common, max(b.paths), lower(min(b.error))) AS summary
FROM   unreachable_pairs b
CROSS JOIN LATERAL (SELECT unnest(b.evidence) AS evidence) e
LEFT JOIN earlier_faults f ON f.attempt IS NOT DISTINCT FROM b.attempt AND (b.began IS NULL OR f.since <= b.began + INTERVAL 60 SECOND)
WHERE  b.common IS NOT NULL
GROUP  BY b.attempt, b.common
