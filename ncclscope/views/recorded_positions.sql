-- How far each rank got in each group by its flight recorder: the last collective it called, and the last that completed.
SELECT attempt, rank, min(host) AS host, comm AS grp, max(seq) AS enqueued, max(seq) FILTER (WHERE state = 'completed') AS completed, max(created) AS last_created,
       min(file_id) AS file_id, max_by(line, seq) AS line, max_by(part, seq) AS part
FROM collectives
WHERE seq IS NOT NULL AND rank IS NOT NULL AND state IS NOT NULL AND created IS NOT NULL AND NOT duplicate
GROUP BY attempt, rank, comm
