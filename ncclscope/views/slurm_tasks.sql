-- How Slurm's tasks ended, one row a task, with the rank where each rank is a task of its own.
WITH piece AS (
  SELECT attempt, file_id, line, part, ts, host, nodes, how, exit_code, unnest(string_split(tasks, ',')) AS piece FROM slurm_task_exit),
task AS (
  SELECT * EXCLUDE (piece), unnest(range(CAST(split_part(piece, '-', 1) AS BIGINT), CASE WHEN piece LIKE '%-%' THEN CAST(split_part(piece, '-', 2) AS BIGINT) ELSE CAST(split_part(piece, '-', 1) AS BIGINT) END + 1)) AS task
  FROM piece
  WHERE regexp_matches(piece, '^\d{1,6}(-\d{1,6})?$')),
world AS (
  SELECT attempt, coalesce(max(world_size), CASE WHEN count(DISTINCT rank) = max(rank) + 1 THEN max(rank) + 1 END) AS n FROM ranks GROUP BY attempt),
tasks AS (
  SELECT attempt, max(task) + 1 AS n FROM task GROUP BY attempt)
SELECT t.* EXCLUDE (host), coalesce(CASE WHEN t.nodes NOT LIKE '%[%' THEN regexp_replace(t.nodes, '\..*$', '') END, t.host) AS host,
       CASE WHEN w.n = k.n AND w.n > 1 THEN CAST(t.task AS INTEGER) END AS rank
FROM task t
JOIN tasks k ON k.attempt = t.attempt
LEFT JOIN world w ON w.attempt = t.attempt
