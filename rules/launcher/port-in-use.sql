/*
title    = "The store's port is in use"
kind     = "launcher.rendezvous"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "net.socket_error"]
needs    = ["torch_store"]
explanation = """
A process that wants to serve the store cannot bind its port: an earlier job or attempt still holds it, a second job uses it, or several processes
believe to be rank 0. The lines for IPv6 and IPv4 are one failure.
"""
advice = """
On that host run `ss -ltnp 'sport = :PORT'` to see who listens; choose a port per job (or `--standalone`), and check that exactly one process has RANK=0.
"""
false_positives = "Retries that bind in the end."
references = ["PyTorch: torch/csrc/distributed/c10d/socket.cpp"]
[[test]]
fires = 1
logs."train.log" = "[E socket.cpp:401] [c10d] The server socket has failed to bind to [::]:38217 (errno: 98 - Address already in use)."
[[test]]
fires = 1
logs."train.log" = '''
[W socket.cpp:401] [c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).
[W socket.cpp:401] [c10d] The server socket has failed to bind to 0.0.0.0:29500 (errno: 98 - Address already in use).
[E socket.cpp:435] [c10d] The server socket has failed to listen on any local network address.
'''
[[test]]
fires = 0
logs."train.log" = "[I socket.cpp:452] [c10d] The server socket has started to listen on [::]:29500."
[[test]]
fires = 0                       # no rights is another matter
logs."train.log" = "[E socket.cpp:401] [c10d] The server socket has failed to bind to [::]:80 (errno: 13 - Permission denied)."
*/
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL AND rank IS NOT NULL) AS hosts,
       min(ts) AS began,
       coalesce(printf('Port %d', min(port)), 'The port') || ' of the store is already in use, so the process that should serve it could not start' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   torch_store_bind_failed
WHERE  errno = '98' OR reason LIKE 'Address already in use%'
GROUP  BY attempt
