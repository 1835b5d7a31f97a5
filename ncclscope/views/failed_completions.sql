-- RDMA requests that failed, with the host that says so and the one at the other end, as far as anything tells. Flushed requests
-- (status 5) are left out: they follow a first error of the same queue pair, or the end of the job.
WITH gid AS (    -- a line names its peer twice, by address and by GID: so the speaker of a line without a host is known by its own GID
  SELECT attempt, remote_gid AS gid, min(peer_addr) AS addr
  FROM nccl_net_ib_completion
  WHERE remote_gid IS NOT NULL AND peer_addr IS NOT NULL
  GROUP BY attempt, remote_gid
  HAVING count(DISTINCT peer_addr) = 1),
placed AS (
  SELECT c.attempt, coalesce(c.host, r.host, s.host) AS host, c.rank, coalesce(p.host, c.peer_host) AS peer_name, c.peer_addr, c.hca, c.status,
         c.ts, c.file_id, c.line, c.part
  FROM nccl_net_ib_completion c
  LEFT JOIN (SELECT attempt, rank, min(host) AS host FROM ranks GROUP BY ALL) r ON r.attempt IS NOT DISTINCT FROM c.attempt AND r.rank = c.rank
  LEFT JOIN gid g ON g.attempt IS NOT DISTINCT FROM c.attempt AND g.gid = c.local_gid
  LEFT JOIN address_hosts s ON s.addr = g.addr
  LEFT JOIN address_hosts p ON p.addr = c.peer_addr
  WHERE c.status IS DISTINCT FROM 5 AND c.status IS DISTINCT FROM 0),
-- Without the lines that bind interfaces, an address belongs to the one complaining host that never names it, if there is just one: the two
-- ends of a broken path name each other, and everybody who lost a host names it but itself.
guess AS (
  SELECT u.attempt, u.peer_addr, min(h.host) AS host
  FROM (SELECT DISTINCT attempt, peer_addr FROM placed WHERE peer_name IS NULL AND peer_addr IS NOT NULL) u
  JOIN (SELECT DISTINCT attempt, host FROM placed WHERE host IS NOT NULL) h ON h.attempt IS NOT DISTINCT FROM u.attempt
  WHERE NOT EXISTS (SELECT 1 FROM placed p WHERE p.attempt IS NOT DISTINCT FROM u.attempt AND p.host = h.host AND p.peer_addr = u.peer_addr)
  GROUP BY u.attempt, u.peer_addr
  HAVING count(*) = 1)
SELECT p.attempt, p.host, p.rank, coalesce(p.peer_name, g.host, p.peer_addr) AS peer, p.hca, p.status, p.ts, p.file_id, p.line, p.part
FROM placed p
LEFT JOIN guess g ON g.attempt IS NOT DISTINCT FROM p.attempt AND g.peer_addr = p.peer_addr
