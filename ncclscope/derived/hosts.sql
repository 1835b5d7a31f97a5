-- Every host that speaks or that a source belongs to.
WITH named AS (
  SELECT DISTINCT 0 AS attempt, host FROM pieces WHERE host IS NOT NULL
  UNION SELECT attempt, host FROM ranks WHERE host IS NOT NULL
  UNION SELECT DISTINCT attempt, host FROM events WHERE host IS NOT NULL AND source LIKE 'nccl%'),
used AS (SELECT attempt, host, count(*) AS gpus FROM ranks GROUP BY ALL),
version AS (SELECT host, max(version) AS nccl FROM nccl_version WHERE host IS NOT NULL GROUP BY ALL),
cuda AS (     -- 12040 is 12.4
  SELECT host, max(driver) // 1000 || '.' || max(driver) % 1000 // 10 AS cuda FROM nccl_cuda_driver WHERE host IS NOT NULL GROUP BY host)
SELECT n.attempt, n.host, true AS given, c.zone_us + c.skew_us AS clock_offset_us, c.error_us AS clock_error_us, u.gpus, d.driver, d.driver_from, k.cuda, v.nccl
FROM named n
LEFT JOIN used u USING (attempt, host)
LEFT JOIN version v USING (host)
LEFT JOIN gpu_drivers d USING (host)
LEFT JOIN cuda k USING (host)
LEFT JOIN clocks c USING (host)
ORDER BY ALL
