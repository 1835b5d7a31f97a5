-- Lines that inference servers label with a worker's rank. With several engines side by side (data parallel) every engine counts from 0.
SELECT e.file_id, e.line, min(TRY_CAST(e.fields['worker_rank'] AS INTEGER)) AS rank
FROM   events e
WHERE  e.fields['worker_rank'] IS NOT NULL
AND    NOT EXISTS (SELECT 1 FROM events d WHERE d.attempt IS NOT DISTINCT FROM e.attempt AND regexp_matches(d.fields['worker'], '_DP[1-9]'))
GROUP  BY ALL
