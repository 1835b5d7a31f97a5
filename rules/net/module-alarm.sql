/*
title    = "A transceiver raises an alarm"
kind     = "net.link_flap.module"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["nic_counters", "switches"]
explanation = '''
The transceiver itself says that it is too hot, receives too little light, or runs outside its limits. Links over it damage packets, and go down when it switches itself off.
'''
advice = '''
Too hot: look at the air flow of the host or switch and at dust caps of neighbouring ports. Too little light: clean and reseat the fibre, then exchange it, then the module at the other end. `ethtool -m INTERFACE` shows the values.
'''
false_positives = "A port without a partner receives no light; a warning without an alarm is left out."
references = ["SFF-8636, CMIS: module flags; ethtool -m"]
[[test]]
fires = 1
expect = { devices = ["ens3f0np0"] }
logs."module.txt" = '''
# ethtool -m ens3f0np0
	Identifier                                : 0x18 (QSFP-DD Double Density 8X Pluggable Transceiver)
	Module temperature                        : 79.32 degrees C / 174.78 degrees F
	Module temperature high alarm             : On
'''
[[test]]
fires = 1
expect = { devices = ["sp4/Ethernet7/1"] }
logs."sp4.log" = '''
Sep 21 11:22:13 sp4 Xcvr: %XCVR-3-ALARM: Interface Ethernet7/1 transceiver temperature high alarm
'''
[[test]]
fires = 0
logs."module.txt" = '''
# ethtool -m ens3f0np0
	Identifier                                : 0x18 (QSFP-DD Double Density 8X Pluggable Transceiver)
	Module temperature                        : 59.32 degrees C / 138.78 degrees F
	Module temperature high alarm             : Off
	Module temperature high warning           : Off
'''
[[test]]
fires = 0                        # a warning, and a value within its range
logs."module.txt" = '''
$ mlxlink -d mlx5_3 -m
Module Info
-----------
Temperature [C]                    : 64 [-5..75]
	Module temperature high warning           : On
'''
*/
WITH alarm AS (
  SELECT attempt, host, device, what, ts, file_id, line, part FROM nic_module_alarm WHERE level = 'alarm'
  UNION ALL
  SELECT attempt, host, interface, what, ts, file_id, line, part FROM switch_module_alarm)
SELECT attempt, CASE WHEN device IS NOT NULL THEN [coalesce(host || '/', '') || device] ELSE [] END AS devices, min(ts) AS began,
       coalesce(host || ': t', 'T') || printf('he transceiver of %s raises an alarm: %s', coalesce(device, 'a port'), lower(min(what))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   alarm
GROUP  BY attempt, host, device
