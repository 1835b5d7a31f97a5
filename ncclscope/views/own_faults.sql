-- What a process says when it failed itself. `what` is the fault in a few words; order inside a source is by line.
WITH fault AS (
  SELECT attempt, rank, host, ts, ts_from, 'exception' AS class, exception AS name, text AS detail, file_id, line, part FROM python_exception
  WHERE exception NOT SIMILAR TO '(.*\.)?(KeyboardInterrupt|SystemExit|CalledProcessError|ChildFailedError|SignalException|RayTaskError.*|DistNetworkError|DistStoreError|BrokenPipeError|ConnectionResetError|ConnectionRefusedError|ConnectionAbortedError|EOFError|CancelledError|ActorDiedError|RayActorError|EngineDeadError|ProcessRaisedException|ProcessExitedException)'
  AND (text IS NULL OR NOT regexp_matches(text, 'Connection closed by peer|Connection reset|Stop_waiting response|Connection refused|No route to host|connectFullMesh|Timed out|timed out|Timeout|NCCL error|NCCL communicator was aborted|Broken pipe|[Rr]oot cause|terminated by|process group|Socket'))
  UNION ALL      -- the last line of a traceback may be an event of another kind (a loss that is not finite); texts with rules of their own are left out
  SELECT attempt, rank, host, ts, ts_from, 'exception', exception, split_part(text, chr(10), 1), file_id, line, part FROM python_traceback
  WHERE exception IN ('ValueError', 'AssertionError', 'FloatingPointError', 'RuntimeError', 'Exception', 'ArithmeticError', 'OverflowError', 'ZeroDivisionError')
  AND text IS NOT NULL AND NOT regexp_matches(text, 'Connection closed by peer|Connection reset|Stop_waiting response|Connection refused|No route to host|connectFullMesh|imed out|Timeout|NCCL|Broken pipe|[Rr]oot cause|terminated by|process group|Socket|CUDA|HIP|DataLoader|Detected mismatch|monitoredBarrier|[Gg]loo|enforce fail|Expected to have finished reduction|store|rendezvous|Engine core|worker')
  UNION ALL      -- the same texts where only torchrun's table has them
  SELECT attempt, rank, host, ts, ts_from, 'exception', exception, text, file_id, line, part FROM tabled_exceptions
  WHERE exception NOT SIMILAR TO '(.*\.)?(KeyboardInterrupt|SystemExit|CalledProcessError|ChildFailedError|SignalException|RayTaskError.*|DistNetworkError|DistStoreError|DistBackendError|OutOfMemoryError|BrokenPipeError|ConnectionResetError|ConnectionRefusedError|ConnectionAbortedError|EOFError|CancelledError|ActorDiedError|RayActorError|EngineDeadError|ProcessRaisedException|ProcessExitedException)'
  AND (text IS NULL OR NOT regexp_matches(text, 'Connection closed by peer|Connection reset|Stop_waiting response|Connection refused|No route to host|connectFullMesh|imed out|Timeout|NCCL|Broken pipe|[Rr]oot cause|terminated by|process group|Socket|CUDA|HIP|DataLoader|Detected mismatch|monitoredBarrier|[Gg]loo|enforce fail|Expected to have finished reduction|store|rendezvous|Engine core|worker'))
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
