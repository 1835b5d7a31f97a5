/*
title    = "A link damages packets"
kind     = "net.packet_loss"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "net.congestion", "net.ib_error"]
needs    = ["nic_counters"]
explanation = """
Between two snapshots the port counted symbols or packets that arrived damaged, which FEC could not repair, and its siblings did not: cable,
transceiver, connector, or the port at the other end. Damaged packets are lost. Corrected bits and raw bit errors are normal on fast links and are not counted here.
"""
advice = """
Clean and reseat the cable of this port, then swap it: `mlxlink -d DEVICE -c -e -m` (bit error ratio, FEC, optical power, module temperature) before and after.
If the errors stay with the port, swap the switch port; if they follow the cable, replace it.
"""
false_positives = "A few errors at a retraining of the link; a rate below ten an hour is left out."
references = ["Linux: Documentation/ABI/stable/sysfs-class-infiniband; mlx5 counters.rst"]
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_1"] }
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:4
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_errors:0
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_1/ports/1/counters/symbol_error:4
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_errors:0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:4
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_errors:0
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_1/ports/1/counters/symbol_error:5200
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_errors:812
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_1"], severity = "high" }
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
     rx_crc_errors_phy: 0
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
     rx_crc_errors_phy: 730
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
# Old errors: it is growth that counts.
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:4
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_1/ports/1/counters/symbol_error:5200
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:4
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_1/ports/1/counters/symbol_error:5202
'''
[[test]]
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     rx_corrected_bits_phy: 4
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     rx_corrected_bits_phy: 4
     rx_err_lane_0_phy: 5
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     rx_corrected_bits_phy: 90000000
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     rx_corrected_bits_phy: 290000000
     rx_err_lane_0_phy: 2000000
'''
[[test]]
fires = 1                        # a port of a switch
expect = { hosts = [], devices = ["leaf9/Ethernet16"] }
logs."leaf9_before.txt" = '''
admin@leaf9:~$ show interfaces counters
Thu 12 Dec 2024 09:00:01 AM UTC
      IFACE    STATE          RX_OK        RX_BPS    RX_UTIL    RX_ERR    RX_DRP    RX_OVR          TX_OK        TX_BPS    TX_UTIL    TX_ERR    TX_DRP    TX_OVR
-----------  -------  -------------  ------------  ---------  --------  --------  --------  -------------  ------------  ---------  --------  --------  --------
  Ethernet0        U  1,122,334,411  4021.22 MB/s      8.04%         0        12         0  1,110,023,311  3992.12 MB/s      7.98%         0         0         0
 Ethernet16        U  1,122,334,412  4021.22 MB/s      8.04%       412        12         0  1,110,023,311  3992.12 MB/s      7.98%         0         9         0
'''
logs."leaf9_after.txt" = '''
admin@leaf9:~$ show interfaces counters
Thu 12 Dec 2024 09:30:01 AM UTC
      IFACE    STATE          RX_OK        RX_BPS    RX_UTIL    RX_ERR    RX_DRP    RX_OVR          TX_OK        TX_BPS    TX_UTIL    TX_ERR    TX_DRP    TX_OVR
-----------  -------  -------------  ------------  ---------  --------  --------  --------  -------------  ------------  ---------  --------  --------  --------
  Ethernet0        U  9,122,334,411  4021.22 MB/s      8.04%         0        912         0  9,110,023,311  3992.12 MB/s      7.98%         0         0         0
 Ethernet16        U  9,122,334,412  4021.22 MB/s      8.04%    81,223        912         0  9,110,023,311  3992.12 MB/s      7.98%         0         9         0
'''
[[test]]
fires = 0                        # unwanted packets alone are dropped there all the time
logs."leaf9_before.txt" = '''
admin@leaf9:~$ show interfaces counters
Thu 12 Dec 2024 09:00:01 AM UTC
      IFACE    STATE          RX_OK        RX_BPS    RX_UTIL    RX_ERR    RX_DRP    RX_OVR          TX_OK        TX_BPS    TX_UTIL    TX_ERR    TX_DRP    TX_OVR
-----------  -------  -------------  ------------  ---------  --------  --------  --------  -------------  ------------  ---------  --------  --------  --------
  Ethernet0        U  1,122,334,411  4021.22 MB/s      8.04%         0        12         0  1,110,023,311  3992.12 MB/s      7.98%         0         0         0
 Ethernet16        U  1,122,334,412  4021.22 MB/s      8.04%       412        12         0  1,110,023,311  3992.12 MB/s      7.98%         0         9         0
'''
logs."leaf9_after.txt" = '''
admin@leaf9:~$ show interfaces counters
Thu 12 Dec 2024 09:30:01 AM UTC
      IFACE    STATE          RX_OK        RX_BPS    RX_UTIL    RX_ERR    RX_DRP    RX_OVR          TX_OK        TX_BPS    TX_UTIL    TX_ERR    TX_DRP    TX_OVR
-----------  -------  -------------  ------------  ---------  --------  --------  --------  -------------  ------------  ---------  --------  --------  --------
  Ethernet0        U  9,122,334,411  4021.22 MB/s      8.04%         0        912         0  9,110,023,311  3992.12 MB/s      7.98%         0         0         0
 Ethernet16        U  9,122,334,412  4021.22 MB/s      8.04%       412        912         0  9,110,023,311  3992.12 MB/s      7.98%         0         9         0
'''
*/
-- The test: at least 100 errors and ten times the usual of the job's NICs, ten an hour or more.
SELECT l.attempt, l.hosts_named AS hosts, [l.place] AS devices, s.slow_began AS began, l.loss_lines AS evidence,
       CASE WHEN s.slow_steps > 0 THEN 'high' ELSE s.severity END AS severity, s.role,
       l.on_host || printf('the link of %s damages packets, %d more errors', l.who, CAST(l.wire AS BIGINT))
       || coalesce(printf(' in %d minutes', CAST(ceil(nullif(l.seconds, 0) / 60) AS INTEGER)), '') || coalesce(s.effect, '') AS summary
FROM nic_losses l
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM l.attempt
WHERE l.wire >= 100 AND l.wire >= 10 * l.sibling_wire AND coalesce(l.wire / nullif(l.seconds, 0) >= 10 / 3600.0, true)
