/*
title    = "A launcher lost a node"
kind     = "hw.host_lost"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "desync.*", "net.socket_error", "launcher.*", "crash.*"]
needs    = ["ray", "launchers"]
explanation = """
Ray marked a node dead for missing heartbeats, or MPI's daemon on a node is gone. The host crashed, was cut off, or its daemon was starved or
killed; the lines do not say which.
"""
advice = """
Look at that node: `last -x`, kernel log and BMC events at this time, and the raylet's or daemon's own log.
Is it memory? Raylets die first when a node runs out.
"""
false_positives = "Autoscalers that remove idle nodes on purpose."
references = ["Ray: NodeDiedError", "Open MPI: lost communication with a remote daemon"]
[[test]]
fires = 1                       # the note counts "unexpectedly" among what may be behind it
expect = { hosts = ["10.4.0.17"] }
logs."ray.log" = "2024-05-30 02:17:40,833	WARNING worker.py:2058 -- The node with node id: 9cb0f4c6e0e9d6c1b3e6c1c7b5a6b6b94a3ab9ae0dd0f4f36f27a54c and address: 10.4.0.17 and node name: 10.4.0.17 has been marked dead because the detector has missed too many heartbeats from it. This can happen when a (1) raylet crashes unexpectedly (OOM, etc.)"
[[test]]
fires = 1
expect = { hosts = ["10.0.0.4"] }
logs."driver.log" = '''
(raylet) The node with node id: 0f1e2d3c and address: 10.0.0.4 and node name: 10.0.0.4 has been marked dead because the detector has missed too many heartbeats from it.
'''
[[test]]
fires = 1
expect = { hosts = ["node18"] }
logs."mpi.log" = '''
ORTE has lost communication with a remote daemon.
  Remote daemon: [[34210,0],1] on node node18
'''
[[test]]
fires = 0
logs."driver.log" = '''
(autoscaler +1m2s) Warning: The following resource request cannot be scheduled right now: {'GPU': 1.0}. This is likely due to all cluster resources being claimed by actors.
'''
[[test]]
fires = 0
logs."driver.log" = '''
ray.exceptions.GetTimeoutError: Get timed out: some object(s) not ready.
'''
[[test]]
fires = 1                        # what newer releases of Ray add behind the reason is a list of what it may be
expect = { hosts = ["10.0.0.4"] }
logs."ray.log" = '''
(raylet) The node with node id: 0f1e2d3c and address: 10.0.0.4 and node name: 10.0.0.4 has been marked dead because the detector has missed too many heartbeats from it. This can happen when a 	(1) raylet crashes unexpectedly (OOM, preempted node, etc.)
ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
	class_name: TrainWorker
	pid: 8812
	ip: 10.0.0.4
The actor is dead because its node has died. Node Id: 0f1e2d3c
'''
*/
WITH line AS (
  SELECT attempt, file_id, line, part, ts, coalesce(CASE WHEN node_name <> ip THEN node_name END, ip) AS host, 'Ray marked it dead: ' || regexp_replace(reason, '\..*$', '') AS what
  FROM   ray_node_dead
  -- what may have been the reason stands behind the first full stop
  WHERE NOT regexp_matches(lower(regexp_replace(reason, '\..*$', '')), '\bexpected termination|drain|idle|preempt')
  UNION ALL
  SELECT attempt, file_id, line, part, ts, regexp_replace(nodes, '\..*$', ''), 'MPI lost its daemon there' FROM launcher_mpi_daemon_lost
  -- one that never came up is no host that was lost
  WHERE nodes IS NOT NULL OR NOT regexp_matches(what, 'failed after launch|unable to reliably start'))
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       printf('%s is lost%s: %s', coalesce(string_agg(DISTINCT host, ', ' ORDER BY host), 'A node'), coalesce(strftime(min(ts), ' since %H:%M:%S'), ''), min(what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   line
GROUP  BY attempt
