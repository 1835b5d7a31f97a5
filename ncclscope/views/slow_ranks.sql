-- Ranks that hold the others back, by the parts of steps they log: their own work takes longer than the median of the others by more than 5 % of the
-- step in at least five steps and in most since the first, while they wait less than half as long as the others do (where waiting is logged).
-- `why` is data or compute, whichever makes most of the difference. A spread below 2 % is noise; changing ranks are not here.
-- `chance`: how likely any rank would be late so often if each step picked as many late ones at random; above one in twenty, nobody is said to be slow.
WITH late AS (
  SELECT *, excess > 0.05 AND (sync_ms IS NULL OR others_sync_ms IS NULL OR sync_ms < 0.5 * others_sync_ms) AS is_late
  FROM rank_parts
  WHERE others >= 1),
beside AS (
  SELECT l.*,
         -- what slows a whole host strikes once
         CASE WHEN count(*) OVER here < count(*) OVER everywhere
              THEN 1 + count(*) FILTER (WHERE is_late) OVER everywhere - count(*) FILTER (WHERE is_late) OVER here
              ELSE count(*) FILTER (WHERE is_late) OVER everywhere END / (others + 1) AS share
  FROM late l
  LEFT JOIN ranks r ON r.attempt IS NOT DISTINCT FROM l.attempt AND r.rank = l.rank
  WINDOW everywhere AS (PARTITION BY l.attempt, l.iteration), here AS (PARTITION BY l.attempt, l.iteration, r.host)),
since AS (
  SELECT attempt, rank, min(iteration) AS from_iteration FROM late WHERE is_late GROUP BY ALL)
SELECT l.attempt, l.rank, s.from_iteration, count(*) FILTER (WHERE is_late) AS late_steps, min(ts) FILTER (WHERE is_late) AS began,
       max(ts) FILTER (WHERE is_late) AS ended, max(others) AS others,
       median(excess) FILTER (WHERE is_late) AS excess, median(excess_ms) FILTER (WHERE is_late) AS excess_ms,
       median(own_ms) FILTER (WHERE is_late) AS own_ms, median(others_own_ms) FILTER (WHERE is_late) AS others_own_ms,
       median(data_ms) FILTER (WHERE is_late) AS data_ms, median(others_data_ms) FILTER (WHERE is_late) AS others_data_ms,
       median(sync_ms) FILTER (WHERE is_late) AS sync_ms, median(others_sync_ms) FILTER (WHERE is_late) AS others_sync_ms,
       CASE WHEN sum(data_excess_ms) FILTER (WHERE is_late) >= 0.5 * sum(excess_ms) FILTER (WHERE is_late) THEN 'data' ELSE 'compute' END AS why,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY iteration) FILTER (WHERE is_late) AS evidence,
       avg(CAST(is_late AS INTEGER)) AS often, avg(share) AS expected,
       by_chance(max(others) + 1, count(*), often, expected) AS chance
FROM beside l
JOIN since s ON s.attempt IS NOT DISTINCT FROM l.attempt AND s.rank = l.rank AND l.iteration >= s.from_iteration
GROUP BY l.attempt, l.rank, s.from_iteration
HAVING count(*) FILTER (WHERE is_late) >= 5 AND count(*) FILTER (WHERE is_late) >= 0.6 * count(*) AND chance < 0.05
