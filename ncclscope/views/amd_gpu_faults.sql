-- What the kernel says of an AMD GPU in the time of the job, one row for each GPU and fault: hang (and what was tried), memory (and which block).
WITH line AS (
  SELECT file_id, line, part, host, bdf, 'hang' AS fault, 'a queue did not finish' AS what FROM gpu_amd_ring_timeout
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'hang', 'its scheduler firmware did not answer' FROM gpu_amd_mes_failed
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'hang', 'it was reset' FROM gpu_amd_reset_begin
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'hang', 'its reset failed' FROM gpu_amd_reset_end WHERE outcome LIKE '%fail%'
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'memory', coalesce(block, 'memory') FROM gpu_amd_ras WHERE class = 'uncorrectable' AND coalesce(count, 1) > 0
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'memory', 'memory' FROM gpu_amd_memory_failure),
placed AS (
  SELECT l.* REPLACE (regexp_replace(lower(l.bdf), '\.[0-9a-f]$', '') AS bdf), h.attempt, h.began
  FROM line l
  JOIN host_events h USING (file_id, line, part)
  WHERE h.hit)
SELECT p.attempt, p.fault, list(DISTINCT p.host ORDER BY p.host) FILTER (WHERE p.host IS NOT NULL) AS hosts,
       list_distinct(flatten(list(g.ranks ORDER BY p.file_id, p.line) FILTER (WHERE g.ranks IS NOT NULL))) AS ranks,
       list_filter([min(p.host || ':' || g.gpu), p.bdf], lambda n: n IS NOT NULL) AS gpus, min(p.began) AS began,
       coalesce(min(p.host) || ': ', '') || coalesce('GPU ' || p.bdf, 'a GPU') AS who, coalesce(strftime(min(p.began), ' at %H:%M:%S'), '') AS moment,
       string_agg(DISTINCT p.what, ', ' ORDER BY p.what) AS what, list({'file_id': p.file_id, 'line': p.line, 'part': p.part} ORDER BY p.file_id, p.line, p.part) AS evidence
FROM placed p
LEFT JOIN gpu_addresses g ON g.bdf = p.bdf AND g.host IS NOT DISTINCT FROM p.host
GROUP BY p.attempt, p.fault, p.host, p.bdf
