-- When each attempt of the job ran, from the lines of its ranks; whole files of other hosts reach further.
SELECT attempt, min(ts) AS began, max(ts) AS ended
FROM events
WHERE NOT duplicate
GROUP BY attempt
