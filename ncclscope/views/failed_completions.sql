-- RDMA requests that failed, with the host that says so and the one at the other end, as far as anything tells. Flushed requests
-- (status 5) are left out: they follow a first error of the same queue pair, or the end of the job.
WITH gid AS (    -- a line names its peer twice, by address and by GID: so the speaker of a line without a host is known by its own GID
  SELECT attempt, remote_gid AS gid, min(peer_addr) AS addr
  FROM nccl_net_ib_completion
  WHERE remote_gid IS NOT NULL AND peer_addr IS NOT NULL
  GROUP BY attempt, remote_gid
  HAVING count(DISTINCT peer_addr) = 1),
placed AS MATERIALIZED (
  SELECT c.attempt, coalesce(c.host, r.host, s.host) AS host, c.rank, coalesce(p.host, c.peer_host) AS peer_name, c.peer_addr, c.hca, c.status,
         c.ts, c.file_id, c.line, c.part
  FROM nccl_net_ib_completion c
  LEFT JOIN (SELECT attempt, rank, min(host) AS host FROM ranks GROUP BY ALL) r ON r.attempt IS NOT DISTINCT FROM c.attempt AND r.rank = c.rank
  LEFT JOIN gid g ON g.attempt IS NOT DISTINCT FROM c.attempt AND g.gid = c.local_gid
  LEFT JOIN address_hosts s ON s.addr = g.addr
  LEFT JOIN address_hosts p ON p.addr = c.peer_addr
  WHERE c.status IS DISTINCT FROM 5 AND c.status IS DISTINCT FROM 0),
-- Without the lines that bind interfaces, an address belongs to the one complaining host that never names it, if there is just one: everybody
-- who lost a host names it but itself. One that a single host names is guessed only where two hosts name one address each: each other's.
unplaced AS MATERIALIZED (
  SELECT attempt, host, peer_addr FROM placed WHERE peer_name IS NULL AND peer_addr IS NOT NULL AND host IS NOT NULL GROUP BY ALL),
speaker AS (
  SELECT attempt, host, count(*) OVER (PARTITION BY attempt) AS speakers FROM placed WHERE host IS NOT NULL GROUP BY attempt, host),
named AS MATERIALIZED (
  SELECT attempt, peer_addr, count(DISTINCT host) AS by_hosts, count(*) OVER (PARTITION BY attempt) AS addresses FROM unplaced GROUP BY attempt, peer_addr),
guess AS (
  SELECT n.attempt, n.peer_addr, min(s.host) AS host
  FROM named n
  JOIN speaker s ON s.attempt IS NOT DISTINCT FROM n.attempt AND (n.by_hosts >= 2 OR (n.addresses = 2 AND s.speakers = 2))
  WHERE NOT EXISTS (SELECT 1 FROM unplaced u WHERE u.attempt IS NOT DISTINCT FROM n.attempt AND u.host = s.host AND u.peer_addr = n.peer_addr)
  GROUP BY n.attempt, n.peer_addr
  HAVING count(*) = 1)
SELECT p.attempt, p.host, p.rank, coalesce(p.peer_name, g.host, p.peer_addr) AS peer, p.hca, p.status, p.ts, p.file_id, p.line, p.part
FROM placed p
LEFT JOIN guess g ON g.attempt IS NOT DISTINCT FROM p.attempt AND g.peer_addr = p.peer_addr
