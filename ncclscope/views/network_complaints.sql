-- When processes noticed that data no longer came through, and between which hosts where they say so.
SELECT attempt, host, peer, ts, 'request failed' AS what FROM failed_completions WHERE status IN (12, 13)
UNION ALL
SELECT attempt, host, peer, ts, 'connection failed' FROM failed_connects
UNION ALL
SELECT c.attempt, c.host, coalesce(a.host, c.peer_host, c.peer_addr), c.ts, 'connection lost' FROM nccl_socket_closed c LEFT JOIN address_hosts a ON a.addr = c.peer_addr
UNION ALL
SELECT attempt, host, NULL, began, 'wait' FROM peer_faults WHERE began IS NOT NULL
