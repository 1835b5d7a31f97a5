-- The one rank of an attempt that ended by SIGABRT: libraries abort the process that met their fault. Waiting ranks abort in company.
SELECT attempt, min(rank) AS rank FROM exits_of_ranks
WHERE  signal = 6 AND rank IS NOT NULL GROUP BY attempt HAVING count(DISTINCT rank) = 1
