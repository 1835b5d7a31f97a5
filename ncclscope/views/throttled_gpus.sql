-- The busy GPUs of a host that a status shows slowed down, by reason, as a finding tells them. GPUs of unknown hosts are told one by one.
WITH gpu AS (
  SELECT attempt, reason, host, name, who, ranks, min(ts) AS began, min(sm_mhz) AS sm_mhz, max(temp_c) AS temp_c,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM throttle_reports
  GROUP BY ALL
  HAVING bool_or(NOT is_idle))
SELECT attempt, reason, host, coalesce(list(DISTINCT name ORDER BY name) FILTER (WHERE name IS NOT NULL), []) AS gpus, flatten(list(ranks ORDER BY name)) AS ranks,
       min(began) AS began, flatten(list(evidence ORDER BY name)) AS evidence, max(temp_c) AS temp_c, min(sm_mhz) AS sm_mhz,
       CASE WHEN count(name) = 0 THEN 'A GPU'
            ELSE 'GPU ' || array_to_string(list(DISTINCT who ORDER BY who)[:3], ', ') || CASE WHEN count(*) > 3 THEN printf(' and %d more', count(*) - 3) ELSE '' END END AS said
FROM gpu
GROUP BY attempt, reason, host, CASE WHEN host IS NULL THEN name END
