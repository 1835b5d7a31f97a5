-- Every record with a time or a place in a source, merged: events, steps and operations, copies left out; of telemetry, which
-- would drown them, the lines that findings cite.
-- `at_us` orders them: microseconds since 1970, or -1 without a time.
WITH source_name AS (SELECT file_id, min(name) AS name FROM pieces GROUP BY file_id),
cited AS (
  SELECT DISTINCT e.file_id, e.line FROM (SELECT unnest(evidence) AS e FROM findings)),
telemetry AS (
  SELECT file_id, line, min(part) AS part, min(ts) AS ts, max(ts_max) AS ts_max, min(ts_from) AS ts_from, min(attempt) AS attempt, min(host) AS host,
         string_agg(concat_ws(' ', name, printf('%.6g', value), unit), '  ' ORDER BY name) AS said
  FROM metrics JOIN cited USING (file_id, line)
  WHERE NOT duplicate
  GROUP BY file_id, line)
SELECT e.*, coalesce(epoch_us(e.ts), -1) AS at_us, n.name
FROM (
  SELECT file_id, line, part, ts, ts_max, ts_from, attempt, host, pid, rank, comm, source, kind, severity, message, n_lines
  FROM events WHERE NOT duplicate
  UNION ALL
  SELECT file_id, line, part, ts, ts_max, ts_from, attempt, host, pid, rank, NULL, 'steps', 'step', 1,
         concat_ws('  ', 'step ' || iteration, printf('%.0f ms', step_ms), 'loss ' || printf('%.4g', loss), 'grad norm ' || printf('%.3g', grad_norm)), 1
  FROM steps WHERE NOT duplicate
  UNION ALL
  SELECT file_id, line, part, ts, ts_max, ts_from, attempt, host, pid, rank, comm, 'ops', 'collective.' || coalesce(state, 'logged'),
         CASE WHEN state = 'timed_out' THEN 3 ELSE 1 END,
         concat_ws('  ', op || coalesce(' seq ' || seq, ''), state, in_bytes || ' bytes'), 1
  FROM collectives WHERE NOT duplicate
  UNION ALL
  SELECT file_id, line, part, ts, ts_max, ts_from, attempt, host, NULL, NULL, NULL, 'metrics', 'telemetry', 1, said, 1
  FROM telemetry t
  WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.file_id = t.file_id AND e.line = t.line)) e
LEFT JOIN source_name n USING (file_id)
