-- Which networks NCCL chose on each host. A host that talks to a fallen sibling may use two; its own set tells.
SELECT attempt, host, list(DISTINCT network ORDER BY network) AS networks, bool_and(network = 'Socket') AS only_sockets,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM nccl_net_using
WHERE host IS NOT NULL AND network IS NOT NULL
GROUP BY attempt, host
