-- GPUs by host and bus address (no function, four digits of domain, as Xid lines print it): index, UUID, serial number, ranks.
WITH said AS (
  SELECT host, gpu, pci_bus AS bdf, gpu_uuid AS uuid, NULL AS serial, rank FROM ranks WHERE pci_bus IS NOT NULL
  UNION ALL
  SELECT host, gpu, fields['bdf'], fields['uuid'], fields['serial'], NULL
  FROM events
  WHERE NOT duplicate AND kind IN ('gpu.identity', 'gpu.serial') AND fields['bdf'] IS NOT NULL),
plain AS (
  SELECT * EXCLUDE (bdf), regexp_replace(regexp_replace(lower(bdf), '\.[0-9a-f]$', ''), '^[0-9a-f]{4}([0-9a-f]{4}:)', '\1') AS bdf
  FROM said)
SELECT host, bdf, min(gpu) AS gpu, min(uuid) AS uuid, min(serial) AS serial,
       list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks
FROM plain
GROUP BY host, bdf
HAVING count(DISTINCT gpu) <= 1 AND count(DISTINCT uuid) <= 1
