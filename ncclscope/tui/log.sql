-- Every record with a time or a place in a source, merged: events, steps and operations, copies left out.
-- `at_us` orders them: microseconds since 1970, or -1 without a time.
WITH source_name AS (SELECT file_id, min(name) AS name FROM pieces GROUP BY file_id)
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
  FROM collectives WHERE NOT duplicate) e
LEFT JOIN source_name n USING (file_id)
