-- Lines of kernels and host services, each placed in the life of the job: a host's log spans days, a job a window.
-- place: alone (no job in the case), rank (the process named is a rank's), during (in the window and near its end), shifted
-- (beside the failure after whole hours: another zone), undated, early (long before the failure), late (after it), outside, elsewhere.
-- hit: it may have to do with how the job ended. sure: nothing was assumed about clocks. certainty: the same as a confidence.
WITH said AS MATERIALIZED (       -- dmesg without times beside a dated log of the same host repeats it
  SELECT file_id, line, part, kind, host, ts, ts_from, TRY_CAST(fields['process_pid'] AS BIGINT) AS process_pid
  FROM events
  WHERE NOT duplicate AND regexp_matches(kind, '^(gpu|kernel|host|pcie|storage|nic|service|clock)\.') AND kind NOT IN ('gpu.identity', 'nic.identity', 'gpu.process', 'gpu.index_inferred')
  QUALIFY ts IS NOT NULL OR NOT bool_or(ts IS NOT NULL) OVER (PARTITION BY host, kind)),
job AS MATERIALIZED (
  SELECT * FROM job_times),
span AS (       -- a host that speaks little ran as long as the others
  SELECT attempt, max(greatest(ended, broke) - least(began, broke)) AS longest, count(began) > 0 AS timed,
         -- an error is printed when the patience of a timeout is over: 35 minutes cover the default of 30
         greatest(to_seconds(2100), to_milliseconds(coalesce(max(patience_ms), 0)) + to_seconds(300)) AS most
  FROM job
  GROUP BY attempt),
life AS MATERIALIZED (
  SELECT w.attempt, w.host, w.broke, w.broke AS last_broke, w.host IS NULL AS nameless, s.timed, coalesce(e.failed, false) AS failed, coalesce(e.completed, false) AS completed, s.most,
         least(w.began, w.broke, greatest(w.ended, w.broke) - s.longest) - to_seconds(120) AS opens,
         greatest(w.ended, w.broke, least(w.began, w.broke) + s.longest) AS ends
  FROM job w
  JOIN span s ON s.attempt = w.attempt
  LEFT JOIN job_ends e ON e.attempt = w.attempt),
lives AS (      -- a host that is none of the job's, as far as one can tell, may bear on any: it has the life of the whole job
  SELECT *, false AS whole
  FROM life
  UNION ALL
  SELECT attempt, NULL AS host, min(broke) AS broke, max(broke) AS last_broke, bool_or(nameless) AS nameless, any_value(timed) AS timed,
         any_value(failed) AS failed, any_value(completed) AS completed, any_value(most) AS most, min(opens) AS opens, max(ends) AS ends, true AS whole
  FROM life
  GROUP BY attempt),
known AS (      -- are all hosts of the job known, and do kernel logs call them the same?
  SELECT (SELECT count(*) = count(host) AND count(DISTINCT rank) >= greatest(coalesce(max(world_size), 0), coalesce(max(rank), 0) + 1) AND count(*) > 0 FROM ranks)
         AND EXISTS (SELECT 1 FROM said JOIN ranks r ON r.host = said.host) AS hosts),
member AS (
  SELECT DISTINCT host FROM ranks WHERE host IS NOT NULL),
speaker AS (
  SELECT DISTINCT host FROM job WHERE host IS NOT NULL),
paired AS (
  SELECT s.*, l.attempt, l.failed, l.completed, l.broke, l.ends, r.rank, l.host IS NOT DISTINCT FROM s.host AND s.host IS NOT NULL AS same_host,
         s.ts - l.broke AS after,
         CASE WHEN l.attempt IS NULL THEN 'alone'
              WHEN r.rank IS NOT NULL AND (s.ts IS NULL OR l.opens IS NULL OR s.ts BETWEEN l.opens - to_hours(15) AND l.ends + to_hours(15)) THEN 'rank'
              WHEN k.hosts AND s.host IS NOT NULL AND m.host IS NULL THEN 'elsewhere'
              WHEN s.ts IS NULL OR NOT l.timed THEN 'undated'
              WHEN s.ts BETWEEN l.opens AND l.ends + to_seconds(300)
              THEN CASE WHEN s.ts > l.last_broke + to_seconds(300) THEN 'late'
                        WHEN s.ts < l.broke - l.most OR (l.broke IS NULL AND NOT l.failed AND s.ts < l.ends - to_seconds(600)) THEN 'early'
                        ELSE 'during' END
              -- three minutes of sixty: an unrelated line fits by chance one time in twenty
              WHEN l.broke IS NOT NULL AND abs(epoch(s.ts - l.broke)) BETWEEN 1800 AND 14.1 * 3600
                   AND (epoch(s.ts - l.broke) + 150 + 15 * 3600) % 3600 < 180 THEN 'shifted'
              ELSE 'outside' END AS place
  FROM said s
  CROSS JOIN known k
  LEFT JOIN member m ON m.host = s.host
  LEFT JOIN speaker p ON p.host = s.host
  LEFT JOIN lives l ON l.whole = (p.host IS NULL) AND (l.whole OR l.host IS NULL OR l.host = s.host)
  LEFT JOIN ranks r ON r.attempt = l.attempt AND r.pid = s.process_pid AND (r.host = s.host OR s.host IS NULL OR (r.host IS NULL AND l.nameless)))
SELECT file_id, line, part, kind, host, ts, process_pid, coalesce(attempt, 0) AS attempt, rank, place, coalesce(failed, false) AS failed,
       coalesce(completed, false) AS completed,
       CASE WHEN ts_from <> 'line' THEN NULL WHEN place IN ('alone', 'during') THEN ts WHEN place = 'rank' AND abs(epoch(ts - broke)) < 3600 THEN ts END AS began,
       CASE WHEN place IN ('rank', 'during', 'late', 'early') THEN epoch(after) END AS after_s,
       NOT coalesce(completed, false) AND place IN ('alone', 'rank', 'during', 'shifted', 'undated') AS hit,
       place IN ('alone', 'rank', 'during') AS sure,
       -- without any time a log of days may speak of another day, unless all there is comes from one file
       CASE WHEN place IN ('alone', 'rank', 'during') THEN 'certain' WHEN place = 'undated' AND (SELECT count(*) FROM files) > 1 THEN 'possible' ELSE 'likely' END AS certainty
FROM paired
QUALIFY row_number() OVER (PARTITION BY file_id, line, part
                           ORDER BY list_position(['alone', 'rank', 'during', 'shifted', 'late', 'early', 'undated', 'outside', 'elsewhere'], place),
                                    same_host DESC, attempt DESC, host, rank) = 1
