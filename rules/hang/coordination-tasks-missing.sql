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
fires = 1                       # a line for each part
expect = { ranks = [9] }
logs."jax.log" = '''
E external/xla/xla/tsl/distributed_runtime/coordination/coordination_service_agent.cc:720] Coordination agent is set to ERROR: DEADLINE_EXCEEDED: Barrier timed out. Id: PjRT_Client_Connect. This usually happens because a task triggered the barrier too early or too slowly. Please look at the task logs (both timed out and first task) to debug further.
# of tasks that reached the barrier: 31/32.
The first task at the barrier: /job:jax_worker/replica:0/task:2. Some timed out task names:
/job:jax_worker/replica:0/task:9
'''
[[test]]
fires = 1                       # cut before the names: only how many
expect = { ranks = [], confidence = "possible" }
logs."jax.log" = '''
Barrier timed out. Id: [Init]Wait_for_all_tasks_to_register::0. This usually happens because a task triggered the barrier too early or too slowly. Please look at the task logs (both timed out and first task) to debug further.
# of tasks that reached the barrier: 7/8.
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
  SELECT b.*, list_sort(list_distinct([CAST(t AS INTEGER) FOR t IN regexp_extract_all(coalesce(tasks, ''), 'task:(\d+)', 1)])) AS missing
  FROM   coordination_barrier_timeout b
  WHERE  NOT regexp_matches(barrier, '(?i)shutdown')),
named AS (
  SELECT *, coalesce(reached * 2 < expected, false) OR len(missing) > 8 AS most FROM said WHERE len(missing) > 0 OR reached < expected),
together AS (
  SELECT attempt, bool_or(most) AS most, list_sort(list_distinct(flatten(list(missing ORDER BY file_id, line)))) AS missing, min(barrier) AS barrier, min(ts) AS began,
         max(expected - reached) AS absent, max(expected) AS expected, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   named
  GROUP  BY attempt)
SELECT attempt, CASE WHEN most THEN [] ELSE missing END AS ranks, began, CASE WHEN len(missing) = 0 THEN 'possible' ELSE 'likely' END AS confidence,
       CASE WHEN most THEN printf('Most tasks did not come to the barrier %s', barrier)
            WHEN len(missing) = 0 THEN printf('%d of %d tasks did not come to the barrier %s, in which the others waited; these lines do not say which', absent, expected, barrier)
            ELSE printf('Task%s %s did not come to the barrier %s, in which the others waited', CASE WHEN len(missing) > 1 THEN 's' ELSE '' END, array_to_string(missing, ', '), barrier) END AS summary,
       evidence
FROM   together
