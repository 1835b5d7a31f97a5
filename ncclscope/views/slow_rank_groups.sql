-- The slow ranks of a host for one reason, as a finding tells them: who, since which step, and what the others wait.
SELECT s.attempt, s.why, r.host, list(s.rank ORDER BY s.rank) AS ranks, min(s.began) AS began, max(s.ended) AS ended, flatten(list(s.evidence ORDER BY s.rank)) AS evidence,
       CASE WHEN count(*) = 1 THEN printf('Rank %d', min(s.rank))
            ELSE printf('Ranks %s%s', array_to_string(list(s.rank ORDER BY s.rank)[:3], ', '), CASE WHEN count(*) > 3 THEN printf(' and %d more', count(*) - 3) ELSE '' END) END
       || coalesce(' on ' || r.host, '') || printf(' holds everybody up in %d logged steps since step %d', max(s.late_steps), min(s.from_iteration)) AS said,
       median(s.data_ms) AS data_ms, median(s.others_data_ms) AS others_data_ms, median(s.own_ms) AS own_ms, median(s.others_own_ms) AS others_own_ms,
       CASE WHEN median(s.others_sync_ms) > median(s.sync_ms) THEN printf(', and they wait %.0f ms for it', median(s.others_sync_ms)) ELSE '' END AS waits
FROM slow_ranks s
LEFT JOIN ranks r ON r.attempt IS NOT DISTINCT FROM s.attempt AND r.rank = s.rank
GROUP BY s.attempt, s.why, r.host
