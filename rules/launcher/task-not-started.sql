/*
title    = "The program could not be started on a node"
kind     = "launcher.child_failed.not_started"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["sched.cancelled", "launcher.*", "crash.signal", "crash.python", "hang.init", "net.socket_error"]
needs    = ["slurm", "mpi_help"]
explanation = """
Slurm or MPI did not get as far as the program on this node: its prolog failed, the node's daemon refused or did not answer the launch, the container could not be made, or the program's path does not exist there.
Everything after it (the step cancelled, other tasks ended) is the end of a step that never was complete.
"""
advice = """
Read slurmd's log on the named node (`journalctl -u slurmd`) for the reason behind the line, and try `srun -w NODE -N1 hostname` there.
For a container: pull the image by hand on that node (registry login, free space under ENROOT_DATA_PATH and ENROOT_CACHE_PATH); for a path: look whether its file system is mounted there.
Keep the node out meanwhile: `--exclude=NODE`.
"""
false_positives = "A step that was launched again and then ran: a later line of work shows it."
references = ["Slurm: srun, prolog and epilog guide", "pyxis and enroot"]
[[test]]
fires = 1                       # MPI's box
expect = { hosts = ["cn44"] }
logs."mpirun.err" = '''
mpirun was unable to launch the specified application as it could not change to the
specified working directory:

Working directory: /scratch/u/exp
Node: cn44

while attempting to start process rank 12.
'''
[[test]]
fires = 1                       # the node that failed, not the one whose daemon prints the end of the step
expect = { hosts = ["gpu-c07"] }
logs."slurm-31.out" = '''
srun: error: Task launch for StepId=31.0 failed on node gpu-c07: Job prolog failed
srun: error: Application launch failed: Job prolog failed
slurmstepd: error: *** STEP 31.0 ON gpu-c01 CANCELLED AT 2025-02-03T08:11:40 ***
'''
[[test]]
fires = 1                       # a program that one node does not have
expect = { hosts = ["rack4-n2"] }
logs."slurm-32.err" = '''
slurmstepd: error: execve(): /opt/env/bin/python: No such file or directory
slurmstepd: error: execve(): /opt/env/bin/python: No such file or directory
srun: error: rack4-n2: tasks 24-25: Exited with exit code 2
'''
[[test]]
fires = 1                       # a container that one task cannot have
expect = { hosts = ["dgx-4"] }
logs."slurm-33.err" = '''
slurmstepd: error: pyxis: failed to import docker image
slurmstepd: error: pyxis:     [ERROR] URL https://registry.local/v2/ returned error code: 401 Unauthorized
slurmstepd: error: pyxis: couldn't start container
srun: error: dgx-4: task 0: Exited with exit code 1
'''
[[test]]
fires = 1                       # several nodes: nobody is named for a path
expect = { hosts = [] }
logs."slurm-34.err" = '''
slurmstepd: error: execve(): /opt/env/bin/python: No such file or directory
slurmstepd: error: execve(): /opt/env/bin/python: No such file or directory
srun: error: dgx-4: task 0: Exited with exit code 2
srun: error: dgx-5: task 1: Exited with exit code 2
'''
[[test]]
fires = 0                       # launched again, and then it ran
logs."slurm-35.out" = '''
srun: error: Task launch for StepId=35.0 failed on node gpu-c07: Communication connection failure
step 10 | loss 9.8812 | tokens/s 98112
step 20 | loss 8.4410 | tokens/s 98340
'''
[[test]]
fires = 0                       # an epilog after the end
logs."slurmd.log" = '''
[2024-05-01T12:00:00.123] error: [JobId=123] epilog failed status=1:0
'''
[[test]]
fires = 0                       # the image comes and the task runs
logs."slurm-36.out" = '''
pyxis: importing docker image: registry.local/llm/train:24.07
pyxis: imported docker image: registry.local/llm/train:24.07
'''
*/
WITH said AS (
  SELECT attempt, coalesce(regexp_replace(nodes, '\..*$', ''), host) AS host, 'its prolog failed' AS why, ts, file_id, line, part FROM slurm_prolog_failed WHERE regexp_matches(what, '(?i)prolog')
  UNION ALL
  SELECT attempt, regexp_replace(nodes, '\..*$', ''), 'the launch failed: ' || lower(reason), ts, file_id, line, part FROM slurm_launch_failed
  UNION ALL
  SELECT attempt, host, 'a program could not be executed: ' || path || ': ' || lower(reason), ts, file_id, line, part FROM slurm_exec_failed
  UNION ALL
  SELECT attempt, regexp_replace(nodes, '\..*$', ''), CASE step WHEN 'change to' THEN 'its working directory is not there' ELSE 'a program could not be executed' END || coalesce(': ' || path, ''), ts, file_id, line, part
  FROM   launcher_mpi_not_executable
  UNION ALL
  SELECT attempt, host, 'its container could not be started', ts, file_id, line, part FROM slurm_container_failed),
ended AS (       -- where a line of a step daemon names no node: the only one whose tasks ended with an error
  SELECT attempt, min(host) AS host FROM slurm_tasks WHERE exit_code > 0 AND host IS NOT NULL GROUP BY attempt HAVING count(DISTINCT host) = 1),
placed AS (
  SELECT s.* REPLACE (coalesce(s.host, e.host) AS host), s.host IS NOT NULL AS printed FROM said s LEFT JOIN ended e ON e.attempt IS NOT DISTINCT FROM s.attempt
  -- a node name list is not one node
  WHERE  NOT EXISTS (SELECT 1 FROM work_seen w WHERE w.attempt IS NOT DISTINCT FROM s.attempt)),
named AS (
  SELECT *, max(CASE WHEN printed THEN 1 ELSE 0 END) OVER (PARTITION BY attempt) AS some_printed FROM placed)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL AND host NOT LIKE '%[%' AND (printed OR some_printed = 0)) AS hosts, min(ts) AS began,
       printf('The program was not started%s: %s',
              coalesce(' on ' || array_to_string((list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL AND host NOT LIKE '%[%' AND (printed OR some_printed = 0)))[:4], ', '), ''),
              coalesce(min(why) FILTER (WHERE why LIKE 'its%'), min(why) FILTER (WHERE why LIKE 'a program%'), min(why))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named
GROUP  BY attempt
