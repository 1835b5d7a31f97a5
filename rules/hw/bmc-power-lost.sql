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
SELECT attempt, [host] AS hosts, -- what fails is a supply; the unit is all of them
       list_filter(sensors, lambda sensor: NOT regexp_matches(sensor, '(?i)power unit')) AS devices, who || ': its power failed: ' || what AS summary, evidence
FROM   bmc_faults
WHERE  fault = 'power'
