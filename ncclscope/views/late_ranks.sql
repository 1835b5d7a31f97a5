-- Ranks that did not wait while nearly all others did, or that even SIGTERM could not stop: the late ones, if somebody is.
WITH waiting AS (
  SELECT attempt, count(DISTINCT rank) AS n FROM waits WHERE rank IS NOT NULL GROUP BY attempt),
world AS (
  SELECT attempt, coalesce(max(world_size), count(*)) AS n FROM ranks GROUP BY attempt)
SELECT r.attempt, r.rank, r.host
FROM ranks r
JOIN waiting w ON w.attempt = r.attempt
JOIN world d ON d.attempt = r.attempt
WHERE r.rank NOT IN (SELECT rank FROM waits WHERE rank IS NOT NULL AND attempt = r.attempt)
-- of the others seven in eight must have said that they waited: launchers stop some before they can
AND   (8 * w.n >= 7 * (d.n - 1) AND w.n < d.n OR r.signal = 9)
-- a rank that said nothing at all may have waited too, unless it is the only one
AND   (r.given OR w.n = d.n - 1 OR r.signal = 9)
