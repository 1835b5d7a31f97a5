-- Single looks at a GPU that show a throttle reason which is no routine, and whether the GPU idled then. GPUs that were watched for minutes are judged
-- by `gpu_minutes` and are not here. `reason` is hot, braked, or slowed where the hardware gives no reason for its slowdown.
WITH watched AS (
  SELECT file_id, host, name FROM gpu_minutes GROUP BY ALL HAVING count(*) >= 3),
looks AS (
  SELECT s.*, p.name, p.who, p.ranks
  FROM gpu_samples s
  LEFT JOIN gpu_places p ON p.attempt IS NOT DISTINCT FROM s.attempt AND p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host
                        AND p.gpu IS NOT DISTINCT FROM s.gpu AND p.device IS NOT DISTINCT FROM s.device),
said AS (       -- lines of a status dump, which hold one reason each
  SELECT attempt, file_id, line, part, ts, host, gpu, bdf,
         CASE WHEN reason LIKE '%thermal%' THEN 'hot' WHEN reason LIKE '%brake%' THEN 'braked' ELSE 'slowed' END AS reason
  FROM gpu_throttle
  WHERE reason IN ('hw_slowdown', 'hw_thermal_slowdown', 'sw_thermal_slowdown', 'hw_power_brake_slowdown')),
dumped AS (
  SELECT t.attempt, t.file_id, t.line, t.part, t.ts, t.host, t.gpu, t.reason, coalesce(l.is_idle, false) AS is_idle, l.sm_mhz, l.max_mhz, l.temp_c,
         coalesce(l.name, t.host || ':' || t.gpu, t.bdf, 'GPU ' || t.gpu) AS name,
         coalesce(l.who, t.host || ':' || t.gpu, t.bdf, CAST(t.gpu AS VARCHAR)) AS who, coalesce(l.ranks, []) AS ranks
  FROM said t
  LEFT JOIN looks l ON l.file_id = t.file_id AND l.host IS NOT DISTINCT FROM t.host AND l.gpu IS NOT DISTINCT FROM t.gpu AND l.line <= t.line + 40
  QUALIFY row_number() OVER (PARTITION BY t.file_id, t.line, t.part ORDER BY abs(CAST(l.line AS BIGINT) - CAST(t.line AS BIGINT)), l.line) = 1),
every AS (
  SELECT * FROM dumped
  UNION ALL
  SELECT attempt, file_id, line, part, ts, host, gpu, unnest(list_filter(['hot', 'braked', 'slowed'],
         lambda r: CASE r WHEN 'hot' THEN coalesce(is_hot, false) WHEN 'braked' THEN coalesce(is_braked, false) ELSE coalesce(is_slowed, false) END)) AS reason,
         coalesce(is_idle, busy_percent < 50, false) AS is_idle, sm_mhz, max_mhz, temp_c, name, who, ranks
  FROM looks
  WHERE file_id NOT IN (SELECT file_id FROM said))
SELECT e.*
FROM every e
WHERE NOT EXISTS (SELECT 1 FROM watched w WHERE w.file_id = e.file_id AND w.host IS NOT DISTINCT FROM e.host AND w.name = e.name)
  -- the general slowdown bit comes with either of the two that say why
  AND (e.reason <> 'slowed' OR NOT EXISTS (SELECT 1 FROM every o WHERE o.file_id = e.file_id AND o.name IS NOT DISTINCT FROM e.name AND o.reason <> 'slowed'
                                                                  AND abs(CAST(o.line AS BIGINT) - CAST(e.line AS BIGINT)) <= 10))
