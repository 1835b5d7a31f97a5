-- What a process says when somebody else failed or is late: each such line speaks of its writer as a victim.
SELECT attempt, rank, host, began, ts, 'waited in ' || coalesce(op, 'a collective') || coalesce(' ' || seq, '') AS what, true AS waited, file_id, line, part
FROM waits
UNION ALL
SELECT attempt, rank, host, ts - to_milliseconds(timeout_ms), ts, 'waited for a peer', true, file_id, line, part FROM torch_gloo_timeout
UNION ALL
SELECT attempt, rank, host, ts, ts, 'lost a peer', false, file_id, line, part FROM torch_gloo_peer_gone
UNION ALL
SELECT attempt, rank, host, ts, ts, 'lost the store', false, file_id, line, part FROM torch_store_lost l
-- after a good end the store simply closes
WHERE NOT EXISTS (SELECT 1 FROM train_done d WHERE d.attempt IS NOT DISTINCT FROM l.attempt)
UNION ALL
SELECT attempt, rank, host, ts, ts, 'lost the store', false, file_id, line, part FROM torch_store_down l
-- after a good end the store simply closes
WHERE NOT EXISTS (SELECT 1 FROM train_done d WHERE d.attempt IS NOT DISTINCT FROM l.attempt)
UNION ALL
SELECT attempt, rank, host, ts, ts, 'NCCL lost a peer', false, file_id, line, part FROM torch_nccl_error WHERE nccl_error LIKE 'remote process exited%'
UNION ALL
SELECT attempt, rank, host, ts, ts, 'lost a peer', false, file_id, line, part FROM ucx_peer_gone
UNION ALL
SELECT attempt, rank, host, ts, ts, 'its communicator was aborted', coalesce(reason LIKE '%operation timeout%', false), file_id, line, part FROM torch_nccl_comm_aborted
UNION ALL
SELECT attempt, rank, host, ts, ts, 'passed the barrier that others did not', true, file_id, line, part FROM torch_monitored_barrier_reached
UNION ALL
SELECT attempt, rank, host, NULL, ts, 'waited for the first rank of its group to set up NCCL', true, file_id, line, part FROM torch_nccl_setup_failed
UNION ALL
SELECT attempt, rank, host, CASE WHEN ts_from = 'line' THEN ts - to_milliseconds(timeout_ms) END, ts, 'waited for a key of the store', true, file_id, line, part
FROM torch_store_wait_timeout
UNION ALL
SELECT attempt, rank, host, CASE WHEN ts_from = 'line' THEN ts - to_seconds(seconds) END, ts, 'waited for threads of its process', true, file_id, line, part
FROM xla_rendezvous_ended
