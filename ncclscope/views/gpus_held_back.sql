-- GPUs that were held back, by their counters, for a tenth of the time and more: a job that is held back less can hardly be told from its noise. A GPU
-- whose status was polled is judged by that, and is not here.
WITH gpu AS (
  SELECT t.attempt, t.host, coalesce(t.host || ':' || t.gpu, t.device, 'GPU ' || t.gpu) AS name, t.reason, sum(t.share) AS share, min(t.began) AS began,
         max(t.ended) AS ended, flatten(list([t.first_line, t.last_line] ORDER BY t.name)) AS evidence
  FROM   throttle_times t
  GROUP  BY ALL)
SELECT g.*, printf('%d %%', CAST(round(100 * least(g.share, 1)) AS INTEGER)) AS percent
FROM   gpu g
WHERE  g.share >= 0.1
AND    NOT EXISTS (SELECT 1 FROM gpu_minutes m WHERE m.attempt IS NOT DISTINCT FROM g.attempt AND m.name = g.name
                   AND CASE g.reason WHEN 'heat' THEN m.hot ELSE m.braked END IS NOT NULL)
