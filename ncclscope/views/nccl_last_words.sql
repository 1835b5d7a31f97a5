-- Complaints of NCCL that no other event knows by their text and with which a call of the same process then failed (its trail follows within a few lines),
-- by the part of NCCL that made them: topology, set-up, or network. Without NCCL's own lines the exception repeats the text after `Last error:`.
WITH warned AS (
  SELECT o.attempt, o.rank, o.host, o.pid, o.ts, o.message AS text, regexp_extract(o."at", '([\w/.]+):\d+$', 1) AS source, o.file_id, o.line, o.part
  FROM   nccl_other o
  WHERE  o.severity >= 2
  AND    EXISTS (SELECT 1 FROM nccl_trail t WHERE t.file_id = o.file_id AND t.line > o.line AND t.line <= o.line + 12
                 AND t.host IS NOT DISTINCT FROM o.host AND t.pid IS NOT DISTINCT FROM o.pid AND t.code IN (1, 3, 4, 5))),
repeated AS (    -- only where no line of NCCL's own is in the input
  SELECT l.attempt, l.rank, l.host, l.pid, l.ts, trim(l.last_error) AS text, '' AS source, l.file_id, l.line, l.part
  FROM   torch_nccl_last_error l
  WHERE  length(trim(l.last_error)) > 0 AND l.class IN ('ncclInternalError', 'ncclInvalidArgument', 'ncclInvalidUsage')
  AND    NOT EXISTS (SELECT 1 FROM nccl_trail t WHERE t.attempt IS NOT DISTINCT FROM l.attempt)
  AND    regexp_matches(l.last_error, '^(Attribute \w+ of node|XML|Could not find (real path|NUMA|local GPU|a path)|Error : ring|No NVML device|Unsupported|Invalid (value|config)|ncclCommInit|Trying to)'))
SELECT *, CASE WHEN regexp_matches(source, '(^|/)(xml|topo|paths|search|connect|rings|trees|tuning)\.(cc|h)$') OR regexp_matches(text, '^(Attribute \w+ of node|XML|Could not find|Error : ring)') THEN 'topology'
               WHEN regexp_matches(source, 'net|socket|bootstrap|ibv|mlx5|gdrwrap|plugin') THEN 'network'
               ELSE 'set-up' END AS area
FROM  (SELECT * FROM warned UNION ALL SELECT * FROM repeated)
