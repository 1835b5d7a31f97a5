-- Attempts in which a process failed by itself, and since when: what the others then say about their network is the aftermath.
-- Without a time a fault counts as earlier than everything.
SELECT attempt, min(coalesce(ts, TIMESTAMP '1970-01-01')) AS since
FROM (SELECT attempt, ts FROM own_faults WHERE NOT after_peer_fault
      UNION ALL
      SELECT attempt, ts FROM exits_of_ranks WHERE signal IN (4, 7, 8, 11))
GROUP BY attempt
