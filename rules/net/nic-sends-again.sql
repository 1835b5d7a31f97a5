/*
title    = "One NIC sends again and the other end is not in the input"
kind     = "net.packet_loss"
severity = "medium"
role     = "cause"
confidence = "possible"
needs    = ["nic_counters"]
explanation = """
This NIC had to send packets again while its siblings did not, and no NIC in the input counts drops or gaps. Packets are lost on its way: its own cable and
port, the switch, or the receiver, whose counters are missing.
"""
advice = """
Take the counters of the NICs it talks to (same rail, other hosts), before and after some minutes of load: the one with `out_of_sequence` and `rx_discards_phy` is where packets are lost.
If all its peers are clean, look at the cable and the switch port of this NIC.
"""
false_positives = "Peers that died also stop to acknowledge; then an error of NCCL names them."
references = ["Linux: Documentation/ABI/stable/sysfs-class-infiniband"]
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_2"], confidence = "possible" }
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:0
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_packets_phy: 3000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:6
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_packets_phy: 3000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:6
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:8
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:300000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:40
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_2"] }
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err:0
/sys/class/infiniband/mlx5_2/ports/1/counters/port_xmit_packets:1000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:0
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_packets_phy: 3000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:6
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_packets_phy: 3000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:6
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err:0
/sys/class/infiniband/mlx5_2/ports/1/counters/port_xmit_packets:3000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:90000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:40
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
# The receiver is there: it is to be named.
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:0
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_packets_phy: 3000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:6
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:300000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:40
'''
logs."node2_before.txt" = '''
##### before job node2 Tue Sep 10 04:00:00 2024
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:0
'''
logs."node2_after.txt" = '''
##### after job node2 Tue Sep 10 05:00:00 2024
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:800000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:0
'''
[[test]]
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:0
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_packets_phy: 3000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:6
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:30
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:4
'''
*/
-- The test: retransmissions of one in 10^5 packets and ten times the usual, on one NIC of its name only, while no NIC of the job has drops or gaps beyond
-- one in 10^6.
WITH calm AS (
  SELECT attempt FROM nic_losses GROUP BY attempt HAVING max(greatest(drop_share, gap_share)) < 1e-6 OR max(greatest(drops, gaps)) < 100)
SELECT l.attempt, [l.host] AS hosts, [l.place] AS devices, s.slow_began AS began, l.loss_lines_of_both AS evidence, s.severity, s.role,
       l.on_host || printf('%s sent %d packets again, its siblings none', l.who, CAST(l.resends AS BIGINT)) || coalesce(s.effect, '') AS summary
FROM nic_losses l
JOIN calm c ON c.attempt IS NOT DISTINCT FROM l.attempt
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM l.attempt
WHERE l.siblings >= 1 AND l.resends >= 1000 AND l.resends >= 10 * l.sibling_resends AND l.rail_resends < 0.1 * l.resends
  AND coalesce(l.resend_share >= 1e-5, l.resends >= 10000)
