/*
title    = "The subnet manager or fabric manager counts errors on a link"
kind     = "net.packet_loss.wire"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.straggler", "net.congestion"]
needs    = ["fabric"]
explanation = '''
A node told the subnet manager that errors on one of its ports passed their threshold, or the fabric manager found it while it read the counters: local link integrity, buffer overruns, symbol or receive errors. Packets are damaged and
sent again; such a link often goes down next. It has two ends and a cable.
'''
advice = '''
`ibdiagnet --pc` then, ten minutes later, `ibdiagnet -P all=1` for the rate now; `mlxlink -d DEVICE -c -e -m` at both ends for bit error ratio and optics; reseat and exchange the cable.
'''
false_positives = "One notice right after a port came up. Thresholds that a site set very low."
references = ["InfiniBand specification: traps 129, 130, 131", "UFM event policy"]
[[test]]
fires = 1
expect = { devices = ["lid 7 port 11"], hosts = [] }
logs."opensm.log" = '''
Aug 19 05:31:44 402117 [A2A06700] 0x02 -> log_trap_info: Received Generic Notice type:1 num:129 (Local Link integrity threshold reached) Producer:2 (Switch) from LID:7 Port 11 TID:0x0000000000000312
Aug 19 05:31:54 402117 [A2A06700] 0x02 -> log_trap_info: Received Generic Notice type:1 num:129 (Local Link integrity threshold reached) Producer:2 (Switch) from LID:7 Port 11 TID:0x0000000000000313
'''
[[test]]
fires = 1
expect = { hosts = ["n12"], devices = ["n12/HCA-4"] }
logs."event.log" = '''
2026-02-12 01:14:41.112 [2341] [110] WARNING [Hardware] IBPort [default(31) / Computer: n12 HCA-4 / 1] [dev_id: b83fd20300aa1c04] Symbol Error counter rate. Value: 412, Threshold: 200. Peer info: Switch: leaf-03 / 12 / 17
2026-02-12 01:15:41.112 [2342] [110] WARNING [Hardware] IBPort [default(31) / Computer: n12 HCA-4 / 1] [dev_id: b83fd20300aa1c04] Symbol Error counter rate. Value: 533, Threshold: 200. Peer info: Switch: leaf-03 / 12 / 17
'''
[[test]]
fires = 0                        # settings changed
logs."opensm.log" = '''
Aug 19 05:31:44 402117 [A2A06700] 0x02 -> log_trap_info: Received Generic Notice type:4 num:144 (Capability Mask, NodeDescription, Link [Width|Speed] Enabled, SM priority changed) Producer:1 (Channel Adapter) from LID:212 TID:0x4
Aug 19 05:31:54 402117 [A2A06700] 0x02 -> log_trap_info: Received Generic Notice type:4 num:144 (Capability Mask, NodeDescription, Link [Width|Speed] Enabled, SM priority changed) Producer:1 (Channel Adapter) from LID:212 TID:0x5
'''
[[test]]
fires = 0                        # once
logs."opensm.log" = '''
Aug 19 05:31:44 402117 [A2A06700] 0x02 -> log_trap_info: Received Generic Notice type:1 num:129 (Local Link integrity threshold reached) Producer:2 (Switch) from LID:7 Port 11 TID:0x0000000000000312
'''
*/
WITH word AS (
  SELECT attempt, NULL AS host, printf('lid %d%s', lid, coalesce(printf(' port %d', port), '')) AS device, 'port ' || coalesce(CAST(port AS VARCHAR), '?') || ' of lid ' || lid AS who, lower(text) AS what,
         ts, file_id, line, part
  FROM   fabric_trap
  WHERE  num BETWEEN 129 AND 131
  UNION ALL
  SELECT attempt, split_part(near_host, '.', 1), CASE WHEN near_host IS NOT NULL THEN split_part(near_host, '.', 1) || '/' || near ELSE switch || '/' || port END,
         CASE WHEN near_host IS NOT NULL THEN near || ' of ' || split_part(near_host, '.', 1) ELSE 'port ' || port || ' of ' || switch END, lower(counter), ts, file_id, line, part
  FROM   fabric_port_errors
  WHERE  value > 0 AND coalesce(near_host, switch) IS NOT NULL
  -- where nothing is said of a job, packets given up for congestion are no errors of a wire
  AND    NOT regexp_matches(lower(counter), 'xmit discards'))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, [device] AS devices, min(ts) AS began,
       printf('Errors on %s pass their threshold again and again (%s)', who, min(what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   word
GROUP  BY attempt, host, device, who
HAVING count(*) >= 2
