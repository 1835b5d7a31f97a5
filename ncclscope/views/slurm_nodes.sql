-- Nodes that Slurm reports as failed, silent or rebooted, one row a node: lists such as node[017-018,20] are written out.
WITH said AS (
  SELECT attempt, file_id, line, part, ts, nodes, CASE WHEN state IS NULL THEN 'not responding' ELSE 'not responding, set ' || lower(state) END AS what FROM slurm_node_not_responding
  UNION ALL
  SELECT attempt, file_id, line, part, ts, nodes, 'node failure' FROM slurm_node_failure
  UNION ALL
  SELECT attempt, file_id, line, part, ts, nodes, 'job failed on it' FROM slurm_job_node_failed
  UNION ALL
  SELECT attempt, file_id, line, part, ts, nodes, lower(reason) FROM slurm_sinfo WHERE regexp_matches(lower(state), '^(down|fail|unk)')
  UNION ALL       -- of a whole cluster, so of any job
  SELECT attempt, file_id, line, part, ts, nodes, 'in the list of nodes that are down' FROM slurm_sinfo_partition WHERE regexp_matches(lower(state), '^(down|fail|unk)')
  UNION ALL
  SELECT attempt, file_id, line, part, ts, nodes, lower(reason) FROM slurm_node_reason WHERE regexp_matches(lower(reason), 'not responding|unexpectedly rebooted|node failure')),
record AS (      -- scontrol show node
  SELECT attempt, file_id, line, part, ts, nodes, coalesce(lower(reason), 'down') AS what FROM slurm_node_record
  WHERE  regexp_matches(state, '^(DOWN|FAIL|UNKNOWN)') OR regexp_matches(lower(reason), 'not responding|unexpectedly rebooted|node failure')),
told AS (
  SELECT * FROM said UNION ALL SELECT * FROM record),
item AS (
  SELECT *, unnest(regexp_extract_all(nodes, '[^,\[\]]+(?:\[[^\]]*\])?[^,\[\]]*')) AS item FROM told WHERE nodes IS NOT NULL),
body AS (
  SELECT *, regexp_extract(item, '^([^\[]*)', 1) AS pre, regexp_extract(item, '\[([^\]]*)\]', 1) AS inside, regexp_extract(item, '\]([^\[]*)$', 1) AS post FROM item),
piece AS (
  SELECT *, unnest(CASE WHEN inside = '' THEN ['-'] ELSE string_split(inside, ',') END) AS piece FROM body),
node AS (
  SELECT attempt, file_id, line, part, ts, what,
         unnest(CASE WHEN inside = '' THEN [item]
                     WHEN regexp_matches(piece, '^\d+-\d+$')
                     THEN list_transform(range(CAST(split_part(piece, '-', 1) AS BIGINT), least(CAST(split_part(piece, '-', 2) AS BIGINT), CAST(split_part(piece, '-', 1) AS BIGINT) + 9999) + 1),
                                         lambda n: pre || lpad(CAST(n AS VARCHAR), CAST(greatest(len(split_part(piece, '-', 1)), len(CAST(n AS VARCHAR))) AS INTEGER), '0') || post)
                     ELSE [pre || piece || post] END) AS node
  FROM piece)
SELECT attempt, file_id, line, part, ts, coalesce(what, 'down') AS what, regexp_replace(node, '\..*$', '') AS host FROM node
