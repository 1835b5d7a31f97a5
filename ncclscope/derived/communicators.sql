-- One row a member: the last set-up line of each (process, pointer).
SELECT attempt, coalesce(comm, CASE WHEN parent IS NOT NULL THEN parent || '/' || color END, 'n' || nranks) AS comm,
       comm_ptr, NULL AS name, parent, rank, comm_rank, nranks, host, pid,
       min(ts) FILTER (WHERE phase = 'START') AS began, max(ts) FILTER (WHERE phase = 'COMPLETE') AS ended,
       CASE WHEN bool_or(phase = 'COMPLETE') THEN 'complete' ELSE 'started' END AS outcome
FROM nccl_comm_init
GROUP BY ALL
ORDER BY ALL
