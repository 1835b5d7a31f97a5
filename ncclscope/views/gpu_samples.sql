-- What a GPU showed at one moment, whichever tool wrote it: one row for each line of a table, or for each round of lines with one number each.
WITH number AS (
  SELECT attempt, file_id, line, part, CASE WHEN ts_from = 'line' THEN ts END AS ts, host, gpu, device, name, value
  FROM metrics
  WHERE mode = 'gauge' AND NOT duplicate
    AND name IN ('clocks.current.sm', 'clocks.current.graphics', 'clocks.max.sm', 'temperature.gpu', 'temperature.gpu.tlimit', 'temperature.hotspot', 'temperature.memory',
                 'power.draw', 'power.draw.instant', 'power.draw.average', 'power.limit', 'enforced.power.limit', 'utilization.gpu', 'prof.gr_engine_active',
                 'prof.tensor_active', 'clocks_event_reasons.active', 'clocks_event_reasons.gpu_idle', 'clocks_event_reasons.applications_clocks_setting', 'clocks_event_reasons.sw_power_cap',
                 'clocks_event_reasons.hw_slowdown', 'clocks_event_reasons.hw_thermal_slowdown', 'clocks_event_reasons.sw_thermal_slowdown',
                 'clocks_event_reasons.hw_power_brake_slowdown', 'violation.thermal',
                 'pcie.link.gen.current', 'pcie.link.gen.max', 'pcie.link.width.current', 'pcie.link.width.max')
    AND (device IS NULL OR device NOT LIKE '%/mig%')),
dense AS (       -- lines with several numbers are rows of a table
  SELECT file_id, line FROM number GROUP BY file_id, line HAVING count(*) > 1),
round AS (       -- numbers are counted only where a line has one: to sort a day of telemetry would cost more than all else
  SELECT n.*, n.line AS moment FROM number n SEMI JOIN dense d ON d.file_id = n.file_id AND d.line = n.line
  UNION ALL
  SELECT n.*, row_number() OVER (PARTITION BY n.file_id, n.host, n.gpu, n.device, n.name ORDER BY n.line, n.part)
  FROM number n ANTI JOIN dense d ON d.file_id = n.file_id AND d.line = n.line),
wide AS (
  SELECT attempt, file_id, host, gpu, device, moment, min(line) AS line, min(part) AS part, min(ts) AS ts,
         coalesce(max(value) FILTER (WHERE name = 'clocks.current.sm'), max(value) FILTER (WHERE name = 'clocks.current.graphics')) AS sm_mhz,
         max(value) FILTER (WHERE name = 'clocks.max.sm') AS max_mhz,
         max(value) FILTER (WHERE name = 'temperature.gpu') AS temp_c,
         min(value) FILTER (WHERE name = 'temperature.gpu.tlimit') AS margin_c,
         max(value) FILTER (WHERE name = 'temperature.hotspot') AS hotspot_c,
         max(value) FILTER (WHERE name = 'temperature.memory') AS memory_c,
         max(value) FILTER (WHERE name LIKE 'power.draw%') AS power_w,
         min(value) FILTER (WHERE name LIKE '%power.limit') AS limit_w,
         coalesce(max(value) FILTER (WHERE name = 'utilization.gpu'), 100 * max(value) FILTER (WHERE name = 'prof.gr_engine_active')) AS busy_percent,
         max(value) FILTER (WHERE name = 'prof.tensor_active') AS tensor,
         max(CAST(value AS BIGINT)) FILTER (WHERE name = 'clocks_event_reasons.active' AND value BETWEEN 0 AND 65535) AS bits,
         max(value) FILTER (WHERE name = 'clocks_event_reasons.gpu_idle') AS idle,
         max(value) FILTER (WHERE name = 'clocks_event_reasons.applications_clocks_setting') AS setting,
         max(value) FILTER (WHERE name = 'clocks_event_reasons.sw_power_cap') AS cap,
         max(value) FILTER (WHERE name = 'clocks_event_reasons.hw_slowdown') AS slowdown,
         max(value) FILTER (WHERE name IN ('clocks_event_reasons.hw_thermal_slowdown', 'clocks_event_reasons.sw_thermal_slowdown', 'violation.thermal')) AS thermal,
         max(value) FILTER (WHERE name = 'clocks_event_reasons.hw_power_brake_slowdown') AS brake,
         max(value) FILTER (WHERE name = 'pcie.link.gen.current') AS gen, max(value) FILTER (WHERE name = 'pcie.link.gen.max') AS gen_max,
         max(value) FILTER (WHERE name = 'pcie.link.width.current') AS width, max(value) FILTER (WHERE name = 'pcie.link.width.max') AS width_max
  FROM round
  GROUP BY ALL)
-- AMD gives no reasons; its boards begin to slow down at 100 C of the hottest spot
SELECT attempt, file_id, line, part, ts, host, gpu, device,
       row_number() OVER (PARTITION BY file_id, host, gpu, device ORDER BY moment) AS nth,
       sm_mhz, max_mhz, coalesce(temp_c, CASE WHEN hotspot_c >= 100 THEN hotspot_c END) AS temp_c, margin_c, memory_c, power_w, limit_w, busy_percent, tensor, gen, gen_max, width, width_max,
       -- NULL where the file does not show the reasons
       coalesce(bits & 1 > 0, idle > 0) AS is_idle,
       coalesce(bits & 2 > 0, setting > 0) AS is_limited,
       coalesce(bits & 4 > 0, cap > 0) AS is_capped,
       coalesce(bits & 8 > 0, slowdown > 0) AS is_slowed,
       coalesce(bits & 96 > 0, thermal > 0, hotspot_c >= 100) AS is_hot,
       coalesce(bits & 128 > 0, brake > 0) AS is_braked
FROM wide
