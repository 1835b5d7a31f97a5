/*
title    = "Tasks did not come to a barrier of the coordination service"
kind     = "hang.init"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "net.socket_error", "crash.signal"]
needs    = ["coordination"]
explanation = """
The coordination service of JAX or TensorFlow lists the tasks that had not reached a barrier when it timed out; the others were there and waited. During start-up such a task never began, hangs before it connects, or cannot reach the coordinator.
"""
advice = """
Look at the first lines of the tasks named: did they start, with the same coordinator address and number of processes? From their hosts: `nc -vz COORDINATOR PORT`. Raise initialization_timeout only if they start late.
"""
false_positives = "Only some of the missing tasks are listed where there are many."
references = ["xla: coordination_service.cc", "JAX: jax.distributed.initialize"]
[[test]]
fires = 1
expect = { ranks = [2, 3] }
logs."jax.log" = '''
jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Barrier_id: PjRT_Client_Connect. Timed out task names:
/job:jax_worker/replica:0/task:3
/job:jax_worker/replica:0/task:2

RPC: /tensorflow.CoordinationService/RegisterTask
'''
[[test]]
fires = 1                       # most of them: the coordinator is where to look
expect = { ranks = [] }
logs."jax.log" = '''
DEADLINE_EXCEEDED: Barrier timed out. Id: PjRT_Client_Connect::0. # of tasks that reached the barrier: 1/4. The first task at the barrier: /job:jax_worker/replica:0/task:0. Some timed out task names:
/job:jax_worker/replica:0/task:1
/job:jax_worker/replica:0/task:2
/job:jax_worker/replica:0/task:3
'''
[[test]]
fires = 0
logs."jax.log" = "I0910 07:12:20.440127    1033 coordination_service_agent.cc:309] Coordination agent has successfully connected."
[[test]]
fires = 0                       # the barrier at the end of a job that another task left
logs."jax.log" = '''
DEADLINE_EXCEEDED: Barrier timed out. Id: Shutdown::0. # of tasks that reached the barrier: 3/4. The first task at the barrier: /job:jax_worker/replica:0/task:0. Some timed out task names:
/job:jax_worker/replica:0/task:1
'''
*/
WITH said AS (
  SELECT b.*, list_sort(list_distinct([CAST(t AS INTEGER) FOR t IN regexp_extract_all(tasks, 'task:(\d+)', 1)])) AS missing
  FROM   coordination_barrier_timeout b
  WHERE  NOT regexp_matches(barrier, '(?i)shutdown')),
named AS (
  SELECT *, expected IS NOT NULL AND reached * 2 < expected OR len(missing) > 8 AS most FROM said)
SELECT attempt, CASE WHEN bool_or(most) THEN [] ELSE list_sort(list_distinct(flatten(list(missing ORDER BY file_id, line)))) END AS ranks, min(ts) AS began,
       CASE WHEN bool_or(most) THEN printf('Most tasks did not come to the barrier %s', min(barrier))
            ELSE printf('Task%s %s did not come to the barrier %s, in which the others waited', CASE WHEN max(len(missing)) > 1 THEN 's' ELSE '' END,
                        array_to_string(list_sort(list_distinct(flatten(list(missing ORDER BY file_id, line)))), ', '), min(barrier)) END AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named
WHERE  len(missing) > 0
GROUP  BY attempt
