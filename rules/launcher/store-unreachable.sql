/*
title    = "The store could not be reached"
kind     = "launcher.store"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "hang.*", "crash.python", "crash.signal"]
needs    = ["torch_store"]
explanation = """
Processes called the store of the job until their time was up, or could not resolve its name. Its server never started (the process of rank 0 is late, crashed or itself waits), its
address is wrong (a login node, a name that means another host elsewhere), or the port is blocked. Those who call are victims.
"""
advice = """
Look for any line of the process that should serve the store (rank 0, or the first node's agent), then from another node: `getent hosts NAME` and `nc -zv NAME PORT`.
Give MASTER_ADDR or --rdzv-endpoint as a name that all nodes resolve to one reachable address, and a longer timeout where nodes start late.
"""
false_positives = "Refusals while the server is not up yet, which stop; only calls that were given up are counted."
references = ["PyTorch: TCPStore, socket.cpp"]
[[test]]
fires = 1
expect = { hosts = [] }
logs."train.log" = '''
[E1130 03:13:52.817001520 socket.cpp:1023] [c10d] The client socket has timed out after 60000ms while trying to connect to (node-a, 29500).
'''
[[test]]
fires = 1
logs."train.log" = '''
[W1130 03:13:52.817001520 socket.cpp:697] [c10d] The IPv4 network addresses of (node-a.cluster, 29500) cannot be retrieved (gai error: -2 - Name or service not known).
[E1130 03:13:52.817001520 socket.cpp:719] [c10d] The client socket has failed to connect to any network address of (node-a.cluster, 29500).
'''
[[test]]
fires = 0
logs."train.log" = '''
[W1130 03:13:52.817001520 socket.cpp:697] [c10d] The client socket has failed to connect to [node-a]:29500 (errno: 111 - Connection refused).
'''
[[test]]
fires = 0
logs."train.log" = '''
[I1130 03:13:52.817001520 socket.cpp:955] [c10d] The client socket has connected to [node-a]:29500 on SocketImpl(fd=12, addr=[node-b]:57854, remote=[node-a]:29500).
'''
*/
WITH failed AS (
  SELECT attempt, host, rank, ts, timeout_ms, file_id, line, part FROM torch_store_connect_failed
  UNION ALL
  SELECT attempt, host, rank, ts, timeout_ms, file_id, line, part FROM torch_store_connect_retry WHERE outcome = 'timed out'),
unresolved AS (
  SELECT attempt, count(*) AS n FROM torch_store_resolve_failed GROUP BY attempt),
loopback AS (    -- with several nodes that address is each node itself
  SELECT DISTINCT attempt FROM torch_store_connect_failed WHERE regexp_matches(peer_addr, '^(localhost|127\.0\.[01]\.1|::1)$')
  AND    attempt IN (SELECT attempt FROM elastic_launch_config WHERE min_nodes > 1 UNION SELECT attempt FROM job_hosts GROUP BY attempt HAVING count(*) > 1))
SELECT f.attempt, min(f.ts) - to_milliseconds(coalesce(max(f.timeout_ms), 0)) AS began,
       printf('%s gave up calling the store of the job%s',
              CASE WHEN count(DISTINCT f.rank) > 1 THEN printf('%d ranks', count(DISTINCT f.rank)) WHEN count(DISTINCT f.host) > 1 THEN printf('%d hosts', count(DISTINCT f.host)) ELSE 'A process' END,
              CASE WHEN max(l.attempt) IS NOT NULL THEN ': its address is a loopback, which is another one on each node'
                   WHEN max(u.n) > 0 THEN ': its name cannot be resolved' ELSE '; nothing here shows whether its server ever ran' END) AS summary,
       list({'file_id': f.file_id, 'line': f.line, 'part': f.part} ORDER BY f.file_id, f.line, f.part) AS evidence
FROM   failed f
LEFT JOIN unresolved u ON u.attempt = f.attempt
LEFT JOIN loopback l ON l.attempt = f.attempt
-- a job that worked has lost its store, which is another matter
WHERE  f.attempt NOT IN (SELECT attempt FROM steps)
GROUP  BY f.attempt
