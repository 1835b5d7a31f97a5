-- What would help and is not here, as sentences, what helps most first.
WITH world AS (
  SELECT attempt, max(world_size) AS size FROM ranks GROUP BY attempt),
absent AS (
  SELECT w.attempt, list(n.rank ORDER BY n.rank) AS ranks
  FROM   world w, LATERAL (SELECT unnest(range(w.size)) AS rank) n
  WHERE  NOT EXISTS (SELECT 1 FROM ranks r WHERE r.attempt IS NOT DISTINCT FROM w.attempt AND r.rank = n.rank AND r.given)
  GROUP  BY w.attempt),
ends AS (
  SELECT attempt, ended FROM attempts),
known_hosts AS (
  SELECT attempt, host FROM hosts WHERE host IS NOT NULL),
unlogged AS (
  SELECT h.attempt, list(h.host ORDER BY h.host) AS hosts
  FROM   known_hosts h
  WHERE  NOT EXISTS (SELECT 1 FROM kernel_logs k WHERE k.host = h.host)
  AND    NOT EXISTS (SELECT 1 FROM kernel_logs k WHERE k.host IS NULL)
  GROUP  BY h.attempt),
cut AS (
  SELECT h.attempt, h.host, max(k.ended) AS ended
  FROM   known_hosts h
  JOIN   kernel_logs k USING (host)
  JOIN   ends e ON e.attempt IS NOT DISTINCT FROM h.attempt
  GROUP  BY h.attempt, h.host, e.ended
  HAVING max(k.ended) < e.ended - INTERVAL 10 MINUTE)
SELECT attempt, 1 AS place,
       CASE WHEN len(ranks) = 1 THEN printf('Fetch the log of rank %d: it is not in the input.', ranks[1])
            ELSE printf('Fetch the logs of the %d ranks that are not in the input: %s%s.', len(ranks), array_to_string(ranks[1:4], ', '),
                        CASE WHEN len(ranks) > 4 THEN printf(' and %d more', len(ranks) - 4) ELSE '' END) END AS what
FROM   absent
UNION ALL
SELECT attempt, 2, printf('Fetch the kernel log (`dmesg -T`, `journalctl -k`) of %s%s: it is not in the input.', array_to_string(hosts[1:3], ', '),
                          CASE WHEN len(hosts) > 3 THEN printf(' and %d more hosts', len(hosts) - 3) ELSE '' END)
FROM   unlogged
UNION ALL
SELECT attempt, 3, printf('Fetch the rest of the kernel log of %s: it ends at %s, before the job did.', host, strftime(ended, '%H:%M:%S'))
FROM  (SELECT * FROM cut QUALIFY row_number() OVER (PARTITION BY attempt ORDER BY host) <= 3)
