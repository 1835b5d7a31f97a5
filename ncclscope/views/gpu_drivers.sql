-- The GPU driver of each host by the line that says it last: of the kernel that loads it, nvidia-smi or DCGM. Drivers are loaded anew after an upgrade.
WITH said AS (
  SELECT host, version, source, ts, file_id, line, part FROM gpu_driver_load
  UNION ALL
  SELECT host, driver, source, ts, file_id, line, part FROM gpu_identity
  UNION ALL
  SELECT host, driver, source, ts, file_id, line, part FROM nvidia_smi_version)
SELECT host, version AS driver, source AS driver_from, file_id, line, part
FROM said
WHERE host IS NOT NULL AND regexp_matches(version, '^\d+\.\d[\d.]*$')
QUALIFY row_number() OVER (PARTITION BY host ORDER BY ts DESC NULLS LAST, file_id, line DESC, part DESC) = 1
