-- Each GPU minute by minute while it was busy, beside its siblings: the medians of the other busy GPUs of the same minute, on any host. A wait in a
-- collective keeps a GPU at 100 % too, so `busy` says that clocks mean something, not that it works. Files without times are cut at every fourth reading.
WITH placed AS (
  SELECT s.*, p.name, p.who, p.index, p.ranks,
         CASE WHEN s.ts IS NOT NULL THEN CAST(epoch(s.ts) AS BIGINT) // 60 ELSE (s.nth - 1) // 4 END AS minute,
         s.ts IS NOT NULL AS timed
  FROM gpu_samples s
  JOIN gpu_places p ON p.attempt IS NOT DISTINCT FROM s.attempt AND p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host
                   AND p.gpu IS NOT DISTINCT FROM s.gpu AND p.device IS NOT DISTINCT FROM s.device),
spell AS (
  SELECT attempt, file_id, host, name, who, index, ranks, minute, timed, min(ts) AS began, max(ts) AS ended, count(*) AS samples,
         min(line) AS line, min(part) AS part,
         -- the line to show: the first that shows a reason
         coalesce(min(line) FILTER (WHERE is_hot OR is_braked OR is_slowed), min(line)) AS telling_line,
         median(sm_mhz) AS sm_mhz, max(max_mhz) AS max_mhz, max(temp_c) AS temp_c, min(margin_c) AS margin_c, max(memory_c) AS memory_c,
         median(power_w) AS power_w, median(limit_w) AS limit_w, median(busy_percent) AS busy_percent, median(tensor) AS tensor,
         median(gen) AS gen, max(gen_max) AS gen_max, median(width) AS width, max(width_max) AS width_max,
         avg(CAST(is_idle AS INTEGER)) AS idle, avg(CAST(is_capped AS INTEGER)) AS capped, avg(CAST(is_slowed AS INTEGER)) AS slowed,
         avg(CAST(is_hot AS INTEGER)) AS hot, avg(CAST(is_braked AS INTEGER)) AS braked
  FROM placed
  GROUP BY ALL),
busy AS (
  SELECT *
  FROM spell
  -- Half busy; without utilisation by power, then by what the GPU says of idling.
  WHERE CASE WHEN busy_percent IS NOT NULL THEN busy_percent >= 50
             WHEN power_w IS NOT NULL AND limit_w > 0 THEN power_w >= 0.3 * limit_w
             WHEN idle IS NOT NULL THEN idle < 0.5
             ELSE sm_mhz >= 0.5 * max_mhz END),
own AS (   -- its own clock at its best
  SELECT attempt, file_id, name, quantile_cont(sm_mhz, 0.9) AS best_mhz, count(*) AS minutes FROM busy GROUP BY ALL),
crowd AS (
  SELECT attempt, minute, timed, count(*) AS n, median(sm_mhz) AS sm_mhz, median(power_w) AS power_w, median(temp_c) AS temp_c,
         median(tensor) AS tensor, median(gen) AS gen, median(width) AS width
  FROM busy
  GROUP BY ALL),
few AS (   -- among few, each is left out of its own comparison; among many that changes nothing and costs the square
  SELECT a.attempt, a.minute, a.timed, a.file_id, a.name, count(*) AS n, median(c.sm_mhz) AS sm_mhz, median(c.power_w) AS power_w,
         median(c.temp_c) AS temp_c, median(c.tensor) AS tensor, median(c.gen) AS gen, median(c.width) AS width
  FROM busy a
  JOIN crowd w ON w.attempt IS NOT DISTINCT FROM a.attempt AND w.minute = a.minute AND w.timed = a.timed AND w.n <= 16
  JOIN busy c ON c.attempt IS NOT DISTINCT FROM a.attempt AND c.minute = a.minute AND c.timed = a.timed AND c.name <> a.name
  GROUP BY ALL)
SELECT b.*, o.best_mhz, o.minutes, coalesce(f.n, w.n - 1) AS siblings,
       CASE WHEN w.n > 16 THEN w.sm_mhz ELSE f.sm_mhz END AS sibling_mhz, CASE WHEN w.n > 16 THEN w.power_w ELSE f.power_w END AS sibling_power_w,
       CASE WHEN w.n > 16 THEN w.temp_c ELSE f.temp_c END AS sibling_temp_c, CASE WHEN w.n > 16 THEN w.tensor ELSE f.tensor END AS sibling_tensor,
       CASE WHEN w.n > 16 THEN w.gen ELSE f.gen END AS sibling_gen, CASE WHEN w.n > 16 THEN w.width ELSE f.width END AS sibling_width
FROM busy b
JOIN own o ON o.attempt IS NOT DISTINCT FROM b.attempt AND o.file_id = b.file_id AND o.name = b.name
JOIN crowd w ON w.attempt IS NOT DISTINCT FROM b.attempt AND w.minute = b.minute AND w.timed = b.timed
LEFT JOIN few f ON f.attempt IS NOT DISTINCT FROM b.attempt AND f.minute = b.minute AND f.timed = b.timed AND f.file_id = b.file_id AND f.name = b.name
