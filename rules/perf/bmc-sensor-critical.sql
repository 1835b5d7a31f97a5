/*
title    = "A sensor of the BMC is beyond its critical limit"
kind     = "perf.straggler_thermal.sensor"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["perf.straggler", "hw.pcie"]
needs    = ["bmc_sensors"]
explanation = '''
The BMC of a host reads a temperature above its critical limit, or a fan that stands. GPUs and processors near it slow down, and switch off in the end.
'''
advice = '''
Look at fans, filters and inlet temperature of that chassis; exchange the fan that stands; compare the GPUs' own temperatures and clocks with `nvidia-smi -q -d TEMPERATURE,CLOCK`.
'''
false_positives = "A sensor of a part that is not fitted reads 0."
references = ["ipmitool sensor; IPMI 2.0"]
[[test]]
fires = 1
expect = { devices = ["GPU5 Temp"] }
logs."sensors.txt" = '''
Inlet Temp       | 24.000     | degrees C  | ok    | na        | na        | na        | 38.000    | 42.000    | na        
GPU5 Temp        | 92.000     | degrees C  | cr    | na        | na        | na        | 85.000    | 90.000    | na        
'''
[[test]]
fires = 1
expect = { devices = ["FAN 3"] }
logs."sdr.txt" = '''
FAN 2            | 8400 RPM          | ok
FAN 3            | 0 RPM             | cr
'''
[[test]]
fires = 0
logs."sdr.txt" = '''
FAN 2            | 8400 RPM          | ok
CPU1 Temp        | 78 degrees C      | nc
'''
[[test]]
fires = 0                        # volts are another matter
logs."sdr.txt" = '''
P12V             | 11.2 Volts        | cr
'''
*/
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, list(DISTINCT sensor ORDER BY sensor) AS devices, min(ts) AS began,
       coalesce(host, 'A host') || ': ' || min({'l': line, 't': printf('%s reads %s %s, beyond its critical limit', sensor, CAST(value AS VARCHAR), unit)}).t || CASE WHEN count(DISTINCT sensor) > 1 THEN printf(', and %d more', count(DISTINCT sensor) - 1) ELSE '' END AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   bmc_sensor
WHERE  regexp_matches(state, '^(cr|nr|ucr|lcr|unr|lnr)$') AND (unit LIKE 'degrees%' OR unit = 'RPM')
GROUP  BY attempt, host
