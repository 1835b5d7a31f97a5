-- Xid lines of kernels with what the code means, the GPU by its names, the rank it belongs to, and their place in the life of the job.
-- echo: the line follows from another one on this host (it says so, its code only ever follows, or a graver one came just before).
WITH line AS MATERIALIZED (
  SELECT x.file_id, x.line, x.part, x.host, x.bdf AS given, h.ts, h.attempt, h.place, h.hit, h.sure, h.certainty, h.began, h.failed, h.completed, h.after_s,
         regexp_replace(regexp_replace(regexp_replace(lower(x.bdf), '\.[0-9a-f]$', ''), '^[0-9a-f]{4}([0-9a-f]{4}:)', '\1'), '^(..:..)$', '0000:\1') AS bdf,
         x.xid, c.family, c.class, c.grade, c.meaning, x.process_pid, x.process, x.caused_by, x.link, x.unit, x.fatality, x.containment, x.reset,
         x.action_to, h.rank AS pid_rank
  FROM gpu_xid x
  JOIN host_events h USING (file_id, line, part)
  JOIN xid_classes c ON c.code = x.xid),
placed AS (
  -- grave: the driver named this code as the cause of killed channels and asked for a recovery at once
  SELECT l.*, EXISTS (SELECT 1 FROM gpu_xid a WHERE a.xid = 45 AND a.caused_by = l.xid AND a.bdf = l.given AND a.host IS NOT DISTINCT FROM l.host)
              AND EXISTS (SELECT 1 FROM gpu_xid a WHERE a.xid = 154 AND a.action_to <> 'None' AND a.bdf = l.given AND a.host IS NOT DISTINCT FROM l.host
                          AND coalesce(abs(epoch(a.ts - l.ts)) <= 5, true)) AS grave,
         g.gpu, g.uuid, CASE WHEN l.pid_rank IS NOT NULL THEN [l.pid_rank] ELSE g.ranks END AS ranks,
         list_filter([l.host || ':' || g.gpu, l.bdf], lambda n: n IS NOT NULL) AS gpus,
         CASE WHEN g.gpu IS NOT NULL THEN printf('GPU %d (%s)', g.gpu, l.bdf) ELSE 'GPU ' || l.bdf END
         || CASE WHEN l.host IS NOT NULL THEN ' of ' || l.host ELSE '' END AS gpu_said
  FROM line l
  LEFT JOIN gpu_addresses g ON g.bdf = l.bdf AND (g.host = l.host OR (l.host IS NULL AND g.host IS NULL)))
SELECT p.*,
       p.class = 'followup' OR p.caused_by IS NOT NULL OR (coalesce(p.fatality, '') = 'Nonfatal' AND p.family = 'nvlink' AND NOT p.grave)
       OR EXISTS (
         SELECT 1 FROM line o
         WHERE  o.class = 'hardware' AND o.grade IN ('error', 'fatal') AND (o.fatality IS NULL OR o.fatality = 'Fatal')
         AND    o.host IS NOT DISTINCT FROM p.host AND o.place = p.place
         AND    (p.class <> 'hardware' OR (o.bdf = p.bdf AND o.family IN ('lost', 'pcie') AND p.family NOT IN ('lost', 'pcie')))
         -- clocks tick in seconds; a minute covers what the driver prints while it tears a GPU down
         AND    (p.ts IS NULL OR o.ts IS NULL OR p.ts BETWEEN o.ts - INTERVAL 2 SECOND AND o.ts + INTERVAL 60 SECOND)) AS echo
FROM placed p
