/*
title    = "The event log of a BMC shows a fault of memory or processor"
kind     = "hw.host_mce"
severity = "high"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["services"]
explanation = """
The controller of the board recorded an uncorrectable memory error or an internal error of a processor. The list spans months and no job is in the input, so what it did to one is open.
"""
advice = """
Replace the module or processor that the line names; read `mcelog`, `rasdaemon` or `dmesg -T` of that host for the address.
"""
false_positives = "Entries from before the part was replaced."
references = ["ipmitool sel elist; IPMI 2.0 specification, table 42-3"]
[[test]]
fires = 1
expect = { devices = ["Memory DIMM_B3"] }
logs."sel.txt" = '''
   9 | 03/22/2025 | 01:12:03 | Memory #0x53 | Uncorrectable ECC (UnCorrectable ECC |  DIMMB3) | Asserted
   a | 03/22/2025 | 01:12:03 | Memory DIMM_B3 | Uncorrectable ECC | Asserted
'''
[[test]]
fires = 1
logs."sel.txt" = '''
   2 | 03/22/2025 | 01:12:03 | Processor CPU1 Status | IERR | Asserted
'''
[[test]]
fires = 0
logs."sel.txt" = '''
   2 | 03/22/2025 | 01:12:03 | Memory DIMM_B3 | Correctable ECC | Asserted
'''
[[test]]
fires = 0
logs."sel.txt" = '''
   1 | 01/02/2025 | 08:05:10 | OS Boot | C: boot completed | Asserted
'''
*/
WITH entry AS (
  SELECT *, try_strptime(date || ' ' || clock, ['%m/%d/%Y %H:%M:%S', '%m/%d/%y %H:%M:%S']) AS told FROM bmc_event),
standing AS (        -- what was taken back is over
  SELECT e.* FROM entry e
  WHERE  e.state = 'Asserted' AND (regexp_matches(e.event, '(?i)uncorrectable( ecc| memory| machine check)?|ierr|thermal trip|machine check|cpu catastrophic') OR regexp_matches(e.sensor, '(?i)caterr')) AND NOT regexp_matches(e.event, '(?i)^correctable')
  AND    NOT EXISTS (SELECT 1 FROM entry o WHERE o.file_id = e.file_id AND o.sensor = e.sensor AND o.event = e.event AND o.state = 'Deasserted' AND o.line > e.line)
  AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, list(DISTINCT sensor ORDER BY sensor) AS devices,
       coalesce(host, 'A host') || printf(': memory or processor failed: %s, %s', min({'l': line, 's': sensor, 'e': event}).s, min({'l': line, 's': sensor, 'e': event}).e)
       || coalesce(strftime(min(told), ' (%Y-%m-%d %H:%M:%S by its clock)'), '') AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   standing
GROUP  BY attempt, host
