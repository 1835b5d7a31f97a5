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
SELECT attempt, [host] AS hosts, sensors AS devices, who || ': it is too hot: ' || what AS summary, evidence
FROM   bmc_faults
WHERE  fault = 'heat'
