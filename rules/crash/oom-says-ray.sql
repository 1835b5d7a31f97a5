/*
title    = "Ray killed a worker for lack of host memory"
kind     = "crash.oom_host"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["crash.oom_host", "crash.signal", "crash.python", "hang.*", "desync.*", "net.socket_error", "net.ib_error", "launcher.*"]
needs    = ["ray"]
explanation = """
Ray's memory monitor kills a worker before the kernel would, once the node passes its threshold. The actor that died is the victim; who used
the memory is in the table that Ray prints.
"""
advice = """
Use fewer actors or smaller batches on the node, or raise RAY_memory_usage_threshold a little.
`ray logs raylet.out --ip IP` has the table of the largest processes.
"""
false_positives = "Ray's list of possible reasons for a dead actor mentions memory without knowing it; that text does not fire this."
references = ["Ray: out-of-memory prevention"]
[[test]]
fires = 1
expect = { hosts = ["10.0.0.3"] }
logs."driver.log" = '''
(raylet) [2024-07-05 06:00:48,123 E 1234 1234] (raylet) node_manager.cc:3007: 2 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: 9f0c, IP: 10.0.0.3) over the last time period.
'''
[[test]]
fires = 1
expect = { hosts = [] }
logs."driver.log" = '''
Task was killed due to the node running low on memory.
'''
[[test]]
fires = 0                       # boilerplate
logs."driver.log" = '''
(raylet, ip=10.0.0.4) Raylet is terminated. Termination is unexpected. Possible reasons include: (1) SIGKILL by the user or system OOM killer
'''
[[test]]
fires = 0
logs."driver.log" = '''
ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
'''
*/
WITH line AS (
  SELECT attempt, file_id, line, part, ts, ip, dead_pid FROM ray_oom WHERE coalesce(count, 1) > 0
  UNION ALL
  SELECT attempt, file_id, line, part, ts, NULL, NULL FROM ray_oom_task),
named AS (
  SELECT l.*, coalesce(a.host, l.ip) AS host FROM line l LEFT JOIN (SELECT alias, min(host) AS host FROM host_aliases GROUP BY alias) a ON a.alias = l.ip)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       printf('%sRay killed %s for lack of memory', coalesce(min(host) || ': ', ''), coalesce('process ' || min(dead_pid), 'a worker')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named
GROUP  BY attempt
