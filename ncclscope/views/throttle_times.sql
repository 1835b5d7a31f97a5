-- How much of the time between two readings a GPU was held back, by reason, from counters of that time: nvidia-smi's clocks_event_reasons_counters
-- and DCGM's violations, whatever their unit. nvidia-smi states us; DCGM's documents have said us and ns, its numbers are what the driver counts. A
-- counter that grows faster than time itself can only be ns; one that nowhere does and states no unit is not judged. One reading gives no row.
WITH reading AS (
  SELECT attempt, host, gpu, device, name, unit, ts, value, file_id, line, part,
         CASE WHEN name IN ('clocks_event_reasons_counters.hw_thermal_slowdown', 'clocks_event_reasons_counters.sw_thermal_slowdown', 'violation_time.thermal') THEN 'heat'
              WHEN name = 'clocks_event_reasons_counters.hw_power_brake_slowdown' THEN 'brake' END AS reason
  FROM   metrics
  WHERE  mode = 'counter' AND NOT duplicate AND ts IS NOT NULL AND (gpu IS NOT NULL OR device IS NOT NULL)
    AND  (name LIKE 'clocks_event_reasons_counters.%' OR name LIKE 'violation_time.%')),
span AS (        -- a counter that began anew in between is not looked at
  SELECT attempt, host, gpu, device, name, reason, max(unit) AS unit, min(ts) AS began, max(ts) AS ended, max(value) - min(value) AS growth,
         max_by(value, (ts, line)) - min_by(value, (ts, line)) AS delta, epoch_us(max(ts)) - epoch_us(min(ts)) AS elapsed_us,
         max_by({'file_id': file_id, 'line': line, 'part': part}, (ts, line)) AS last_line, min_by({'file_id': file_id, 'line': line, 'part': part}, (ts, line)) AS first_line
  FROM   reading
  GROUP  BY attempt, host, gpu, device, name, reason
  HAVING epoch_us(max(ts)) - epoch_us(min(ts)) >= 60_000_000),
unit AS (        -- of a counter on a host: what one GPU shows holds for all, and for the counters beside it
  SELECT host, split_part(name, '.', 1) AS family, CASE WHEN max(delta / elapsed_us) > 1.2 THEN 1000 WHEN bool_and(unit = 'us') THEN 1 END AS per_us
  FROM   span
  WHERE  delta = growth
  GROUP  BY ALL)
SELECT s.attempt, s.host, s.gpu, s.device, s.reason, s.name, s.began, s.ended, s.delta / u.per_us / 1e6 AS seconds, s.delta / u.per_us / s.elapsed_us AS share,
       s.first_line, s.last_line
FROM   span s
JOIN   unit u ON u.host IS NOT DISTINCT FROM s.host AND u.family = split_part(s.name, '.', 1)
WHERE  s.reason IS NOT NULL AND s.delta = s.growth AND u.per_us IS NOT NULL AND s.delta / u.per_us / s.elapsed_us <= 1.2
