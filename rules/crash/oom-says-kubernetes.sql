/*
title    = "Kubernetes saw a container killed for lack of memory"
kind     = "crash.oom_host"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["crash.oom_host", "crash.signal", "crash.python", "hang.*", "desync.*", "data.stall", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["kubernetes"]
explanation = """
The container reached its memory limit (OOMKilled, exit code 137), or the node ran out of memory. The other pods lose their peer.
"""
advice = """
Raise the container's memory limit or use less; /dev/shm (an emptyDir in memory) counts towards it.
`kubectl describe pod POD` shows the limit, `kubectl top pod` the use.
"""
false_positives = "Exit code 137 without OOMKilled is a kill from outside and does not fire this."
references = ["Kubernetes: OOMKilled"]
[[test]]
fires = 1                       # the description of a pod
expect = { hosts = ["pool-h100-d9"] }
logs."describe.txt" = '''
Name:             trainer-worker-2
Namespace:        research
Node:             pool-h100-d9/10.132.0.61
Containers:
  pytorch:
    State:          Terminated
      Reason:       OOMKilled
      Exit Code:    137
'''
[[test]]
fires = 1
logs."describe.txt" = '''
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
'''
[[test]]
fires = 1
expect = { hosts = ["gpu-a09"] }
logs."events.txt" = '''
2024-05-01T12:00:00Z   Warning   SystemOOM   node/gpu-a09   System OOM encountered, victim process: python3, pid: 1234
'''
[[test]]
fires = 0
logs."describe.txt" = '''
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
'''
[[test]]
fires = 0
logs."events.txt" = '''
2024-04-21T13:33:54Z   Normal    Killing   pod/llama3-70b-pt-90914-worker-0   Stopping container pytorch
'''
*/
WITH line AS (
  SELECT attempt, file_id, line, part, ts,      -- the description of a pod says above where it ran
         coalesce((SELECT regexp_replace(n.node, '\..*$', '') FROM k8s_described_node n WHERE n.file_id = c.file_id AND n.line < c.line
                   AND NOT EXISTS (SELECT 1 FROM k8s_described_pod d WHERE d.file_id = c.file_id AND d.line > n.line AND d.line < c.line) ORDER BY n.line DESC LIMIT 1), host) AS host,
         NULL AS what, NULL::BIGINT AS pid FROM k8s_container_exit c WHERE reason = 'OOMKilled'
  UNION ALL
  SELECT attempt, file_id, line, part, ts, node, process, victim_pid FROM k8s_system_oom
  UNION ALL
  SELECT attempt, file_id, line, part, ts, coalesce((SELECT min(a.host) FROM host_aliases a WHERE a.alias = p.pod), CASE WHEN pod IN (SELECT host FROM ranks) THEN pod END), 'pod ' || pod, NULL
  FROM   k8s_pod p WHERE status = 'OOMKilled'
  UNION ALL
  SELECT attempt, file_id, line, part, ts, coalesce((SELECT min(a.host) FROM host_aliases a WHERE a.alias = e.object), CASE WHEN object IN (SELECT host FROM ranks) THEN object END), object, NULL
  FROM   k8s_event e WHERE reason IN ('OOMKilling', 'OOMKilled')),
placed AS (
  SELECT l.*, r.rank FROM line l LEFT JOIN ranks r ON r.attempt = l.attempt AND r.host = l.host AND r.pid = l.pid)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       min(ts) AS began,
       printf('%s%s was killed for lack of memory, says Kubernetes', coalesce(min(host) || ': ', ''), coalesce(min(what), 'a container')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   placed
GROUP  BY attempt
