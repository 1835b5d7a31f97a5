-- When each attempt of the job ran, from the lines of its ranks; whole files of other hosts reach further.
SELECT attempt, min(began) AS began, max(ended) AS ended
FROM  (SELECT attempt, min(ts) AS began, max(ts) AS ended FROM events WHERE NOT duplicate GROUP BY attempt
       UNION ALL SELECT attempt, min(ts), max(ts) FROM steps GROUP BY attempt
       UNION ALL SELECT attempt, min(ts), max(ts) FROM collectives GROUP BY attempt)
GROUP  BY attempt
