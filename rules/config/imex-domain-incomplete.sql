/*
title    = "The IMEX domain of a rack is not complete"
kind     = "config.env.imex"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.init", "crash.cuda_error", "perf.transport_fallback"]
needs    = ["kernel_nvswitch"]
explanation = '''
Hosts of a rack share GPU memory over NVLink through nvidia-imex, and its service lost a node of the domain, or says that the domain is degraded. Programs that share memory with that node fail at their start.
'''
advice = '''
`nvidia-imex-ctl -N` on any node shows who is missing; on that node `systemctl status nvidia-imex`, the list of nodes in nodes_config.cfg, and its network.
'''
false_positives = "A node that is restarted on purpose."
references = ["NVIDIA IMEX service guide"]
[[test]]
fires = 1
expect = { hosts = [], devices = ["10.9.1.13"] }
logs."imex.log" = '''
[Mar 05 2026 11:20:31] [ERROR] [tid 11212] Connection to node 3 (10.9.1.13) lost: GRPC state TRANSIENT_FAILURE
[Mar 05 2026 11:20:31] [ERROR] [tid 11212] Domain state changed from UP to DEGRADED
'''
[[test]]
fires = 1
logs."imex.log" = '''
[Mar 05 2026 11:20:31] [ERROR] [tid 11212] Domain state changed from UP to DOWN
'''
[[test]]
fires = 0
logs."imex.log" = '''
[Mar 05 2026 11:20:31] [INFO] [tid 11212] Domain state changed from INITIALIZING to UP
'''
[[test]]
fires = 0                        # it came back
logs."imex.log" = '''
[Mar 05 2026 11:20:31] [ERROR] [tid 11212] Domain state changed from UP to DEGRADED
[Mar 05 2026 11:21:31] [INFO] [tid 11212] Domain state changed from DEGRADED to UP
'''
*/
WITH word AS (
  SELECT attempt, host, addr, state, ts, file_id, line, part FROM (
    SELECT attempt, host, addr, NULL AS state, ts, file_id, line, part FROM gpu_imex_node_lost
    UNION ALL SELECT attempt, host, NULL, state, ts, file_id, line, part FROM gpu_imex_domain WHERE state IN ('DEGRADED', 'DOWN')))
SELECT w.attempt, list(DISTINCT w.addr ORDER BY w.addr) FILTER (WHERE w.addr IS NOT NULL) AS devices, min(w.ts) AS began,
       printf('The IMEX domain is not complete%s%s', coalesce(': ' || min(w.addr) || ' is lost', ''), coalesce(strftime(min(w.ts), ' from %H:%M:%S'), '')) AS summary,
       list({'file_id': w.file_id, 'line': w.line, 'part': w.part} ORDER BY w.file_id, w.line, w.part) AS evidence
FROM   word w
WHERE  NOT EXISTS (SELECT 1 FROM gpu_imex_domain u WHERE u.state = 'UP' AND u.file_id = w.file_id AND u.line > w.line)
GROUP  BY w.attempt
