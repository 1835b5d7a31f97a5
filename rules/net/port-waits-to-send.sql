/*
title    = "A port of the fabric waits to send"
kind     = "net.congestion"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["perf.low_busbw"]
needs    = ["nic_counters"]
explanation = '''
Between two readings this port had packets to send and no credits for most of the time, while little went through: what is behind it takes packets slower than they come. That is a slow receiver, a many-to-one pattern, or a congested link further on.
'''
advice = '''
Read the counters of the port at the other end and follow the waits (`perfquery -x LID PORT`, `ibdiagnet --pc`) until a port receives much and does not wait: what hangs there is slow. Look at its host for PCIe width and pauses.
'''
false_positives = "At full load ports wait now and then: the waits are compared with the packets that went through. The length of a tick differs between devices."
references = ["InfiniBand specification: PortXmitWait"]
[[test]]
fires = 1
expect = { devices = ["lid17:33"] }
logs."pq_before.txt" = '''
# 2024-10-10 12:00:00
# Port extended counters: Lid 17 port 33 (CapMask: 0x5300)
PortXmitPkts:....................9911220331
PortXmitWait:....................118220334
'''
logs."pq_after.txt" = '''
# 2024-10-10 12:05:00
# Port extended counters: Lid 17 port 33 (CapMask: 0x5300)
PortXmitPkts:....................9911320331
PortXmitWait:....................30118220334
'''
[[test]]
fires = 1
expect = { devices = ["lid4"] }
logs."pq_before.txt" = '''
# 2024-10-10 12:00:00
# Port extended counters: Lid 4 port 1 (CapMask: 0x5300)
PortXmitPkts:....................1000000
PortXmitWait:....................0
'''
logs."pq_after.txt" = '''
# 2024-10-10 12:01:00
# Port extended counters: Lid 4 port 1 (CapMask: 0x5300)
PortXmitPkts:....................2000000
PortXmitWait:....................6000000000
'''
[[test]]
fires = 0                        # at full load
logs."pq_before.txt" = '''
# 2024-10-10 12:00:00
# Port extended counters: Lid 17 port 33 (CapMask: 0x5300)
PortXmitPkts:....................9911220331
PortXmitWait:....................118220334
'''
logs."pq_after.txt" = '''
# 2024-10-10 12:05:00
# Port extended counters: Lid 17 port 33 (CapMask: 0x5300)
PortXmitPkts:....................12911220331
PortXmitWait:....................15118220334
'''
[[test]]
fires = 0                        # once read
logs."pq_before.txt" = '''
# 2024-10-10 12:00:00
# Port extended counters: Lid 17 port 33 (CapMask: 0x5300)
PortXmitPkts:....................9911220331
PortXmitWait:....................30118220334
'''
*/
-- The test: 20 million ticks a second, a tenth of the time at the usual clock of 200 MHz, and a hundred ticks for each packet: at full load it is ten at most.
WITH port AS (
  SELECT attempt, host, place, max(seconds) AS seconds, max(delta) FILTER (WHERE class = 'waited') AS waited, max(delta) FILTER (WHERE name IN ('port_xmit_packets', 'tx_packets_phy')) AS packets,
         list(DISTINCT {'file_id': file_id, 'line': line, 'part': part} ORDER BY {'file_id': file_id, 'line': line, 'part': part}) FILTER (WHERE class = 'waited' OR name = 'port_xmit_packets') AS evidence
  FROM   counter_deltas
  WHERE  NOT was_reset
  GROUP  BY attempt, host, place)
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, [place] AS devices, evidence,
       printf('%s waited to send for most of %d minutes and sent %d packets: what is behind it is slow', place, CAST(ceil(seconds / 60) AS BIGINT), CAST(packets AS BIGINT)) AS summary
FROM   port
WHERE  seconds > 0 AND waited / seconds >= 2e7 AND packets > 0 AND waited >= 100 * packets
-- beside a job its own places and pace decide
AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)
