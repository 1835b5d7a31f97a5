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
WITH entry AS (
  SELECT *, try_strptime(date || ' ' || clock, ['%m/%d/%Y %H:%M:%S', '%m/%d/%y %H:%M:%S']) AS told FROM bmc_event),
standing AS (        -- what was taken back is over
  SELECT e.* FROM entry e
  WHERE  e.state = 'Asserted' AND regexp_matches(e.event, '(?i)bus (fatal|uncorrectable) error|pci (serr|perr)|fatal (nmi|pcie)')
  AND    NOT EXISTS (SELECT 1 FROM entry o WHERE o.file_id = e.file_id AND o.sensor = e.sensor AND o.event = e.event AND o.state = 'Deasserted' AND o.line > e.line)
  AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, list(DISTINCT sensor ORDER BY sensor) AS devices,
       coalesce(host, 'A host') || printf(': a bus error: %s, %s', min({'l': line, 's': sensor, 'e': event}).s, min({'l': line, 's': sensor, 'e': event}).e)
       || coalesce(strftime(min(told), ' (%Y-%m-%d %H:%M:%S by its clock)'), '') AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   standing
GROUP  BY attempt, host
