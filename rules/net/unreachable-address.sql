/*
title    = "A peer advertises an address that others cannot reach"
kind     = "net.wrong_interface"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.python", "desync.*"]
needs    = ["nccl", "torch_gloo"]
explanation = """
The connection goes to a loopback, link-local or container-bridge address: whoever advertised it bound the wrong interface, and only the same machine (or
container) can reach it. The host that complains is a victim.
"""
advice = """
Set NCCL_SOCKET_IFNAME (and GLOO_SOCKET_IFNAME) to the routable interface on all hosts, for example `NCCL_SOCKET_IFNAME=^docker,lo,virbr`; compare `ip -br addr` of the hosts; check what the host name resolves to (`getent hosts $(hostname)`).
"""
false_positives = "A job on one machine reaches such addresses and never fails on them."
references = ["NCCL documentation: NCCL_SOCKET_IFNAME"]
[[test]]
fires = 1
logs."nccl.log" = "node207:11:21 [5] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to fe80::63f2:ac11:4d:b25e%ib0<39204> failed : Software caused connection abort"
[[test]]
fires = 1
logs."nccl.log" = "CA:11:21 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 172.17.0.3<36422> failed : Connection refused"
[[test]]
fires = 0                       # an ordinary address: a path, not an interface
logs."nccl.log" = "CA:11:21 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.1.2.3<36422> failed : Connection refused"
[[test]]
fires = 0                       # it connected later
logs."nccl.log" = "CA:11:21 [0] NCCL INFO socketPollConnect: connect to 127.0.0.1<36422> returned Connection refused, retrying (1/34) after sleep for 100 msec"
*/
WITH failed AS (
  SELECT attempt, host, peer_addr, error, ts, file_id, line, part FROM nccl_socket_connect_failed WHERE peer_addr IS NOT NULL
  UNION ALL
  SELECT attempt, host, peer_addr, reason, ts, file_id, line, part FROM torch_gloo_connect_failed WHERE peer_addr IS NOT NULL),
odd AS (
  SELECT *, CASE WHEN regexp_matches(peer_addr, '^(::ffff:)?127\.|^::1$') THEN 'a loopback address'
                 WHEN regexp_matches(lower(peer_addr), '^fe80:|^(::ffff:)?169\.254\.') THEN 'a link-local address'
                 -- docker0 and libvirt's virbr0 as installed
                 WHEN regexp_matches(peer_addr, '^(::ffff:)?(172\.17\.|192\.168\.122\.)') THEN 'a container-bridge address' END AS why
  FROM   failed)
SELECT attempt, min(ts) AS began,
       printf('A peer advertises %s, %s, which %s cannot reach (%s)', peer_addr, min(why),
              CASE WHEN count(DISTINCT host) = 1 THEN min(host) ELSE 'other hosts' END, coalesce(min(error), 'failed')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   odd
WHERE  why IS NOT NULL
GROUP  BY attempt, peer_addr
