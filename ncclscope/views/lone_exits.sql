-- The one rank that ended with an exit code of its own, of a host and (host NULL) of the whole attempt: an exception that names no
-- rank is that rank's. Ranks ended by signals are waiting ones, or ended by their launcher.
SELECT attempt, host, min(rank) AS rank FROM exits_of_ranks
WHERE exit_code > 0 AND rank IS NOT NULL AND host IS NOT NULL GROUP BY attempt, host HAVING count(DISTINCT rank) = 1
UNION ALL
SELECT attempt, NULL, min(rank) FROM exits_of_ranks
WHERE exit_code > 0 AND rank IS NOT NULL GROUP BY attempt HAVING count(DISTINCT rank) = 1
