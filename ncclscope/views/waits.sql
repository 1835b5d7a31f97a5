-- Operations that ran into their timeout, one row for each line that says so. `rank` is global: the label's, or the tag's
-- where nothing suggests that it counts inside a smaller group. `grp` is the group name its members share.
WITH plain AS (
  SELECT * FROM torch_watchdog_timeout WHERE via IS DISTINCT FROM 'what'),
-- an excerpt may begin after the line itself: what ends the process, or a later call, repeats it
cut AS (
  SELECT * FROM torch_watchdog_timeout WHERE via = 'what'
  UNION ALL BY NAME
  SELECT * FROM torch_watchdog_terminated WHERE op IS NOT NULL AND elapsed_ms IS NOT NULL
  UNION ALL BY NAME
  SELECT * FROM torch_watchdog_blocking_wait
  UNION ALL BY NAME
  SELECT *, regexp_extract(reason, 'OpType=(\w+)', 1) AS op, TRY_CAST(regexp_extract(reason, 'SeqNum=(\d+)', 1) AS BIGINT) AS seq,
         TRY_CAST(regexp_extract(reason, 'Timeout\(ms\)=(\d+)', 1) AS BIGINT) AS timeout_ms, TRY_CAST(regexp_extract(reason, 'ran for (\d+)', 1) AS BIGINT) AS elapsed_ms
  FROM torch_nccl_comm_aborted WHERE reason LIKE '%operation timeout%'
  UNION ALL BY NAME
  -- the group's status names the work that the watchdog gave up, and not of what kind it was; an error has a line of its own
  SELECT * FROM torch_pg_status p
  WHERE seq IS NOT NULL AND seq > last_completed
  AND   NOT EXISTS (SELECT 1 FROM torch_watchdog_terminated t WHERE t.file_id = p.file_id AND t.op IS NULL)
  AND   NOT EXISTS (SELECT 1 FROM cuda_error c WHERE c.file_id = p.file_id)
  AND   NOT EXISTS (SELECT 1 FROM torch_nccl_error c WHERE c.file_id = p.file_id)),
timeout AS (
  SELECT *, CASE WHEN pg_desc IS NOT NULL AND pg_desc <> 'undefined' THEN pg_desc ELSE coalesce(pg_guid, CAST(pg_id AS VARCHAR)) END AS tagged
  FROM (SELECT * FROM plain UNION ALL BY NAME SELECT * FROM cut c WHERE NOT EXISTS (SELECT 1 FROM plain p WHERE p.file_id = c.file_id)
        QUALIFY row_number() OVER (PARTITION BY c.file_id, c.rank, c.group_rank, c.op, c.seq ORDER BY c.line, c.part) = 1)),
several AS (    -- one tag number for several processes of one file: ranks of small groups, not of the job
  SELECT DISTINCT file_id
  FROM timeout
  WHERE rank IS NULL AND group_rank IS NOT NULL
  GROUP BY file_id, group_rank, seq, op
  HAVING count(*) > 1),
placed AS (
  SELECT t.*, coalesce(t.rank, CASE WHEN t.local_rank IS NULL AND coalesce(t.pg_id, 0) = 0 AND m.file_id IS NULL
                                    THEN TRY_CAST(t.group_rank AS INTEGER) END) AS who
  FROM timeout t LEFT JOIN several m USING (file_id)),
status AS (     -- the line that follows names the group; a rank may wait in several
  SELECT attempt, file_id, coalesce(rank, TRY_CAST(group_rank AS INTEGER)) AS who, seq,
         min(CASE WHEN pg_desc IS NOT NULL AND pg_desc <> 'undefined' THEN pg_desc ELSE coalesce(pg_guid, CAST(pg_id AS VARCHAR)) END) AS grp
  FROM torch_pg_status
  GROUP BY ALL)
SELECT t.attempt, t.who AS rank, t.host, coalesce(t.tagged, s.grp, '?') AS grp, t.seq, t.op,
       CASE WHEN t.numel_in < 9223372036854775807 THEN t.numel_in END AS numel_in,
       CASE WHEN t.numel_out < 9223372036854775807 THEN t.numel_out END AS numel_out,
       t.timeout_ms, t.elapsed_ms, t.ts,
       -- a carried time says when something before it happened, not this
       CASE WHEN t.ts_from = 'line' THEN t.ts - to_milliseconds(coalesce(t.elapsed_ms, t.timeout_ms)) END AS began,
       -- numbered in its group as in the job: in a group of some ranks that is so by chance only
       t.who IS NOT NULL AND t.who = TRY_CAST(t.group_rank AS INTEGER) AS numbered, t.file_id, t.line, t.part
FROM placed t
LEFT JOIN status s ON s.attempt IS NOT DISTINCT FROM t.attempt AND s.file_id = t.file_id AND s.who = t.who AND s.seq = t.seq
