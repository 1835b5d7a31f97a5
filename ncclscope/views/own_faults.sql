-- What a process says when it failed itself. `what` is the fault in a few words; order inside a source is by line.
WITH told AS (       -- stacks of a rank that others print with their own
  SELECT t.file_id, t.line AS first_line, t.line + e.n_lines AS end_line, t.told_rank
  FROM   python_traceback t
  JOIN   events e ON e.file_id = t.file_id AND e.line = t.line AND e.part = t.part
  WHERE  t.told_rank IS NOT NULL),
said AS (
  SELECT attempt, rank, host, ts, ts_from, exception, text, false AS repeated, file_id, line, part FROM python_exception
  UNION ALL      -- the last line of a traceback may be an event of another kind (a loss that is not finite), or a class that no single line shows to be one
  SELECT attempt, rank, host, ts, ts_from, exception, split_part(text, chr(10), 1), true, file_id, line, part FROM python_traceback
  WHERE  exception IN ('ValueError', 'AssertionError', 'FloatingPointError', 'RuntimeError', 'Exception', 'ArithmeticError', 'OverflowError', 'ZeroDivisionError') AND text IS NOT NULL
  OR     contains(exception, '.') AND NOT regexp_matches(exception, '(Error|Exception)$')
  OR     regexp_matches(exception, '^torch\.distributed\.(pipelining|tensor|_tensor|fsdp|_composable|device_mesh|algorithms|optim|nn)\.')),
raised AS (          -- exceptions with all that is printed of them; `repeated`: other events may tell of the same line, so texts with rules of their own are left out
  SELECT s.attempt, coalesce(t.told_rank, s.rank) AS rank, CASE WHEN t.told_rank IS NULL THEN s.host END AS host, s.ts, s.ts_from, s.exception, s.text, s.repeated,
         s.file_id, s.line, s.part
  FROM   said s
  LEFT JOIN told t ON t.file_id = s.file_id AND s.line >= t.first_line AND s.line < t.end_line
  UNION ALL      -- the ranks whose stacks are not there
  SELECT attempt, CASE WHEN failed_ranks NOT LIKE '%,%' THEN CAST(failed_ranks AS INTEGER) END, NULL, ts, ts_from, 'CheckpointException', 'on ranks ' || failed_ranks, false, file_id, line, part
  FROM   train_checkpoint_failed c
  WHERE  NOT EXISTS (SELECT 1 FROM told t WHERE t.file_id = c.file_id)
  UNION ALL      -- the same texts where only torchrun's table has them
  SELECT attempt, rank, host, ts, ts_from, exception, text, true, file_id, line, part FROM tabled_exceptions),
fault AS (
  SELECT attempt, rank, host, ts, ts_from, 'exception' AS class, exception AS name, text AS detail, file_id, line, part
  FROM   raised
  -- classes that a process raises because it was told to end, or because another process or machine failed
  WHERE  NOT regexp_matches(exception, '(^|\.)(KeyboardInterrupt|SystemExit|CalledProcessError|ChildFailedError|SignalException|DistNetworkError|DistStoreError|BrokenPipeError|ConnectionResetError|ConnectionRefusedError|ConnectionAbortedError|EOFError|CancelledError|ProcessRaisedException|ProcessExitedException|BrokenProcessPool|RayTaskError.*|RayActorError|Actor\w+Error|Node\w*Died\w*Error|Worker\w*(Crashed|Died)\w*Error|ObjectLostError|OwnerDiedError|TaskCancelledError|\w*EngineDeadError|UnavailableError|AbortedError|DeadlineExceededError|Horovod\w+|HostsUpdatedInterrupt)$')
  AND    NOT (repeated AND regexp_matches(exception, '(^|\.)(DistBackendError|OutOfMemoryError)$'))
  AND    (text IS NULL OR NOT regexp_matches(text, 'Connection closed by peer|Connection reset|Stop_waiting response|Connection refused|No route to host|connectFullMesh|imed out|Timeout|NCCL (error|failure|operation|communicator was aborted)|Broken pipe|[Rr]oot cause|terminated by|process group|Socket|^UNAVAILABLE|^DEADLINE_EXCEEDED|^ABORTED|Collective ops is aborted|failed to connect to all addresses|coordination service|[Hh]eartbeat|DeepEP error: [\w ]*timeout|has been shut down|could not connect some hosts via ssh|SSH was not successful'))
  AND    (text IS NULL OR NOT repeated OR NOT regexp_matches(text, 'NCCL|CUDA|HIP|DataLoader|Detected mismatch|monitoredBarrier|[Gg]loo|enforce fail|Expected to have finished reduction|store|rendezvous|Engine core|worker'))
  UNION ALL SELECT attempt, rank, host, ts, ts_from, 'exception', 'RuntimeError', 'Expected to mark a variable ready only once', file_id, line, part FROM torch_ddp_ready_twice
  UNION ALL SELECT attempt, rank, host, ts, ts_from, 'exception', coalesce(exception, 'an FSDP error'), text, file_id, line, part FROM torch_fsdp_error
  UNION ALL SELECT attempt, rank, host, ts, ts_from, 'exception', value || ' in a ' || "where", NULL, file_id, line, part FROM train_nan_local
  UNION ALL SELECT attempt, rank, host, ts, ts_from, 'cuda', 'CUDA error', error, file_id, line, part FROM cuda_error
  UNION ALL SELECT attempt, rank, host, ts, ts_from, 'oom_gpu', 'CUDA out of memory', tried, file_id, line, part FROM cuda_oom
  UNION ALL SELECT attempt, rank, host, ts, ts_from, 'oom_host', 'host memory', coalesce(what, requested), file_id, line, part FROM host_alloc_failed
  UNION ALL SELECT attempt, rank, host, ts, ts_from, 'loader', 'data worker died', coalesce(signal, 'exited unexpectedly'), file_id, line, part FROM dataloader_worker_died
  UNION ALL SELECT attempt, rank, host, ts, ts_from, 'exception', 'unused parameters', NULL, file_id, line, part FROM torch_ddp_unused_parameters
  UNION ALL SELECT attempt, rank, host, ts, ts_from, 'native', error, NULL, file_id, line, part FROM python_fatal)
SELECT f.*,
       -- lines that follow a first peer fault of the same process are its end, not the beginning
       EXISTS (SELECT 1 FROM peer_faults p WHERE p.file_id = f.file_id AND p.rank IS NOT DISTINCT FROM f.rank AND p.line < f.line) AS after_peer_fault
FROM fault f
WHERE NOT EXISTS (SELECT 1 FROM outlived o WHERE o.file_id = f.file_id AND o.line = f.line)
