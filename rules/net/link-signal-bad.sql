/*
title    = "The adapter's own diagnosis of a link is bad"
kind     = "net.link_flap.signal"
severity = "high"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["nic_counters", "fabric"]
explanation = '''
mlxlink asks the firmware of the adapter what is wrong with the link, and it names the signal, the cable or the module. Such a link sends again and again, or goes down.
'''
advice = '''
Clean, reseat, then exchange cable and transceivers of that port, and run `mlxlink -d DEVICE -m -e -c` at both ends afterwards.
'''
false_positives = "A port without a partner."
references = ["NVIDIA MFT: mlxlink"]
[[test]]
fires = 1
logs."mlxlink.txt" = '''
Physical state                  : LinkUp
Recommendation                  : Bad signal integrity
'''
[[test]]
fires = 1
logs."mlxlink.txt" = '''
Physical state                  : LinkUp
Recommendation                  : Module High temperature alarm
'''
[[test]]
fires = 0
logs."mlxlink.txt" = '''
Physical state                  : LinkUp
Recommendation                  : No issue was observed
'''
[[test]]
fires = 0
logs."mlxlink.txt" = '''
Physical state                  : Disabled
Recommendation                  : Cable is unplugged
'''
*/
WITH said AS (
  SELECT attempt, host, NULL AS device, advice, file_id, line, part FROM nic_link_advice
  UNION ALL SELECT attempt, host, coalesce(device, netdev), recommendation, file_id, line, part FROM nic_port_state WHERE recommendation IS NOT NULL)
SELECT attempt, CASE WHEN host IS NOT NULL AND device IS NOT NULL THEN [host] ELSE [] END AS hosts, CASE WHEN device IS NOT NULL THEN [coalesce(host || '/', '') || device] ELSE [] END AS devices,
       coalesce(device, 'A port') || printf(': its firmware says of the link "%s"', min(advice)) AS summary,
       list(DISTINCT {'file_id': file_id, 'line': line, 'part': part} ORDER BY {'file_id': file_id, 'line': line, 'part': part}) AS evidence
FROM   said
WHERE  regexp_matches(advice, '(?i)signal|high ber|\bber\b|temperature|calibration|bad|module|eye') AND NOT regexp_matches(advice, '(?i)no issue|unplugged|not (present|supported)')
GROUP  BY attempt, host, device
