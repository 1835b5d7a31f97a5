/*
title    = "A network interface stalls in a kernel log"
kind     = "net.packet_loss"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["kernel_nic"]
explanation = '''
The driver of this interface says that a queue no longer sends, or that it resets the device because that did not answer. While it lasts, no packet passes: connections of the host stall for seconds.
Nothing in the input tells when a job ran, so what it did to one is open.
'''
advice = '''
Look for the same time in the logs of jobs on the host named. On a virtual machine ask the provider for the host's events; else update driver and firmware of the interface.
'''
false_positives = "One reset during the migration of a virtual machine."
references = ["Linux drivers/net/ethernet: amazon/ena, google/gve, intel"]
[[test]]
fires = 1
expect = { hosts = ["vm7"], devices = ["vm7/eth0"] }
logs."vm7.messages" = '''
May  4 10:10:10 vm7 kernel: ena 0000:00:05.0 eth0: Keep alive watchdog timeout.
May  4 10:10:10 vm7 kernel: ena 0000:00:05.0 eth0: Trigger reset is on
'''
[[test]]
fires = 1
expect = { devices = ["eno1"] }
logs."dmesg.txt" = '''
[ 9090.001] NETDEV WATCHDOG: eno1 (igb): transmit queue 0 timed out
'''
[[test]]
fires = 0                        # another rule speaks of adapters with RDMA
logs."dmesg.txt" = '''
[ 9090.001] NETDEV WATCHDOG: ens1 (mlx5_core): transmit queue 3 timed out
'''
[[test]]
fires = 0
logs."dmesg.txt" = '''
[    9.001] ena 0000:00:05.0 eth0: Link is Up
'''
[[test]]
fires = 1
expect = { devices = ["eno1"] }
logs."dmesg.txt" = '''
[ 9912.5] e1000e 0000:00:1f.6 eno1: Detected Hardware Unit Hang:
'''
*/
WITH word AS (
  SELECT host, coalesce(netdev, device) AS dev, driver, 'a queue no longer sends' AS what, ts, file_id, line, part FROM nic_tx_timeout
  UNION ALL SELECT host, coalesce(netdev, device), driver, what, ts, file_id, line, part FROM nic_reset WHERE driver IN ('ena', 'gve')
  UNION ALL SELECT host, coalesce(netdev, device), driver, what, ts, file_id, line, part FROM nic_hung)
SELECT [host] AS hosts, [coalesce(host || '/', '') || dev] AS devices, min(ts) AS began,
       coalesce(host || ': i', 'I') || printf('nterface %s stalled%s: %s', dev, coalesce(strftime(min(ts), ' at %H:%M:%S'), ''), min({'t': ts, 'line': line, 'w': what}).w) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   word
WHERE  dev IS NOT NULL AND NOT regexp_matches(driver, '^(mlx|bnxt|ice$|efa$|irdma|cxgb|qed|hns|hclge|ionic|mana|hfi1|erdma|idpf)')
AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)
GROUP  BY host, dev
