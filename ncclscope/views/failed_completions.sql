-- RDMA requests that failed, with the host that says so and the one at the other end, as far as anything tells. Flushed requests
-- (status 5) are left out: they follow a first error of the same queue pair, or the end of the job.
WITH gid AS (    -- a line names its peer twice, by address and by GID: so the speaker of a line without a host is known by its own GID
  SELECT attempt, remote_gid AS gid, min(peer_addr) AS addr
  FROM nccl_net_ib_completion
  WHERE remote_gid IS NOT NULL AND peer_addr IS NOT NULL
  GROUP BY attempt, remote_gid
  HAVING count(DISTINCT peer_addr) = 1)
SELECT c.attempt, coalesce(c.host, r.host, s.host) AS host, c.rank, coalesce(p.host, c.peer_host, c.peer_addr) AS peer, c.hca, c.status, c.request,
       c.ts, c.ts_from, c.file_id, c.line, c.part
FROM nccl_net_ib_completion c
LEFT JOIN (SELECT attempt, rank, min(host) AS host FROM ranks GROUP BY ALL) r ON r.attempt IS NOT DISTINCT FROM c.attempt AND r.rank = c.rank
LEFT JOIN gid g ON g.attempt IS NOT DISTINCT FROM c.attempt AND g.gid = c.local_gid
LEFT JOIN address_hosts s ON s.addr = g.addr
LEFT JOIN address_hosts p ON p.addr = c.peer_addr
WHERE c.status IS DISTINCT FROM 5 AND c.status IS DISTINCT FROM 0
