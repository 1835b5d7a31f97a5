-- Processes whose watchdog thread made no progress, with how long it had not when that was noticed.
SELECT attempt, coalesce(rank, CASE WHEN local_rank IS NULL AND coalesce(pg_id, 0) = 0 THEN TRY_CAST(group_rank AS INTEGER) END) AS rank, host,
       ts, ts - to_seconds(seconds) AS began, seconds, NULL::BIGINT AS works, file_id, line, part
FROM torch_heartbeat_stuck
WHERE via IS DISTINCT FROM 'what'
UNION ALL
SELECT attempt, coalesce(rank, CASE WHEN local_rank IS NULL AND coalesce(pg_id, 0) = 0 THEN TRY_CAST(group_rank AS INTEGER) END) AS rank, host,
       ts, NULL, NULL, works, file_id, line, part
FROM torch_heartbeat_timeout
WHERE via IS DISTINCT FROM 'what'
UNION ALL   -- the monitor was switched off and says what it would have done
SELECT attempt, coalesce(rank, CASE WHEN local_rank IS NULL AND coalesce(pg_id, 0) = 0 THEN TRY_CAST(group_rank AS INTEGER) END) AS rank, host,
       ts, NULL, NULL, NULL, file_id, line, part
FROM torch_heartbeat_disabled
