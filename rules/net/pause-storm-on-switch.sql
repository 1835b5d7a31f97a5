/*
title    = "A switch reports a pause storm on a port"
kind     = "net.congestion.pause_storm"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["net.packet_loss", "net.ib_error", "perf.low_busbw"]
needs    = ["switches"]
explanation = '''
The switch's watchdog found a lossless queue of this port stopped by pause frames for too long and began to drop it. What hangs on the port no longer takes packets: an adapter or its host that is stuck or slow, or the next switch on the way.
'''
advice = '''
Find what is behind the port named and look at that adapter: `ethtool -S` for `tx_prio*_pause` and `rx_discards`, its kernel log, its PCIe link; check that PFC is set for the same priorities at both ends.
'''
false_positives = "A storm of a second while a host shuts down."
references = ["SONiC: PFC watchdog"]
[[test]]
fires = 1
expect = { devices = ["leaf-3/Ethernet12"], hosts = [] }
logs."leaf.log" = '''
Nov  7 04:51:10.114123 leaf-3 WARNING swss#orchagent: :- report_pfc_storm: PFC Watchdog detected PFC storm on port Ethernet12, queue index 3, queue id 0x1500000000026d and port id 0x1000000000012
'''
[[test]]
fires = 1
expect = { devices = ["sp4/Ethernet21/1"] }
logs."sp4.log" = '''
Sep 21 11:22:13 sp4 SandPfcWd: %PFC_WATCHDOG-4-QUEUE_STUCK: Port Ethernet21/1 queue 3 stuck
'''
[[test]]
fires = 0                        # the end of one
logs."leaf.log" = '''
Nov  7 04:51:10.114123 leaf-3 WARNING swss#orchagent: :- report_pfc_restored: PFC Watchdog storm restored on port Ethernet12, queue index 3, queue id 0x1500000000026d and port id 0x1000000000012
'''
[[test]]
fires = 0                        # its settings
logs."leaf.log" = '''
Nov  7 04:50:10.114123 leaf-3 NOTICE swss#orchagent: :- doTask: PFC watchdog started on port Ethernet12, detection time 200 ms
'''
*/
SELECT attempt, [coalesce(host || '/', '') || interface] AS devices, min(ts) AS began,
       coalesce(host || ': ', '') || printf('port %s is stopped by pause frames%s: what is behind it takes no packets', interface, coalesce(strftime(min(ts), ' from %H:%M:%S'), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   switch_pfc_storm
WHERE  interface IS NOT NULL AND NOT regexp_matches(lower(coalesce(what, 'detected')), 'restored|recovered|cleared')
GROUP  BY attempt, host, interface
