/*
title    = "Packets to one NIC are lost on the way"
kind     = "net.packet_loss"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "net.congestion", "net.ib_error", "hang.watchdog_timeout", "launcher.*", "sched.cancelled"]
needs    = ["nic_counters"]
explanation = """
This NIC received packets with gaps before them, and peers had to send again: packets to it are lost, and its own port did not count the drop (the switch
did, or nobody). Gaps without any retransmission are adaptive routing, which reorders packets and loses none.
"""
advice = """
Read the counters of the switch port towards this NIC (discards, FEC and symbol errors) and of its cable: `mlxlink -d DEVICE -c -e`.
Compare priority, PFC and ECN settings of this port with those of its siblings; take two snapshots under load after each change.
"""
false_positives = "Adaptive routing without retransmissions stays silent."
references = ["Linux: Documentation/ABI/stable/sysfs-class-infiniband"]
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_1"], confidence = "likely" }
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
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
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
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:180001
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
'''
logs."node2_before.txt" = '''
##### before job node2 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:0
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err:0
'''
logs."node2_after.txt" = '''
##### after job node2 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_packets_phy: 3000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:6
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:0
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:2
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:55000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err:340
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
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:4
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
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:800000
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
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:8
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:300000
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
# Adaptive routing: gaps everywhere, nothing sent again.
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:2
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:0
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err:2
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:90001
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:2
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:140001
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:0
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err:2
'''
[[test]]
# Gaps, and nobody sent again.
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
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
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
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:180001
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
'''
*/
-- The test: gaps in at least one of 10^5 packets and ten times what is usual, retransmissions at NICs of the same name on other hosts of at least 1 % of
-- them, and hardly any drops at the port itself (those are another finding).
SELECT l.attempt, [l.host] AS hosts, [l.place] AS devices, s.slow_began AS began, l.loss_lines_of_both AS evidence, s.severity, s.role,
       l.on_host || printf('packets to %s are lost: %d gaps', l.who, CAST(l.gaps AS BIGINT))
       || coalesce(printf(' (%.3f %%)', 100 * l.gap_share), '') || ', and its peers sent again' || coalesce(s.effect, '') AS summary
FROM nic_losses l
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM l.attempt
WHERE l.gaps >= 1000 AND l.gaps >= 10 * l.sibling_gaps AND coalesce(l.gap_share >= 1e-5, l.gaps >= 10000)
  AND l.drops < 0.01 * l.gaps AND l.rail_resends >= 0.01 * l.gaps
