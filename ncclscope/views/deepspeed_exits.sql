-- Processes that DeepSpeed's launcher saw end badly, with the pid and the global rank. The launcher of each host counts local ranks; it tells the
-- global ranks of every host and which of them it is itself. With pdsh a label says which host's launcher speaks; without one they may be told apart
-- only where the file holds a single launcher.
WITH said AS (
  SELECT attempt, file_id, line, part, kind, coalesce(fields['label_host'], '') AS label, fields FROM events
  WHERE  kind IN ('launcher.deepspeed.world', 'launcher.deepspeed.spawned', 'launcher.deepspeed.exit')),
world AS (
  SELECT attempt, file_id, label, CASE WHEN count(DISTINCT fields['node_rank']) = 1 THEN CAST(min(fields['node_rank']) AS INTEGER) END AS node_rank,
         CASE WHEN count(DISTINCT fields['mapping']) = 1 THEN min(fields['mapping']) END AS mapping
  FROM   said
  WHERE  kind = 'launcher.deepspeed.world'
  GROUP  BY ALL),
spawned AS (
  SELECT attempt, file_id, label, CAST(fields['local_rank'] AS INTEGER) AS local_rank, CAST(min(fields['child_pid']) AS INTEGER) AS pid
  FROM   said
  WHERE  kind = 'launcher.deepspeed.spawned'
  GROUP  BY ALL
  HAVING count(DISTINCT fields['child_pid']) = 1)
SELECT e.attempt,
       coalesce(e.rank, TRY_CAST(trim(string_split(regexp_extract_all(w.mapping, '\[([0-9, ]+)\]', 1)[w.node_rank + 1], ',')[e.local_rank + 1]) AS INTEGER)) AS rank,
       e.host, s.pid, e.exit_code, e.local_rank, e.ts, e.file_id, e.line, e.part
FROM   launcher_deepspeed_exit e
JOIN   said l ON l.file_id = e.file_id AND l.line = e.line AND l.part = e.part
LEFT JOIN world w ON w.attempt IS NOT DISTINCT FROM e.attempt AND w.file_id = e.file_id AND w.label = l.label
LEFT JOIN spawned s ON s.attempt IS NOT DISTINCT FROM e.attempt AND s.file_id = e.file_id AND s.label = l.label AND s.local_rank = e.local_rank
