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
expect = { devices = ["Memory #0x53", "Memory DIMM_B3"] }
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
[[test]]
fires = 1                        # as racadm tells it
expect = { devices = ["CPU 2", "DIMM_B4"], hosts = [] }
logs."racadm_getsel.txt" = '''
Record:      31
Date/Time:   03/11/2024 04:18:22
Source:      system
Severity:    Critical
Description: Multi-bit memory errors detected on a memory device at location(s) DIMM_B4.
-------------------------------------------------------------------------------
Record:      32
Date/Time:   03/11/2024 04:18:23
Source:      system
Severity:    Critical
Description: CPU 2 machine check error detected.
'''
[[test]]
fires = 0                        # corrected, and what is in order
logs."racadm_getsel.txt" = '''
Record:      31
Date/Time:   03/11/2024 04:18:22
Source:      system
Severity:    Non-Critical
Description: Correctable memory error rate exceeded for DIMM_B4.
-------------------------------------------------------------------------------
Record:      33
Date/Time:   03/11/2024 04:23:51
Source:      system
Severity:    Ok
Description: CPU 2 machine check error is no longer detected.
'''
[[test]]
fires = 1                        # as FreeIPMI and ipmicfg print it
expect = { devices = ["DIMM_B2"] }
logs."sel.txt" = '''
ID  | Date        | Time     | Name             | Type                        | Event
3   | Apr-02-2024 | 09:01:02 | DIMM_B2          | Memory                      | Correctable memory error
4   | Apr-02-2024 | 09:11:02 | DIMM_B2          | Memory                      | Uncorrectable memory error ; Event Data3 = 12h
'''
[[test]]
fires = 1
expect = { devices = ["DIMMB2(CPU1)"] }
logs."sel.txt" = '''
   2 | 2024/05/20 11:02:10 | Memory          | Correctable ECC @ DIMMB2(CPU1) - Asserted
   3 | 2024/05/20 18:41:55 | Memory          | Uncorrectable ECC @ DIMMB2(CPU1) - Asserted
   4 | 2024/05/20 18:41:56 | Processor       | CATERR - Asserted
'''
*/
SELECT attempt, [host] AS hosts, sensors AS devices, who || ': memory or processor failed: ' || what AS summary, evidence
FROM   bmc_faults
WHERE  fault = 'board'
