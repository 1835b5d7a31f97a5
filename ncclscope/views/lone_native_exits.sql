-- The one rank that a fault of its own native code ended (SIGILL, SIGBUS, SIGFPE, SIGSEGV), of a host and (host NULL) of the whole attempt.
SELECT attempt, host, min(rank) AS rank FROM exits_of_ranks
WHERE signal IN (4, 7, 8, 11) AND rank IS NOT NULL AND host IS NOT NULL GROUP BY attempt, host HAVING count(DISTINCT rank) = 1
UNION ALL
SELECT attempt, NULL, min(rank) FROM exits_of_ranks
WHERE signal IN (4, 7, 8, 11) AND rank IS NOT NULL GROUP BY attempt HAVING count(DISTINCT rank) = 1
