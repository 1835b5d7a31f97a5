-- Whether the telemetry of an attempt's hosts overlaps in time. If it does not, clocks or zones differ, and times of one host say nothing about another.
WITH span AS (
  SELECT attempt, host, min(began) AS began, max(ended) AS ended FROM gpu_minutes WHERE timed GROUP BY attempt, host)
SELECT attempt, max(began) <= min(ended) AS agree FROM span GROUP BY attempt
