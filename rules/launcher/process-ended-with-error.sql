/*
title    = "A launcher saw processes end with an error"
kind     = "launcher.child_failed"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["launchers", "launchers_mpi"]
explanation = """
An MPI, Horovod, spawn or shell launcher reports that a process ended badly. It knows that and not why, and the first one it saw need not be the first that failed.
"""
advice = """
Read the last lines of that process's own output; where it printed nothing, the kernel log of its host (`dmesg -T`) and the scheduler's accounting (`sacct -o State,ExitCode,DerivedExitCode`).
"""
false_positives = "A wrapper that repeats the exit code of something already explained."
references = ["Open MPI mpirun, Horovod, torch.multiprocessing.spawn"]
[[test]]
fires = 1
expect = { hosts = ["192.168.0.9"] }
logs."run.log" = "Error: failed to run torchrun --nproc_per_node=8 train.py on 192.168.0.9, is localhost: False, exception: Encountered a bad command exit code!"
[[test]]
fires = 1
logs."job.out" = '''
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
'''
[[test]]
fires = 1
logs."job.out" = "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with exit code 1"
[[test]]
fires = 0
logs."job.out" = "trainer-1 exited with code 0"
[[test]]
fires = 0
logs."job.out" = "[2026-11-30 12:10:02,101] [INFO] [launch.py:347:main] Process 22670 exits successfully."
*/
WITH ended AS (
  SELECT attempt, host, ts, file_id, line, part FROM launcher_mpi_nonzero_exit
  UNION ALL SELECT attempt, host, ts, file_id, line, part FROM launcher_mpi_first_exit WHERE exit_code IS DISTINCT FROM 0
  UNION ALL SELECT attempt, host, ts, file_id, line, part FROM launcher_mpi_abort
  UNION ALL SELECT attempt, host, ts, file_id, line, part FROM launcher_mpi_hydra_exit WHERE coalesce(exit_code, 1) <> 0
  UNION ALL SELECT attempt, host, ts, file_id, line, part FROM launcher_horovod_process_exit WHERE exit_code IS DISTINCT FROM 0
  UNION ALL SELECT attempt, coalesce(CASE WHEN regexp_matches(nodes, '^[0-9.]+$') THEN nodes ELSE regexp_replace(nodes, '\..*$', '') END, host), ts, file_id, line, part FROM launcher_remote_exit
  UNION ALL SELECT attempt, host, ts, file_id, line, part FROM launcher_spawn_exit WHERE exit_code IS DISTINCT FROM 0
  UNION ALL SELECT attempt, host, ts, file_id, line, part FROM launcher_exit WHERE exit_code IS DISTINCT FROM 0)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       'A process' || CASE WHEN count(DISTINCT host) = 1 THEN ' on ' || min(host) ELSE '' END || ' ended with an error; why is not in the launcher''s lines' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   ended
GROUP  BY attempt
