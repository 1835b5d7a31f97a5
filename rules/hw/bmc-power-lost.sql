/*
title    = "The event log of a BMC shows a loss of power"
kind     = "hw.host_lost"
severity = "high"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["services"]
explanation = """
The controller of the board saw a power supply fail or lose its input. The list spans months and no job is in the input, so what it did to one is open.
"""
advice = """
Check the supplies and their feeds at that host (`ipmitool sdr type "Power Supply"`, PDU), then look whether it went down at that time.
"""
false_positives = "One of several redundant supplies that was unplugged on purpose."
references = ["ipmitool sel elist; IPMI 2.0 specification, table 42-3"]
[[test]]
fires = 1
expect = { devices = ["Power Supply #0xc8"] }
logs."sel.txt" = '''
   1 | 03/22/2025 | 01:12:03 | Power Supply #0xc8 | Failure detected | Asserted
   2 | 03/22/2025 | 01:12:05 | Power Unit #0x02 | Power off/down | Asserted
'''
[[test]]
fires = 1
logs."sel.txt" = '''
   7 | 03/22/25 | 01:12:03 CET | Power Supply PS2 Status | Power Supply AC lost | Asserted
'''
[[test]]
fires = 0
logs."sel.txt" = '''
   7 | 03/22/25 | 01:12:03 CET | Power Supply PS2 Status | Power Supply AC lost | Asserted
   8 | 03/22/25 | 01:14:03 CET | Power Supply PS2 Status | Power Supply AC lost | Deasserted
'''
[[test]]
fires = 0
logs."sel.txt" = '''
   1 | 01/02/2025 | 08:05:10 | OS Boot | C: boot completed | Asserted
   2 | 01/02/2025 | 08:09:10 | Power Unit #0x02 | Power off/down | Asserted
'''
*/
WITH entry AS (
  SELECT *, try_strptime(date || ' ' || clock, ['%m/%d/%Y %H:%M:%S', '%m/%d/%y %H:%M:%S']) AS told FROM bmc_event),
standing AS (        -- what was taken back is over
  SELECT e.* FROM entry e
  WHERE  e.state = 'Asserted' AND regexp_matches(e.sensor, '(?i)power (supply|unit)|^psu?\b|\bps\d') AND regexp_matches(e.event, '(?i)failure detected|ac lost|input lost|power lost|failure asserted|soft-power control failure|redundancy lost')
  AND    NOT EXISTS (SELECT 1 FROM entry o WHERE o.file_id = e.file_id AND o.sensor = e.sensor AND o.event = e.event AND o.state = 'Deasserted' AND o.line > e.line)
  AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, -- what fails is a supply; the unit is all of them
       coalesce(list(DISTINCT sensor ORDER BY sensor) FILTER (WHERE NOT regexp_matches(sensor, '(?i)power unit')), []) AS devices,
       coalesce(host, 'A host') || printf(': its power failed: %s, %s', min({'l': line, 's': sensor, 'e': event}).s, min({'l': line, 's': sensor, 'e': event}).e)
       || coalesce(strftime(min(told), ' (%Y-%m-%d %H:%M:%S by its clock)'), '') AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   standing
GROUP  BY attempt, host
