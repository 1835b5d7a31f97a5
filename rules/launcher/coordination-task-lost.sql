/*
title    = "The coordination service lost a task"
kind     = "launcher.rendezvous"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "hang.*", "net.socket_error", "crash.python"]
needs    = ["coordination"]
explanation = """
The coordination service of JAX or TensorFlow got no heartbeats of this task any more, or the task came back under its old number: it crashed, was preempted, or its host is gone. All other tasks are then told to stop; what they print is that.
"""
advice = """
Read the end of that task's own log and the scheduler's events for its host (preemption, eviction, node state); `dmesg -T` there.
"""
false_positives = "A task that was cut off by the network but went on."
references = ["xla: coordination_service.cc"]
[[test]]
fires = 1
expect = { ranks = [5] }
logs."jax.log" = '''
UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):
/job:jax_worker/replica:0/task:5
The tasks have crashed. Check the task logs for an earlier error, or scheduler events (e.g. preemption, eviction) to debug further.
'''
[[test]]
fires = 1                       # the other end of a call
expect = { ranks = [1] }
logs."tf.log" = '''
Aborting RingReduce with UNAVAILABLE: Collective ops is aborted by: failed to connect to all addresses
Additional GRPC error information from remote target /job:worker/replica:0/task:1:
'''
[[test]]
fires = 1                       # it came back
expect = { ranks = [1] }
logs."tf.log" = '''
BaseCollectiveExecutor::StartAbort FAILED_PRECONDITION: Device /job:worker/replica:0/task:1/device:GPU:0 current incarnation doesn't match with one in the group. This usually means this worker has restarted but the collective leader hasn't, or this worker connects to a wrong cluster.
'''
[[test]]
fires = 0                       # several ends: nobody is told apart
logs."tf.log" = '''
Additional GRPC error information from remote target /job:worker/replica:0/task:1:
Additional GRPC error information from remote target /job:worker/replica:0/task:2:
'''
[[test]]
fires = 0
logs."jax.log" = "E0910 07:17:31.902114    1102 coordination_service_agent.cc:525] Polled an error from coordination service (this can be an error from this or another task)."
*/
WITH lost AS (
  SELECT attempt, regexp_extract_all(tasks, 'task:(\d+)', 1) AS tasks, true AS sure, restarted IS NOT NULL AS again, ts, file_id, line, part FROM coordination_tasks_lost
  UNION ALL SELECT attempt, regexp_extract_all(tasks, 'task:(\d+)', 1), false, false, ts, file_id, line, part FROM coordination_peer_unreachable),
each_ AS (
  SELECT attempt, CAST(unnest(tasks) AS INTEGER) AS task, sure, again, ts, file_id, line, part FROM lost),
told AS (
  SELECT *, max(CASE WHEN sure THEN 1 ELSE 0 END) OVER (PARTITION BY attempt) AS heartbeats, min(task) OVER (PARTITION BY attempt) = max(task) OVER (PARTITION BY attempt) AS alone FROM each_)
SELECT attempt, list(DISTINCT task ORDER BY task) AS ranks, min(ts) AS began,
       printf('Task%s %s %s; the others were stopped for it', CASE WHEN count(DISTINCT task) > 1 THEN 's' ELSE '' END, string_agg(DISTINCT CAST(task AS VARCHAR), ', ' ORDER BY CAST(task AS VARCHAR)),
              CASE WHEN bool_and(again) THEN 'came back under the old number, restarted or of another cluster' WHEN max(heartbeats) = 1 THEN 'stopped sending heartbeats' ELSE 'cannot be reached' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   told
WHERE  sure OR heartbeats = 0 AND alone
GROUP  BY attempt
