-- What DCGM's diagnostics and health checks complain of, by GPU, and of what: nvlink, heat, memory, pcie, xid, power. The text is that of the table's cell in one line.
WITH said AS (
  SELECT attempt, file_id, line, part, host, gpu, system, regexp_replace(text, '\s*\|\s*\n\|[\sa-z]*\|\s*', ' ', 'g') AS text FROM dcgm_complaint
  UNION ALL
  SELECT attempt, file_id, line, part, host, TRY_CAST(trim(unnest(string_split(gpus, ','))) AS INTEGER), NULL, test || ' failed' FROM dcgm_test_failed WHERE gpus IS NOT NULL AND gpus <> 'All')
SELECT *, CASE WHEN host IS NOT NULL THEN host || ':' || gpu ELSE 'GPU ' || gpu END AS name,
       CASE WHEN system IN ('PCIe', 'Memory', 'Power', 'Thermal') THEN CASE system WHEN 'Thermal' THEN 'heat' ELSE lower(system) END
            WHEN system ILIKE 'nv%' OR regexp_matches(text, '(?i)nv(link|switch)') THEN 'nvlink'
            WHEN regexp_matches(text, '(?i)temperature|thermal') THEN 'heat'
            WHEN regexp_matches(text, '(?i)memory|remap|\becc\b|\b[sd]be\b|page retire|retired page|memtest') THEN 'memory'
            WHEN regexp_matches(text, '(?i)pcie') THEN 'pcie'
            WHEN regexp_matches(text, '(?i)\bxids?\b') THEN 'xid'
            WHEN regexp_matches(text, '(?i)power') THEN 'power' END AS subject,
       TRY_CAST(regexp_extract(text, '(?i)\bxid(?: error)?s?:? (\d{1,3})\b', 1) AS INTEGER) AS xid
FROM said
WHERE gpu IS NOT NULL
