/*
title    = "A host holds the network up with pause frames"
kind     = "net.congestion"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "sched.cancelled"]
needs    = ["nic_counters"]
explanation = """
This port asked the network to pause for a noticeable part of the time, its siblings did not. Pause sent means that this host cannot take what arrives:
a degraded PCIe link, IOMMU or ACS in the way, no relaxed ordering, memory on the wrong socket. Everybody who sends to it waits, and others behind them.
"""
advice = """
Compare this NIC with its siblings: `lspci -vv` (LnkSta width and speed, MaxReadReq, RelaxedOrdering), `ethtool -S NETDEV | grep -E 'pci_stalled|pause|out_of_buffer'`, NUMA node, ACS and IOMMU.
Take two snapshots under load after each change.
"""
false_positives = "Below 1 % of the time pause frames are how a lossless network works."
references = ["IEEE 802.1Qbb; mlx5 counters.rst: tx_prio_pause_duration"]
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_1"], confidence = "likely" }
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 900
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 300000000
     rx_prio3_pause_duration: 900
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 1000
     rx_prio3_pause_duration: 900
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_1"] }
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 900
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 90000000
     rx_prio3_pause_duration: 900
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 1000
     rx_prio3_pause_duration: 900
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
# Three seconds in an hour.
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 900
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 3000000
     rx_prio3_pause_duration: 900
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 1000
     rx_prio3_pause_duration: 900
'''
[[test]]
# Pause received says something of others.
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 300000000
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 350000000
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 1000
     rx_prio3_pause_duration: 310000000
'''
[[test]]
# No times: names of files say which is first, and which device it is.
fires = 1
expect = { hosts = ["c4-n03"], devices = ["c4-n03/ens2f0np0"], confidence = "possible" }
logs."c4-n01_ens2f0np0_before.txt" = """
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
"""
logs."c4-n01_ens2f0np0_after.txt" = """
NIC statistics:
     rx_packets_phy: 2000000000
     tx_prio3_pause_duration: 11
"""
logs."c4-n02_ens2f0np0_before.txt" = """
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 5
"""
logs."c4-n02_ens2f0np0_after.txt" = """
NIC statistics:
     rx_packets_phy: 2000000000
     tx_prio3_pause_duration: 900
"""
logs."c4-n03_ens2f0np0_before.txt" = """
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
"""
logs."c4-n03_ens2f0np0_after.txt" = """
NIC statistics:
     rx_packets_phy: 2000000000
     tx_prio3_pause_duration: 88123456
"""
[[test]]
# Frames only, on a driver that counts no time.
fires = 1
expect = { hosts = ["sn2"] }
logs."ethtool-sn1-before.txt" = """
# ethtool -S eth2
NIC statistics:
     rx_total_frames: 9000000
     tx_pfc_ena_frames_pri3: 0
"""
logs."ethtool-sn1-after.txt" = """
# ethtool -S eth2
NIC statistics:
     rx_total_frames: 99000000
     tx_pfc_ena_frames_pri3: 40
"""
logs."ethtool-sn2-before.txt" = """
# ethtool -S eth2
NIC statistics:
     rx_total_frames: 9000000
     tx_pfc_ena_frames_pri3: 7
"""
logs."ethtool-sn2-after.txt" = """
# ethtool -S eth2
NIC statistics:
     rx_total_frames: 99000000
     tx_pfc_ena_frames_pri3: 400123
"""
logs."ethtool-sn3-before.txt" = """
# ethtool -S eth2
NIC statistics:
     rx_total_frames: 9000000
     tx_pfc_ena_frames_pri3: 0
"""
logs."ethtool-sn3-after.txt" = """
# ethtool -S eth2
NIC statistics:
     rx_total_frames: 99000000
     tx_pfc_ena_frames_pri3: 4
"""
[[test]]
fires = 0                        # half a second in all
logs."c4-n01_ens2f0np0_before.txt" = """
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 0
"""
logs."c4-n01_ens2f0np0_after.txt" = """
NIC statistics:
     rx_packets_phy: 2000000000
     tx_prio3_pause_duration: 11
"""
logs."c4-n02_ens2f0np0_before.txt" = """
NIC statistics:
     rx_packets_phy: 1000000000
     tx_prio3_pause_duration: 5
"""
logs."c4-n02_ens2f0np0_after.txt" = """
NIC statistics:
     rx_packets_phy: 2000000000
     tx_prio3_pause_duration: 500123
"""
*/
-- The test: pause sent for more than 1 % of the time between the snapshots (5 % where no step times show the harm) and ten times the usual. Snapshots
-- without times: ten seconds of pause in all, which no blip reaches. Drivers that count frames only: one pause for a thousand packets.
WITH holder AS (
  SELECT *, CASE WHEN seconds > 0 AND holds_us > 0 THEN 'share' WHEN holds_us > 0 THEN 'time' ELSE 'frames' END AS how
  FROM nic_losses
  WHERE holds_us >= 10 * sibling_holds_us AND holds_frames >= 10 * sibling_holds_frames)
SELECT l.attempt, [l.host] AS hosts, [l.place] AS devices, s.slow_began AS began, l.pressure_lines AS evidence, s.severity, s.role,
       CASE WHEN l.how = 'share' THEN 'likely' ELSE 'possible' END AS confidence,
       l.on_host || l.who
       || CASE l.how WHEN 'share' THEN printf(' paused the network for %.0f %% of the time', 100 * l.holds_share)
                     WHEN 'time' THEN printf(' paused the network for %.0f s between the snapshots', l.holds_us / 1e6)
                     ELSE printf(' sent %d pause frames', CAST(l.holds_frames AS BIGINT)) END
       || ', so this host is too slow for what it receives' || coalesce(s.effect, '') AS summary
FROM holder l
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM l.attempt
WHERE CASE l.how WHEN 'share' THEN l.holds_share > CASE WHEN s.slow_steps > 0 THEN 0.01 ELSE 0.05 END AND l.holds_share <= 1.5
                 WHEN 'time' THEN l.siblings >= 1 AND l.holds_us >= 1e7
                 ELSE l.siblings >= 1 AND NOT l.has_durations AND l.holds_frames >= greatest(10000, 1e-3 * l.packets) END
