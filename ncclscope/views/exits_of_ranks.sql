-- How processes ended, as launchers and shells saw it: exit codes and signals by rank, host and pid. A launcher that counts processes of
-- one host (DeepSpeed, torch.multiprocessing) gives no global rank; MPI's rank is the job's.
WITH named(name, number) AS (
  VALUES ('SIGILL', 4), ('ILLEGAL INSTRUCTION', 4), ('SIGTRAP', 5), ('SIGABRT', 6), ('ABORTED', 6), ('SIGBUS', 7), ('BUS ERROR', 7), ('SIGFPE', 8),
         ('FLOATING POINT EXCEPTION', 8), ('SIGKILL', 9), ('KILLED', 9), ('SIGSEGV', 11), ('SEGMENTATION FAULT', 11), ('SIGTERM', 15), ('TERMINATED', 15)),
word AS (
  SELECT attempt, rank, host, pid, exitcode AS code, NULL AS name, local_rank, ts, file_id, line, part FROM elastic_child_failed
  UNION ALL SELECT attempt, rank, host, pid, exitcode, NULL, local_rank, ts, file_id, line, part FROM agent_exits
  UNION ALL SELECT attempt, rank, host, pid, exit_code, NULL, local_rank, ts, file_id, line, part FROM deepspeed_exits
  UNION ALL SELECT attempt, NULL, host, child_pid, exit_code, NULL, NULL, ts, file_id, line, part FROM launcher_lightning_child_terminated
  UNION ALL SELECT attempt, NULL, host, NULL, exit_code, signal_name, process, ts, file_id, line, part FROM launcher_spawn_exit
  UNION ALL SELECT attempt, CAST(task AS INTEGER), coalesce(nodes, host), child_pid, -signal, NULL, NULL, ts, file_id, line, part FROM launcher_mpi_signal
  UNION ALL SELECT attempt, rank, host, pid, -signal, NULL, NULL, ts, file_id, line, part FROM launcher_mpi_process_signal WHERE signal IS NOT NULL
  UNION ALL SELECT attempt, NULL, host, NULL, -signal, NULL, NULL, ts, file_id, line, part FROM launcher_called_process_error WHERE signal IS NOT NULL
  UNION ALL SELECT attempt, rank, host, child_pid, NULL, how, NULL, ts, file_id, line, part FROM launcher_shell_exit
  UNION ALL SELECT attempt, rank, host, NULL, NULL, signal, NULL, ts, file_id, line, part FROM process_signal
  UNION ALL SELECT p.attempt, coalesce(p.rank, r.rank), p.host, p.child_pid, coalesce(p.exit_code, -p.signal), NULL, NULL, p.ts, p.file_id, p.line, p.part FROM launcher_server_process_died p
  LEFT JOIN worker_ranks r ON r.file_id = p.file_id AND r.line = p.line
  -- srun reports its own kills in the same words; a fault of the process is the process's own
  UNION ALL SELECT attempt, NULL, coalesce(nodes, host), NULL, NULL, regexp_extract(how, '^[A-Za-z ]*[a-z]'), NULL, ts, file_id, line, part FROM slurm_task_exit
  WHERE regexp_matches(how, '^(Segmentation|Bus error|Illegal|Floating)') AND NOT regexp_matches(coalesce(nodes, ''), '[,\[]')),
numbered AS (    -- what a process says of its own end names no rank; its launcher knows the process
  SELECT attempt, host, pid, min(rank) AS rank FROM word WHERE pid > 0 AND host IS NOT NULL AND rank IS NOT NULL GROUP BY ALL HAVING count(DISTINCT rank) = 1)
SELECT w.attempt, coalesce(w.rank, k.rank) AS rank, w.host, w.pid, CASE WHEN w.code >= 0 THEN w.code END AS exit_code,
       CASE WHEN w.code < 0 THEN -w.code ELSE n.number END AS signal, w.local_rank, w.ts, w.file_id, w.line, w.part
FROM word w
LEFT JOIN numbered k ON k.attempt IS NOT DISTINCT FROM w.attempt AND k.host = w.host AND k.pid = w.pid
LEFT JOIN named n ON n.name = upper(w.name)
