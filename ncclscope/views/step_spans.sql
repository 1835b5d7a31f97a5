-- Durations in step lines whose program names its parts in words of its own, in milliseconds: loading, computing and exchanging. A number without a unit
-- counts as seconds where its name ends in `time`, as most loops write it, else as milliseconds.
WITH span AS (
  SELECT attempt, rank, iteration, ts, file_id, line, part, lower(spans) AS spans FROM train_step_parts WHERE spans IS NOT NULL),
found AS (
  SELECT *,
         regexp_extract(spans, '\b(?:data|data_?load(?:er|ing)?|load|input|batch|fetch|h2d)(?:[-_](?:wait|load))?([-_](?:time|dur|ms|s))?[ =:]+([0-9]+(?:\.[0-9]+)?) ?(ms|s|sec)?\b', ['suffix', 'value', 'unit']) AS data,
         regexp_extract(spans, '\b(?:(?:fwd|forward)[-_+/]?(?:bwd|backward)|compute|train)([-_](?:time|dur|ms|s))?[ =:]+([0-9]+(?:\.[0-9]+)?) ?(ms|s|sec)?\b', ['suffix', 'value', 'unit']) AS whole,
         regexp_extract(spans, '\b(?:fwd|forward)([-_](?:time|dur|ms|s))?[ =:]+([0-9]+(?:\.[0-9]+)?) ?(ms|s|sec)?\b', ['suffix', 'value', 'unit']) AS fwd,
         regexp_extract(spans, '\b(?:bwd|backward)([-_](?:time|dur|ms|s))?[ =:]+([0-9]+(?:\.[0-9]+)?) ?(ms|s|sec)?\b', ['suffix', 'value', 'unit']) AS bwd,
         regexp_extract(spans, '\b(?:all[-_]?reduce|(?:grad(?:ient)?[-_])?sync|comm|communication)([-_](?:time|dur|ms|s))?[ =:]+([0-9]+(?:\.[0-9]+)?) ?(ms|s|sec)?\b', ['suffix', 'value', 'unit']) AS sync
  FROM   span),
scaled AS (
  SELECT attempt, rank, iteration, ts, file_id, line, part,
         list_transform([data, whole, fwd, bwd, sync], lambda x: TRY_CAST(nullif(x.value, '') AS DOUBLE)
                        * CASE WHEN x.unit IN ('s', 'sec') OR x.unit = '' AND x.suffix IN ('_time', '-time', '_s', '-s', '_dur') THEN 1000 ELSE 1 END) AS ms
  FROM   found)
SELECT attempt, rank, iteration, ts, file_id, line, part, ms[1] AS data_ms, coalesce(ms[2], ms[3] + ms[4], ms[3], ms[4]) AS compute_ms, ms[5] AS sync_ms
FROM   scaled
WHERE  coalesce(ms[2], ms[3], ms[4], ms[5]) IS NOT NULL
