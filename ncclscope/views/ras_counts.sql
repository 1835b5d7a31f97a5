-- How many operations of each kind every rank of a communicator had launched when RAS was asked: the JSON answer says so of every rank, the text of those in the
-- smaller camps only. `query` numbers the answers of a file. `ahead` is what most others had reached at the same time; `is_world` where the communicator is the job.
WITH json AS (
  SELECT attempt, file_id, line, part, query, comm, size, comm_rank, addr, pid, op, count FROM nccl_ras_count),
camp AS (        -- `26 ranks have launched up to operation 6650`, then the ranks of the smaller ones
  SELECT l.*, (SELECT max(s.line) FROM nccl_ras_comm_state s WHERE s.file_id = l.file_id AND s.line < l.line) AS head,
         (SELECT min(n.line) FROM nccl_ras_launched n WHERE n.file_id = l.file_id AND n.line > l.line) AS next_line,
         (SELECT max(d.op) FROM nccl_ras_different_counts d WHERE d.file_id = l.file_id AND d.line < l.line
                                                            AND d.line > (SELECT max(s.line) FROM nccl_ras_comm_state s WHERE s.file_id = l.file_id AND s.line < l.line)) AS op
  FROM nccl_ras_launched l),
text AS (
  SELECT r.attempt, r.file_id, r.line, r.part, CAST(NULL AS BIGINT) AS query, s.comm, CAST(NULL AS BIGINT) AS size, r.comm_rank, r.peer_addr AS addr, r.process AS pid,
         coalesce(c.op, 'collective') AS op, c.operation AS count,
         (SELECT max(o.operation) FROM camp o WHERE o.file_id = c.file_id AND o.head = c.head AND o.op IS NOT DISTINCT FROM c.op) AS ahead,
         (SELECT sum(o.ranks) FROM camp o WHERE o.file_id = c.file_id AND o.head = c.head AND o.op IS NOT DISTINCT FROM c.op) AS members,
         (SELECT sum(o.ranks) FROM camp o WHERE o.file_id = c.file_id AND o.head = c.head AND o.op IS NOT DISTINCT FROM c.op AND o.operation > c.operation) AS before
  FROM nccl_ras_rank r
  JOIN camp c ON c.file_id = r.file_id AND r.line > c.line AND r.line < coalesce(c.next_line, r.line + 1)
  JOIN nccl_ras_comm_state s ON s.file_id = c.file_id AND s.line = c.head),
total AS (
  SELECT attempt, file_id, max(n) AS n FROM (
    SELECT attempt, file_id, count(DISTINCT (addr, pid, cuda_dev)) AS n FROM nccl_ras_member GROUP BY ALL
    UNION ALL SELECT attempt, file_id, max(gpus) FROM nccl_ras_summary GROUP BY ALL)
  GROUP BY ALL)
SELECT j.attempt, j.file_id, j.line, j.part, j.query, j.comm, j.comm_rank, j.addr, j.pid, j.op, j.count,
       max(j.count) OVER w AS ahead, count(*) OVER w AS members,
       (SELECT count(*) FROM json o WHERE o.file_id = j.file_id AND o.query = j.query AND o.comm = j.comm AND o.op = j.op AND o.count > j.count) AS before,
       j.size >= t.n AS is_world
FROM json j
LEFT JOIN total t ON t.file_id = j.file_id
WINDOW w AS (PARTITION BY j.file_id, j.query, j.comm, j.op)
UNION ALL
SELECT x.attempt, x.file_id, x.line, x.part, x.query, x.comm, x.comm_rank, x.addr, x.pid, x.op, x.count, x.ahead, x.members, x.before, x.members >= t.n
FROM text x
LEFT JOIN total t ON t.file_id = x.file_id
