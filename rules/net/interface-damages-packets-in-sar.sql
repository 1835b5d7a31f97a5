/*
title    = "Packets arrive damaged at an interface, says sar"
kind     = "net.packet_loss"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "net.socket_error", "net.congestion"]
needs    = ["host_net"]
explanation = '''
sar counted errors of received or sent packets at this interface, second after second, and none at the others: cable, transceiver, or the port at the other end. What is damaged is lost, and TCP sends it again after a pause.
'''
advice = '''
`ethtool -S INTERFACE` for which errors they are, `ethtool -m INTERFACE` for the transceiver; reseat and exchange cable and transceiver, then the switch port.
'''
false_positives = "Drops without errors are a matter of the host (a full queue, a protocol nobody asked for) and are not counted."
references = ["sar manual: -n EDEV"]
[[test]]
fires = 1
expect = { hosts = ["trn-07"], devices = ["trn-07/eth1"] }
logs."sar.txt" = '''
Linux 5.15.0-105-generic (trn-07) 	03/02/25 	_x86_64_	(96 CPU)

10:00:01        IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s
10:10:01         eth0      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
10:10:01         eth1      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
10:20:01         eth0      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
10:20:01         eth1    812.31      0.00      0.00   9122.20      0.00      0.00    812.31      0.00      0.00
10:30:01         eth0      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
10:30:01         eth1    790.02      0.00      0.00   8871.92      0.00      0.00    790.02      0.00      0.00
'''
[[test]]
fires = 1
expect = { devices = ["n4/ens3"] }
logs."sar.txt" = '''
Linux 5.15.0-105-generic (n4) 	2025-03-02 	_x86_64_	(96 CPU)

10:00:01 AM     IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s
10:20:01 AM      ens3     12.31      0.00      0.00      0.00      0.00      0.00     12.31      0.00      0.00
10:30:01 AM      ens3     11.02      0.00      0.00      0.00      0.00      0.00     11.02      0.00      0.00
'''
[[test]]
fires = 0                        # drops alone
logs."sar.txt" = '''
Linux 5.15.0-105-generic (trn-07) 	03/02/25 	_x86_64_	(96 CPU)

10:00:01        IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s
10:20:01         eth1      0.00      0.00      0.00      2.20      0.00      0.00      0.00      0.00      0.00
10:30:01         eth1      0.00      0.00      0.00      2.92      0.00      0.00      0.00      0.00      0.00
'''
[[test]]
fires = 0                        # one blip
logs."sar.txt" = '''
Linux 5.15.0-105-generic (trn-07) 	03/02/25 	_x86_64_	(96 CPU)

10:00:01        IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s
10:20:01         eth1      0.01      0.00      0.00      0.00      0.00      0.00      0.01      0.00      0.00
10:30:01         eth1      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
'''
*/
-- The test: one error a second or more in two intervals; sar averages over ten minutes as a rule.
WITH rate AS (
  SELECT attempt, file_id, host, device, line, max(part) AS part, max(ts) AS ts, max(value) AS value FROM metrics
  WHERE  name IN ('rate.rx_errors', 'rate.tx_errors', 'rate.rx_frame_errors', 'rate.tx_carrier_errors') AND NOT duplicate AND device IS NOT NULL AND device <> 'lo'
  GROUP  BY ALL),
bad AS (
  SELECT attempt, host, device, count(*) AS intervals, max(value) AS worst, min(ts) AS began, max(ts) AS ended, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line) AS evidence
  FROM   rate
  WHERE  value >= 1
  GROUP  BY ALL)
SELECT attempt, [host] AS hosts, [coalesce(host || '/', '') || device] AS devices, began, ended, evidence,
       coalesce(host || ': ', '') || printf('interface %s damages up to %d packets a second%s', device, CAST(ceil(worst) AS BIGINT), coalesce(strftime(began, ' from %H:%M:%S'), '')) AS summary
FROM   bad
WHERE  intervals >= 2
