/*
title    = "The network holds most NICs back"
kind     = "net.congestion"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["nic_counters"]
explanation = """
Most NICs of the job were paused by the network for a noticeable part of the time and nothing was lost: more traffic than a link on the way can carry, or a slow
receiver that is not in the input. No place follows from counters of the senders alone.
"""
advice = """
Read the pause and ECN counters of the switches, from the leaf towards the spine: the port that receives pause without passing it on leads to the slow receiver.
Look for other jobs on the same uplinks, for uneven hashing of flows, and for one host whose NICs send pause.
"""
false_positives = "Short pauses are normal on a lossless network; less than 5 % of the time is not reported."
references = ["IEEE 802.1Qbb; mlx5 counters.rst: rx_prio_pause_duration"]
[[test]]
fires = 1
expect = { hosts = [], confidence = "possible" }
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
fires = 1
expect = { hosts = [] }
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
'''
logs."node2_before.txt" = '''
##### before job node2 Tue Sep 10 04:00:00 2024
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
'''
logs."node2_after.txt" = '''
##### after job node2 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 300000000
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 0
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
     rx_prio3_pause_duration: 3000000
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 0
     rx_prio3_pause_duration: 3500000
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 1000
     rx_prio3_pause_duration: 3100000
'''
[[test]]
# One NIC of the job sends the pause: another finding.
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
     tx_prio3_pause_duration: 900000000
     rx_prio3_pause_duration: 350000000
##### ethtool -S eth2   (mlx5_2)
NIC statistics:
     rx_packets_phy: 3000000000
     tx_prio3_pause_duration: 1000
     rx_prio3_pause_duration: 310000000
'''
*/
-- The test: at least half of the NICs, and two of them, were paused for more than 5 % of the time, and none of the job pauses others for more than 1 %.
WITH job AS (
  SELECT attempt, count(*) AS nics, count(*) FILTER (WHERE held_share > 0.05) AS held, median(held_share) FILTER (WHERE held_share > 0.05) AS share,
         flatten(list(pressure_lines[:1] ORDER BY held_share DESC, place) FILTER (WHERE held_share > 0.05)) AS evidence
  FROM nic_losses
  WHERE seconds > 0
  GROUP BY attempt
  HAVING held >= greatest(2, 0.5 * nics) AND max(holds_share) <= 0.01 AND max(held_share) <= 1.5)
SELECT j.attempt, s.slow_began AS began, j.evidence, s.severity, s.role,
       -- paused and slow at once is more than either
       CASE WHEN s.slow_steps > 0 THEN 'likely' ELSE 'possible' END AS confidence,
       printf('The network paused %d of %d NICs for %.0f %% of the time', j.held, j.nics, 100 * j.share) || coalesce(s.effect, '') AS summary
FROM job j
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM j.attempt
