-- Connections between processes of the job that could not be made or that timed out, with both ends as far as anything tells.
-- `local_only` marks addresses that mean nothing on another host: loopback, link-local, the bridges of Docker and libvirt.
WITH failed AS (
  SELECT attempt, host, rank, peer_addr, peer_host, error, 'NCCL' AS what, ts, ts_from, file_id, line, part FROM nccl_socket_connect_failed
  WHERE peer_addr IS NOT NULL OR peer_host IS NOT NULL
  UNION ALL
  SELECT attempt, host, rank, peer_addr, peer_host, error, 'NCCL', ts, ts_from, file_id, line, part FROM nccl_socket_io_failed
  WHERE (peer_addr IS NOT NULL OR peer_host IS NOT NULL) AND regexp_matches(error, '(?i)timed out|no route|unreachable')
  UNION ALL
  SELECT attempt, host, rank, peer_addr, NULL, reason, 'gloo', ts, ts_from, file_id, line, part FROM torch_gloo_connect_failed
  WHERE peer_addr IS NOT NULL)
SELECT f.attempt, coalesce(f.host, r.host) AS host, f.rank, coalesce(a.host, f.peer_host, f.peer_addr) AS peer, f.peer_addr, f.error, f.what,
       coalesce(regexp_matches(f.peer_addr, '^(127\.|169\.254\.|172\.17\.0\.|192\.168\.122\.|fe80:|::1$|::ffff:127\.)'), false) AS local_only,
       f.ts, f.ts_from, f.file_id, f.line, f.part
FROM failed f
LEFT JOIN (SELECT attempt, rank, min(host) AS host FROM ranks GROUP BY ALL) r ON r.attempt IS NOT DISTINCT FROM f.attempt AND r.rank = f.rank
LEFT JOIN address_hosts a ON a.addr = f.peer_addr
