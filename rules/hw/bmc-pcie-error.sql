/*
title    = "The event log of a BMC shows a fatal bus error"
kind     = "hw.pcie"
severity = "high"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["services"]
explanation = """
The controller of the board recorded a fatal or uncorrectable error of a PCI bus. The list spans months and no job is in the input, so what it did to one is open.
"""
advice = """
Map the slot or bus of the line to its card (`dmidecode -t slot`, `lspci -t`), reseat or replace it.
"""
false_positives = "Entries from before the card was replaced."
references = ["ipmitool sel elist; IPMI 2.0 specification, table 42-3"]
[[test]]
fires = 1
expect = { devices = ["Critical Interrupt #0xf1"] }
logs."sel.txt" = '''
   9 | 03/22/2025 | 01:12:03 | Critical Interrupt #0xf1 | Bus Fatal Error | Asserted
'''
[[test]]
fires = 1
logs."sel.txt" = '''
   9 | 03/22/2025 | 01:12:03 | Critical Interrupt PCIe Slot 4 | PCI SERR | Asserted
'''
[[test]]
fires = 0
logs."sel.txt" = '''
   9 | 03/22/2025 | 01:12:03 | Critical Interrupt #0xf1 | Bus Correctable error | Asserted
'''
[[test]]
fires = 0
logs."sel.txt" = '''
   1 | 01/02/2025 | 08:05:10 | OS Boot | C: boot completed | Asserted
'''
*/
SELECT attempt, [host] AS hosts, sensors AS devices, who || ': a bus error: ' || what AS summary, evidence
FROM   bmc_faults
WHERE  fault = 'pcie'
