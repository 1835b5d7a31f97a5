-- From when to when a file server did not answer a host, by the kernel's lines: NFS "not responding" to "OK", Lustre "was lost" to
-- "restored". `ended` is NULL where the log never says that it is back. broke_s: seconds from its beginning to when the job broke there.
WITH said AS MATERIALIZED (
  SELECT e.file_id, e.line, e.part, e.kind, e.host, h.ts, h.attempt, h.place, h.hit, h.completed, h.after_s,
         coalesce(e.fields['target'], e.fields['server'], e.fields['import']) AS server, e.fields['import'] AS client_import, e.fields['server'] AS address,
         e.kind IN ('storage.nfs_ok', 'storage.lustre_restored') AS back
  FROM events e
  JOIN host_events h USING (file_id, line, part)
  WHERE e.kind IN ('storage.nfs_not_responding', 'storage.nfs_ok', 'storage.lustre_lost', 'storage.lustre_restored', 'storage.lustre_evicted')),
-- the line that it is back may name the connection and the address only
known AS (
  SELECT file_id, client_import, address, min(server) AS server FROM said WHERE NOT back AND server IS NOT NULL GROUP BY ALL),
line AS (
  SELECT s.* EXCLUDE (server), CASE WHEN s.back THEN coalesce(
           (SELECT min(k.server) FROM known k WHERE k.file_id = s.file_id AND k.client_import = s.client_import),
           (SELECT min(k.server) FROM known k WHERE k.file_id = s.file_id AND k.address = s.address AND s.server = s.address), s.server) ELSE s.server END AS server
  FROM   said s),
numbered AS (    -- a run ends with the line that it is back
  SELECT *, count(*) FILTER (WHERE back) OVER (PARTITION BY file_id, host, server ORDER BY line, part ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS run
  FROM line
  WHERE server IS NOT NULL)
SELECT file_id, host, server, min(line) AS line, min(ts) FILTER (WHERE NOT back) AS began, max(ts) FILTER (WHERE back) AS ended,
       min({'a': line, 'attempt': attempt}) FILTER (WHERE NOT back).attempt AS attempt,
       min({'a': line, 'place': place}) FILTER (WHERE NOT back).place AS place,
       bool_or(hit) FILTER (WHERE NOT back) AS hit, bool_or(completed) AS completed,
       -min({'a': line, 's': after_s}) FILTER (WHERE NOT back).s AS broke_s, bool_or(kind = 'storage.lustre_evicted') AS evicted,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line, part) AS evidence
FROM numbered
GROUP BY file_id, host, server, coalesce(run, 0)
HAVING bool_or(NOT back)
