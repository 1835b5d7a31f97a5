/*
title    = "A bond runs on fewer links than it has"
kind     = "net.link_flap.bond"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "net.congestion"]
needs    = ["nic_counters"]
explanation = '''
One interface of this bond has no link while another has: the bond goes on with less bandwidth, and the count says how often that link failed since the bond was made.
'''
advice = '''
`ethtool -m` and `ethtool -S` of the interface named, then cable, transceiver and switch port; `cat /proc/net/bonding/BOND` afterwards.
'''
false_positives = "A second port that was never cabled: without a counted failure this is possible at most."
references = ["Linux: Documentation/networking/bonding.rst"]
[[test]]
fires = 1
expect = { devices = ["ens1f1np1"], confidence = "likely" }
logs."bond0.txt" = '''
Slave Interface: ens1f0np0
MII Status: up
Speed: 200000 Mbps
Link Failure Count: 1

Slave Interface: ens1f1np1
MII Status: down
Speed: Unknown
Link Failure Count: 7
'''
[[test]]
fires = 1
expect = { devices = ["ens1f1np1"], confidence = "possible" }
logs."bond0.txt" = '''
Slave Interface: ens1f0np0
MII Status: up
Link Failure Count: 0

Slave Interface: ens1f1np1
MII Status: down
Link Failure Count: 0
'''
[[test]]
fires = 0
logs."bond0.txt" = '''
Slave Interface: ens1f0np0
MII Status: up
Link Failure Count: 3

Slave Interface: ens1f1np1
MII Status: up
Link Failure Count: 4
'''
[[test]]
fires = 0                        # nobody says that it is a bond
logs."ethtool.txt" = '''
Settings for ens1f0np0:
	Speed: 200000Mb/s
	Link detected: yes
Settings for ens1f1np1:
	Link detected: no
'''
*/
WITH slave AS (
  SELECT attempt, file_id, line, part, host, netdev, state, failures FROM nic_port_state WHERE failures IS NOT NULL AND netdev IS NOT NULL)
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, [coalesce(host || '/', '') || netdev] AS devices,
       CASE WHEN failures > 0 THEN 'likely' ELSE 'possible' END AS confidence,
       coalesce(host || ': ', '') || printf('%s of a bond has no link%s', netdev, CASE WHEN failures > 0 THEN printf(', it failed %d times', failures) ELSE '' END) AS summary,
       [{'file_id': file_id, 'line': line, 'part': part}] AS evidence
FROM   slave s
WHERE  lower(state) = 'down' AND EXISTS (SELECT 1 FROM slave o WHERE o.file_id = s.file_id AND lower(o.state) = 'up')
