/*
title    = "Error counters of a port are full"
kind     = "net.link_flap.counted"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["nic_counters"]
explanation = '''
One snapshot of counters says nothing of the time, but this port lost its link ten times and more, and counters of damage on the wire stand at their end. That is no start of a switch: the link is bad, or was for long.
'''
advice = '''
`perfquery -R` (or ibqueryerrors --clear-errors) and read the counters again under load; if they grow, exchange the cable of the port named.
'''
false_positives = "Counters that were never cleared since the cable was exchanged."
references = ["infiniband-diags: ibqueryerrors, perfquery"]
[[test]]
fires = 1
expect = { hosts = ["n7"], devices = ["n7/mlx5_4"] }
logs."ibqueryerrors.txt" = '''
Errors for "n7 mlx5_4"
   GUID 0x946dae0300a1b2c4 port 1: [SymbolErrorCounter == 65535] [LinkErrorRecoveryCounter == 255] [LinkDownedCounter == 37] [PortRcvErrors == 65535]
'''
[[test]]
fires = 1
logs."perfquery.txt" = '''
# Port counters: Lid 44 port 1 (CapMask: 0x5A00)
SymbolErrorCounter:..............65535
LinkErrorRecoveryCounter:........12
LinkDownedCounter:...............14
PortRcvErrors:...................320
'''
[[test]]
fires = 0                        # the life of a port
logs."perfquery.txt" = '''
# Port counters: Lid 44 port 1 (CapMask: 0x5A00)
SymbolErrorCounter:..............12
LinkErrorRecoveryCounter:........0
LinkDownedCounter:...............3
PortRcvErrors:...................0
'''
[[test]]
fires = 0                        # often down, and no damage: hosts that were rebooted
logs."perfquery.txt" = '''
# Port counters: Lid 44 port 1 (CapMask: 0x5A00)
SymbolErrorCounter:..............0
LinkErrorRecoveryCounter:........0
LinkDownedCounter:...............41
PortRcvErrors:...................0
'''
*/
-- The test: ten losses of the link, and a classic counter at its end (16 bits, of recoveries 8) .
WITH port AS (
  SELECT s.attempt, s.file_id, s.host, s.device, s.line, s.part,
         max(m.value) FILTER (WHERE m.name = 'link_downed') AS downs,
         max(m.value) FILTER (WHERE m.name IN ('symbol_error', 'port_rcv_errors')) AS damage, max(m.value) FILTER (WHERE m.name = 'link_error_recovery') AS recoveries
  FROM   counters_snapshot s
  JOIN   metrics m ON m.file_id = s.file_id AND m.host IS NOT DISTINCT FROM s.host AND m.device IS NOT DISTINCT FROM s.device AND m.line BETWEEN s.line AND s.last_line
  GROUP  BY ALL),
saturated AS (   -- the classic counters stop at their end, which no metric keeps
  SELECT c.attempt, c.file_id, c.host, c.device, min(c.line) AS line, min(c.part) AS part,
         bool_or(c.name IN ('symbol_error', 'port_rcv_errors', 'link_error_recovery', 'local_link_integrity_errors')) AS damage
  FROM   counters_saturated c
  GROUP  BY ALL)
SELECT p.attempt, [p.host] AS hosts, CASE WHEN p.device IS NOT NULL THEN [coalesce(p.host || '/', '') || p.device] ELSE [] END AS devices,
       coalesce(p.host || ' ', '') || coalesce(p.device, 'A port') || printf(' lost its link %d times and its error counters are full, since when is not told', CAST(p.downs AS BIGINT)) AS summary,
       [{'file_id': p.file_id, 'line': p.line, 'part': p.part}] AS evidence
FROM   port p
LEFT JOIN saturated s ON s.file_id = p.file_id AND s.host IS NOT DISTINCT FROM p.host AND s.device IS NOT DISTINCT FROM p.device
WHERE  p.downs >= 10 AND (coalesce(s.damage, false) OR p.damage >= 65535 OR p.recoveries >= 255)
AND    NOT EXISTS (SELECT 1 FROM counter_deltas d WHERE d.host IS NOT DISTINCT FROM p.host AND d.device = p.device)
AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)
QUALIFY count(*) OVER () <= 8
