-- What DCGM's diagnostics and health checks complain of, by GPU, and of what: memory, nvlink, pcie. The text is that of the table's cell in one line.
WITH said AS (
  SELECT attempt, file_id, line, part, host, gpu, regexp_replace(text, '\s*\|\s*\n\|\s*\|\s*', ' ', 'g') AS text FROM dcgm_complaint
  UNION ALL
  SELECT attempt, file_id, line, part, host, TRY_CAST(trim(unnest(string_split(gpus, ','))) AS INTEGER), test || ' failed' FROM dcgm_test_failed WHERE gpus IS NOT NULL AND gpus <> 'All')
SELECT *, CASE WHEN host IS NOT NULL THEN host || ':' || gpu ELSE 'GPU ' || gpu END AS name,
       CASE WHEN regexp_matches(text, '(?i)nv(link|switch)') THEN 'nvlink'
            WHEN regexp_matches(text, '(?i)memory|remap|\becc\b|\b[sd]be\b|page retire|retired page|memtest') THEN 'memory'
            WHEN regexp_matches(text, '(?i)pcie') THEN 'pcie' END AS subject
FROM said
WHERE gpu IS NOT NULL
