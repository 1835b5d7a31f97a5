-- How far each rank got in each group, by its own word: numbers of enqueued, started and completed operations.
WITH said AS (
  SELECT attempt, rank, local_rank, group_rank, host, pg_id, pg_guid, pg_desc, seq, last_enqueued, last_started, last_completed, ts, file_id, line, part
  FROM torch_pg_status
  WHERE last_enqueued IS NOT NULL
  UNION ALL
  SELECT attempt, rank, local_rank, group_rank, host, pg_id, pg_guid, pg_desc, NULL, last_enqueued, NULL, last_completed, ts, file_id, line, part
  FROM torch_dump_signal
  WHERE last_enqueued IS NOT NULL)
SELECT attempt, coalesce(rank, CASE WHEN local_rank IS NULL AND coalesce(pg_id, 0) = 0 THEN TRY_CAST(group_rank AS INTEGER) END) AS rank,
       min(host) AS host,
       CASE WHEN pg_desc IS NOT NULL AND pg_desc <> 'undefined' THEN pg_desc ELSE coalesce(pg_guid, CAST(pg_id AS VARCHAR)) END AS grp,
       max(seq) AS at_seq, max(last_enqueued) AS enqueued, max(last_started) AS started, max(last_completed) AS completed, min(ts) AS ts,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM said
GROUP BY ALL
