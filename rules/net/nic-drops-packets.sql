/*
title    = "A NIC drops packets"
kind     = "net.packet_loss"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "net.congestion", "net.ib_error", "hang.watchdog_timeout", "launcher.*", "sched.cancelled"]
needs    = ["nic_counters"]
explanation = """
Between two snapshots of the counters this port dropped packets and its siblings did not. On a lossless fabric every drop costs a retransmission, which stalls
the whole collective. The receiver counts the drops and gaps (`rx_discards_phy`, `out_of_sequence`); its peers count retransmissions
(`packet_seq_err`, `local_ack_timeout_err`) and are victims.
"""
advice = """
On this host compare the port with its siblings: `mlnx_qos -i NETDEV` (is PFC on for the priority that carries RoCE?), `ethtool -S NETDEV | grep -E 'discard|pause|out_of_buffer'`, `lspci -vv` of the NIC (width, MaxReadReq).
Check the same priority, ECN and buffer settings on the switch port, and its counters.
Take two snapshots ten minutes apart under load to see whether it goes on; keep the host out of multi-node jobs until it does not.
"""
false_positives = "Loss that the step times do not show is information. Drops on all NICs alike are a matter of the fabric's settings."
references = ["Linux: networking/device_drivers/ethernet/mellanox/mlx5/counters.rst"]
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_1"], confidence = "likely", severity = "high" }
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
     rx_discards_phy: 180007
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
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 0
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
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_packets_phy: 3000000000
     rx_discards_phy: 0
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:2
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:55000
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err:340
'''
[[test]]
# With steps that became slower.
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_2"], confidence = "certain" }
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
     tx_packets_phy: 1000000000
     rx_discards_phy: 7
     rx_prio3_discards: 0
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:4
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:1
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
     tx_packets_phy: 3000000000
     rx_discards_phy: 2100007
     rx_prio3_discards: 2100000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:1700000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:1
'''
logs."node2_before.txt" = '''
##### before job node2 Tue Sep 10 04:00:00 2024
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 0
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:0
'''
logs."node2_after.txt" = '''
##### after job node2 Tue Sep 10 05:00:00 2024
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_packets_phy: 3000000000
     rx_discards_phy: 0
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err:830000
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:340
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
# One snapshot has no time base.
fires = 0
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     rx_discards_phy: 180007
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:180001
'''
[[test]]
# A handful among 2 * 10^9 packets.
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
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_packets_phy: 1000000000
     rx_discards_phy: 7
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:4
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
     rx_discards_phy: 46
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:3500
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
iter 11: loss 2.4911, time 4212.08ms
iter 12: loss 2.4912, time 4206.08ms
iter 13: loss 2.4913, time 4200.08ms
iter 14: loss 2.4914, time 4207.08ms
iter 15: loss 2.4915, time 4201.08ms
iter 16: loss 2.4916, time 4208.08ms
iter 17: loss 2.4917, time 4202.08ms
iter 18: loss 2.4918, time 4209.08ms
'''
[[test]]
fires = 1                        # a port of a switch that has no room left
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
 Ethernet16        U  9,122,334,412  4021.22 MB/s      8.04%       412        912         0  9,110,023,311  3992.12 MB/s      7.98%         0   912,334         0
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
-- The test: at least 100 drops, one in a million packets or more (one in 10^5 is where a fabric must be repaired), and ten times what is usual among the
-- NICs of the job. Confirmed by gaps at this port and by peers that sent again.
WITH lossy AS (
  SELECT *, gaps >= 0.1 * drops OR rail_resends > 100 AS is_confirmed
  FROM nic_losses
  WHERE drops >= 100 AND drops >= 10 * sibling_drops AND coalesce(drop_share >= 1e-6, drops >= 1000))
SELECT l.attempt, l.hosts_named AS hosts, [l.place] AS devices, s.slow_began AS began, l.loss_lines_of_both AS evidence,
       CASE WHEN l.is_confirmed AND l.drop_share >= 1e-5 AND s.slow_steps > 0 THEN 'certain'
            WHEN l.is_confirmed OR s.slow_steps > 0 THEN 'likely' ELSE 'possible' END AS confidence,
       CASE WHEN s.steps IS NULL AND l.drop_share < 1e-5 THEN 'info' ELSE s.severity END AS severity,
       CASE WHEN s.steps IS NULL AND l.drop_share < 1e-5 THEN 'context' ELSE s.role END AS role,
       l.on_host || l.who || printf(' dropped %d packets', CAST(l.drops AS BIGINT))
       || coalesce(printf(' (%.3f %%)', 100 * l.drop_share), '')
       || coalesce(printf(' in %d minutes', CAST(ceil(nullif(l.seconds, 0) / 60) AS INTEGER)), '')
       || CASE WHEN l.rail_resends > 100 THEN ' and its peers sent again' ELSE '' END || coalesce(s.effect, '') AS summary
FROM lossy l
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM l.attempt
