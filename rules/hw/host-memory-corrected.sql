/*
title    = "Memory of a host corrects many errors"
kind     = "hw.host_mce"
severity = "info"
role     = "context"
confidence = "certain"
needs    = ["kernel_memory"]
explanation = """
Corrected memory errors cost nothing one by one. A storm (the kernel switches to polling, or hundreds an hour on one DIMM) announces an
uncorrectable one and takes CPU time.
"""
advice = """
Plan to replace the DIMM named; `ras-mc-ctl --error-count` shows its count.
"""
false_positives = "Less than one an hour is normal."
references = ["Linux: EDAC, CMCI"]
[[test]]
fires = 1
expect = { hosts = ["node3"], severity = "medium" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: mce: CMCI storm detected: switching to poll mode
'''
[[test]]
fires = 1
expect = { devices = ["node3/CPU_SrcID#0_MC#1_Chan#1_DIMM#0"] }
logs."messages" = '''
May  1 12:00:00 node3 kernel: EDAC skx MC1: 250 CE memory read error on CPU_SrcID#0_MC#1_Chan#1_DIMM#0 (channel:1 slot:0 page:0xbecd3f0 offset:0x3e2 grain:32 syndrome:0x0 -  err_code:0x0101:0x0091)
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 node3 kernel: EDAC skx MC1: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#1_DIMM#0 (channel:1 slot:0 page:0xbecd3f0 offset:0x3e2 grain:32 syndrome:0x0 -  err_code:0x0101:0x0091)
May  1 13:30:00 node3 kernel: EDAC skx MC1: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#1_DIMM#0 (channel:1 slot:0 page:0xbecd3f0 offset:0x3e2 grain:32 syndrome:0x0 -  err_code:0x0101:0x0091)
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 node3 kernel: mce: [Hardware Error]: Machine check events logged
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, dimm AS device, coalesce(count, 1) AS n, false AS storm FROM host_edac_ce
  UNION ALL
  SELECT file_id, line, part, host, NULL, 0, true FROM host_mce_storm WHERE state = 'detected'),
rated AS (
  SELECT l.*, h.attempt, h.place, h.ts, sum(n) OVER (PARTITION BY l.file_id, l.host, l.device ORDER BY h.ts RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW) AS in_hour
  FROM   line l
  JOIN   host_events h USING (file_id, line, part))
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       list(DISTINCT coalesce(host || '/', '') || device ORDER BY coalesce(host || '/', '') || device) FILTER (WHERE device IS NOT NULL) AS devices,
       CASE WHEN min(place) = 'alone' THEN 'medium' ELSE 'info' END AS severity,
       CASE WHEN min(place) = 'alone' THEN 'cause' ELSE 'context' END AS role,
       CASE WHEN min(place) = 'alone' THEN 'possible' ELSE 'certain' END AS confidence,
       printf('%s%s', coalesce(min(host) || ': ', ''), CASE WHEN bool_or(storm) THEN 'a storm of corrected memory errors'
              ELSE printf('%s corrected %d memory errors in an hour', min(device), CAST(max(in_hour) AS BIGINT)) END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   rated
GROUP  BY attempt, host, device
HAVING bool_or(storm) OR max(in_hour) >= 100
