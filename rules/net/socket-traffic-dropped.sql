/*
title    = "A host drops packets of socket traffic"
kind     = "net.packet_loss"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["nic_counters"]
explanation = """
The job's traffic goes over TCP sockets, and between two snapshots this host dropped received packets before the kernel took them, or the cloud instance went over its
allowance. TCP sends them again after a pause.
"""
advice = """
Larger receive rings (`ethtool -G NETDEV rx MAX`), interrupts spread over cores of the right socket, fewer other services on this interface; on cloud instances a larger type or fewer flows.
"""
false_positives = "Jobs over RDMA do not care; they are left out."
references = ["mlx5 counters.rst: rx_out_of_buffer; AWS ENA network performance metrics"]
[[test]]
fires = 1
expect = { hosts = ["node1"], confidence = "possible" }
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (eth0)
NIC statistics:
     rx_packets: 1000000000
     tx_packets: 1000000000
     rx_out_of_buffer: 5
##### ethtool -S eth1   (eth1)
NIC statistics:
     rx_packets: 1000000000
     tx_packets: 1000000000
     rx_out_of_buffer: 5
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (eth0)
NIC statistics:
     rx_packets: 3000000000
     tx_packets: 3000000000
     rx_out_of_buffer: 9000000
##### ethtool -S eth1   (eth1)
NIC statistics:
     rx_packets: 3000000000
     tx_packets: 3000000000
     rx_out_of_buffer: 5
'''
logs."node1.log" = '''
node1:4121:4390 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 1
expect = { hosts = ["node1"] }
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (eth0)
NIC statistics:
     rx_packets: 1000000000
     bw_in_allowance_exceeded: 5
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (eth0)
NIC statistics:
     rx_packets: 3000000000
     bw_in_allowance_exceeded: 9000000
'''
logs."node1.log" = '''
node1:4121:4390 [0] NCCL INFO Using network Socket
'''
logs."train.log" = '''
iter 1: loss 2.4901, time 4207.08ms
iter 2: loss 2.4902, time 4201.08ms
iter 3: loss 2.4903, time 4208.08ms
iter 4: loss 2.4904, time 4202.08ms
iter 5: loss 2.4905, time 4209.08ms
iter 6: loss 2.4906, time 4203.08ms
iter 7: loss 2.4907, time 4210.08ms
iter 8: loss 2.4908, time 4204.08ms
iter 9: loss 2.4909, time 4211.08ms
iter 10: loss 2.4910, time 4205.08ms
iter 11: loss 2.4911, time 6912.08ms
iter 12: loss 2.4912, time 6906.08ms
iter 13: loss 2.4913, time 6900.08ms
iter 14: loss 2.4914, time 6907.08ms
iter 15: loss 2.4915, time 6901.08ms
iter 16: loss 2.4916, time 6908.08ms
iter 17: loss 2.4917, time 6902.08ms
iter 18: loss 2.4918, time 6909.08ms
'''
[[test]]
# Over RDMA.
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (eth0)
NIC statistics:
     rx_packets: 1000000000
     tx_packets: 1000000000
     rx_out_of_buffer: 5
##### ethtool -S eth1   (eth1)
NIC statistics:
     rx_packets: 1000000000
     tx_packets: 1000000000
     rx_out_of_buffer: 5
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (eth0)
NIC statistics:
     rx_packets: 3000000000
     tx_packets: 3000000000
     rx_out_of_buffer: 9000000
##### ethtool -S eth1   (eth1)
NIC statistics:
     rx_packets: 3000000000
     tx_packets: 3000000000
     rx_out_of_buffer: 5
'''
logs."node1.log" = '''
node1:4121:4390 [0] NCCL INFO Using network IB
'''
[[test]]
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (eth0)
NIC statistics:
     rx_packets: 1000000000
     tx_packets: 1000000000
     rx_out_of_buffer: 5
##### ethtool -S eth1   (eth1)
NIC statistics:
     rx_packets: 1000000000
     tx_packets: 1000000000
     rx_out_of_buffer: 5
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (eth0)
NIC statistics:
     rx_packets: 3000000000
     tx_packets: 3000000000
     rx_out_of_buffer: 900
##### ethtool -S eth1   (eth1)
NIC statistics:
     rx_packets: 3000000000
     tx_packets: 3000000000
     rx_out_of_buffer: 5
'''
logs."node1.log" = '''
node1:4121:4390 [0] NCCL INFO Using network Socket
'''
*/
-- The test: 0.1 % of the packets, where TCP becomes slow, and 1000 of them, on a host that uses nothing but sockets.
WITH lossy AS (
  SELECT n.*, n.host_drops / nullif(n.packets, 0) AS share
  FROM nic_losses n
  JOIN host_networks h ON h.attempt IS NOT DISTINCT FROM n.attempt AND h.host = n.host AND h.only_sockets
  WHERE n.host_drops >= 1000 AND n.host_drops >= 0.001 * n.packets)
SELECT l.attempt, [l.host] AS hosts, [l.place] AS devices, s.slow_began AS began,
       list({'file_id': d.file_id, 'line': d.line, 'part': d.part} ORDER BY d.name) AS evidence,
       CASE WHEN s.slow_steps > 0 THEN 'likely' ELSE 'possible' END AS confidence,
       s.severity, s.role,
       printf('%s: %s dropped %.2f %% of the received packets, and the job runs over sockets', l.host, l.who, 100 * l.share) || coalesce(s.effect, '') AS summary
FROM lossy l
JOIN counter_deltas d ON d.place = l.place AND d.class = 'host_drop' AND d.delta > 0
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM l.attempt
GROUP BY l.attempt, l.host, l.place, l.who, l.share, s.slow_began, s.slow_steps, s.severity, s.role, s.effect
