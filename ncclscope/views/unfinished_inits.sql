-- Communicators that somebody began to set up and nobody finished, with who is there and who is not, and whether the job
-- went on long enough after it (or failed) for that to mean something: an excerpt that ends there proves nothing.
WITH member AS (
  SELECT attempt, coalesce(comm, 'n' || nranks) AS comm, nranks, comm_rank, host, pid, phase, ts, file_id, line, part
  FROM nccl_comm_init
  WHERE parent IS NULL),
state AS (
  SELECT attempt, comm, nranks, list(DISTINCT comm_rank ORDER BY comm_rank) AS present, min(ts) AS began, max(ts) AS latest,
         count(*) FILTER (WHERE phase = 'COMPLETE') AS completed,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM member
  GROUP BY attempt, comm, nranks
  HAVING count(*) FILTER (WHERE phase = 'COMPLETE') = 0),
went_on AS (
  SELECT attempt, max(ts) AS last_ts, count(*) FILTER (WHERE severity >= 3) AS errors FROM events GROUP BY attempt)
SELECT s.attempt, s.comm, s.nranks, s.present, s.began, s.evidence,
       list_filter(range(0, s.nranks), lambda r: NOT list_contains(s.present, CAST(r AS BIGINT))) AS absent
FROM state s
JOIN went_on w ON w.attempt IS NOT DISTINCT FROM s.attempt
WHERE w.errors > 0 OR w.last_ts > s.latest + INTERVAL 120 SECOND
