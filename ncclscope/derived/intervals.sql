-- What a rank did from when to when, from its own lines: alive from the first to the last, over it what says more.
-- `ended` is a moment. Where states overlap, the reader of the table shows the most telling.
WITH own AS (
  SELECT attempt, rank, host, ts, kind FROM events
  WHERE rank IS NOT NULL AND ts IS NOT NULL AND kind <> 'elastic.child_failed' AND NOT duplicate
  UNION ALL SELECT attempt, rank, host, ts, 'step' FROM steps WHERE rank IS NOT NULL AND ts IS NOT NULL AND NOT duplicate
  UNION ALL SELECT attempt, rank, host, ts, 'collective' FROM collectives WHERE rank IS NOT NULL AND ts IS NOT NULL AND NOT duplicate),
spoke AS (
  SELECT attempt, rank, min(host) AS host, min(ts) AS began, max(ts) AS ended,
         min(ts) FILTER (WHERE kind SIMILAR TO '(nccl\.(comm|bootstrap|net|graph|topo|init|version|plugin)|torch\.pg_init|elastic\.rendezvous|launcher).*') AS set_up
  FROM own GROUP BY attempt, rank),
progress AS (      -- a step or an operation that completed; `since` is when it was begun, where that is known
  SELECT attempt, rank, host, ts AS moment, coalesce(ts - to_milliseconds(CAST(step_ms AS BIGINT)), ts) AS since, iteration AS step,
         NULL AS seq, 'step lines' AS why
  FROM steps WHERE rank IS NOT NULL AND ts IS NOT NULL AND NOT duplicate
  UNION ALL
  SELECT attempt, rank, host, coalesce(completed, started, ts), coalesce(started, created, completed, ts), NULL, seq, 'completed operations'
  FROM collectives WHERE rank IS NOT NULL AND coalesce(completed, started, ts) IS NOT NULL AND state = 'completed' AND NOT duplicate),
spaced AS (
  SELECT *, epoch_us(since) - epoch_us(lag(moment) OVER own_rank) AS gap_us FROM progress
  WINDOW own_rank AS (PARTITION BY attempt, rank, why ORDER BY moment)),
usual AS (         -- ten times the usual distance, a minute at least, is a break and no longer work
  SELECT attempt, rank, why, greatest(10 * coalesce(median(gap_us), 0), 60000000) AS break_us FROM spaced GROUP BY ALL),
stretch AS (
  SELECT s.*, count(*) FILTER (WHERE gap_us > break_us) OVER (PARTITION BY attempt, rank, why ORDER BY moment, since
                                                           ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS number
  FROM spaced s JOIN usual u USING (attempt, rank, why)),
work AS (
  SELECT attempt, rank, min(host) AS host, min(since) AS began, max(moment) AS ended, max(step) AS step, max(seq) AS seq, why
  FROM stretch GROUP BY attempt, rank, why, number),
first_work AS (SELECT attempt, rank, min(began) AS began FROM work GROUP BY ALL),
ready AS (         -- set-up ends when the last communicator is complete, or with the first work
  SELECT attempt, rank, max(ts) FILTER (WHERE kind = 'nccl.comm.init') AS moment FROM own GROUP BY ALL),
wait AS (
  SELECT attempt, rank, min(host) AS host, min(began) AS began, max(ts) AS ended, min(seq) AS seq,
         'an operation ran into its timeout' AS why
  FROM waits WHERE rank IS NOT NULL AND began IS NOT NULL GROUP BY ALL
  UNION ALL        -- begun and not done when the state was written down
  SELECT attempt, rank, min(host), min(coalesce(started, created)), max(coalesce(ts, started, created)), min(seq), 'begun and not completed'
  FROM collectives
  WHERE rank IS NOT NULL AND state IN ('started', 'timed_out') AND coalesce(started, created) IS NOT NULL GROUP BY attempt, rank),
finish AS (
  SELECT attempt, rank, min(host) AS host, min(ts) AS moment,
         min(CASE WHEN signal IS NOT NULL THEN 'signal ' || signal ELSE 'exit code ' || exit_code END) AS why
  FROM exits_of_ranks WHERE rank IS NOT NULL AND ts IS NOT NULL GROUP BY attempt, rank),
close AS (SELECT attempt, max(ts) AS moment FROM own GROUP BY attempt)
SELECT attempt, rank, host, 'alive' AS state, began, ended, NULL AS step, NULL AS seq, 'own lines' AS why FROM spoke
UNION ALL
SELECT s.attempt, s.rank, s.host, 'starting', s.set_up, greatest(s.set_up, coalesce(f.began, r.moment, s.set_up)), NULL, NULL, 'set-up lines'
FROM spoke s LEFT JOIN first_work f USING (attempt, rank) LEFT JOIN ready r USING (attempt, rank)
WHERE s.set_up IS NOT NULL AND (f.began IS NULL OR f.began >= s.set_up)
UNION ALL SELECT attempt, rank, host, 'working', began, ended, step, seq, why FROM work
UNION ALL SELECT attempt, rank, host, 'waiting', began, ended, NULL, seq, why FROM wait
UNION ALL SELECT attempt, rank, host, 'ended', moment, moment, NULL, NULL, why FROM finish
UNION ALL
SELECT s.attempt, s.rank, s.host, 'silent', s.ended, c.moment, NULL, NULL, 'its log says no more'
FROM spoke s JOIN close c ON c.attempt IS NOT DISTINCT FROM s.attempt
WHERE c.moment > s.ended AND NOT EXISTS (SELECT 1 FROM finish f WHERE f.attempt IS NOT DISTINCT FROM s.attempt AND f.rank = s.rank)
ORDER BY ALL
