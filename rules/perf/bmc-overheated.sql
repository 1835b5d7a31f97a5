/*
title    = "The event log of a BMC shows a host too hot"
kind     = "perf.straggler_thermal"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["services"]
explanation = """
A temperature sensor passed its critical mark, or a fan stopped: processors and GPUs of the host slow down or switch off. The list spans months and no job is in the input, so what it did to one is open.
"""
advice = """
Look at fans, air path and inlet temperature of that host (`ipmitool sdr type Temperature`, `ipmitool sdr type Fan`).
"""
false_positives = "A sensor that is known to be wrong."
references = ["ipmitool sel elist; IPMI 2.0 specification, table 42-3"]
[[test]]
fires = 1
expect = { devices = ["Temperature CPU1 Temp"] }
logs."sel.txt" = '''
 2a | 05/01/24 | 12:00:00 UTC | Temperature CPU1 Temp | Upper Critical going high | Asserted | Reading 90 > Threshold 88 degrees C
'''
[[test]]
fires = 1
logs."sel.txt" = '''
 2b | 05/01/24 | 12:00:00 UTC | Fan FAN4 | Lower Critical going low | Asserted | Reading 0 < Threshold 420 RPM
'''
[[test]]
fires = 0
logs."sel.txt" = '''
 2a | 05/01/24 | 12:00:00 UTC | Temperature CPU1 Temp | Upper Critical going high | Asserted | Reading 90 > Threshold 88 degrees C
 2b | 05/01/24 | 12:09:00 UTC | Temperature CPU1 Temp | Upper Critical going high | Deasserted | Reading 80 > Threshold 88 degrees C
'''
[[test]]
fires = 0
logs."sel.txt" = '''
 2a | 05/01/24 | 12:00:00 UTC | Temperature Inlet Temp | Upper Non-critical going high | Asserted | Reading 38 > Threshold 37 degrees C
'''
*/
WITH entry AS (
  SELECT *, try_strptime(date || ' ' || clock, ['%m/%d/%Y %H:%M:%S', '%m/%d/%y %H:%M:%S']) AS told FROM bmc_event),
standing AS (        -- what was taken back is over
  SELECT e.* FROM entry e
  WHERE  e.state = 'Asserted' AND (regexp_matches(e.event, '(?i)upper (critical|non-recoverable) going high|transition to (critical|non-recoverable)') AND regexp_matches(e.sensor, '(?i)temp') OR regexp_matches(e.event, '(?i)lower (critical|non-recoverable) going low') AND regexp_matches(e.sensor, '(?i)fan'))
  AND    NOT EXISTS (SELECT 1 FROM entry o WHERE o.file_id = e.file_id AND o.sensor = e.sensor AND o.event = e.event AND o.state = 'Deasserted' AND o.line > e.line)
  AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, list(DISTINCT sensor ORDER BY sensor) AS devices,
       coalesce(host, 'A host') || printf(': it is too hot: %s, %s', min({'l': line, 's': sensor, 'e': event}).s, min({'l': line, 's': sensor, 'e': event}).e)
       || coalesce(strftime(min(told), ' (%Y-%m-%d %H:%M:%S by its clock)'), '') AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   standing
GROUP  BY attempt, host
