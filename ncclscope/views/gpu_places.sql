-- Each GPU that telemetry names, by file: what a finding calls it (`who` in its sentence), its bus id, and the ranks that ran on it. A slice of a GPU is no further GPU.
WITH seen AS (
  SELECT DISTINCT attempt, file_id, host, gpu, device
  FROM metrics
  WHERE mode = 'gauge' AND NOT duplicate AND (gpu IS NOT NULL OR device IS NOT NULL)
    AND (device IS NULL OR regexp_matches(device, '^(GPU-[0-9a-f-]+|[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])$'))),
identity AS (
  SELECT host, gpu, uuid, bdf FROM gpu_identity GROUP BY ALL),
known AS (
  SELECT s.attempt, s.file_id, s.host, s.gpu, s.device, coalesce(s.gpu, min(i.gpu)) AS index,
         coalesce(CASE WHEN s.device LIKE '%:%' THEN s.device END, min(i.bdf)) AS bus,
         coalesce(CASE WHEN s.device LIKE 'GPU-%' THEN s.device END, min(i.uuid)) AS uuid
  FROM seen s
  LEFT JOIN identity i ON i.host IS NOT DISTINCT FROM s.host AND (i.uuid = s.device OR i.bdf = s.device OR (i.gpu = s.gpu AND s.device IS NULL))
  GROUP BY s.attempt, s.file_id, s.host, s.gpu, s.device),
ranked AS (
  SELECT k.attempt, k.file_id, k.host, k.gpu, k.device, k.index, k.bus, k.uuid,
         CASE WHEN k.host IS NOT NULL AND k.index IS NOT NULL THEN k.host || ':' || k.index
              ELSE coalesce(k.bus, k.uuid, 'GPU ' || k.index) END AS name,
         coalesce(list(DISTINCT r.rank ORDER BY r.rank) FILTER (WHERE r.rank IS NOT NULL), []) AS ranks
  FROM known k
  -- The index follows CUDA_VISIBLE_DEVICES, the bus id does not.
  LEFT JOIN ranks r ON r.attempt IS NOT DISTINCT FROM k.attempt AND r.host = k.host
                   AND CASE WHEN r.pci_bus IS NOT NULL AND k.bus IS NOT NULL THEN r.pci_bus = k.bus ELSE coalesce(r.gpu, r.local_rank) = k.index END
  GROUP BY k.attempt, k.file_id, k.host, k.gpu, k.device, k.index, k.bus, k.uuid)
SELECT *, regexp_replace(name, '^GPU ', '') || CASE len(ranks) WHEN 0 THEN '' WHEN 1 THEN printf(' (rank %d)', ranks[1])
                                                ELSE printf(' (ranks %s)', array_to_string(ranks, ', ')) END AS who
FROM ranked
