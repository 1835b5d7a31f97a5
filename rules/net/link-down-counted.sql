/*
title    = "A counter says that a link went down during the job"
kind     = "net.link_flap"
severity = "info"
role     = "context"
confidence = "certain"
needs    = ["nic_counters"]
explanation = """
Between two snapshots the port counted a lost link. When and for how long a counter cannot say; the kernel log of the host does.
"""
advice = """
Look for the time in the kernel log of the host: `dmesg -T | grep -iE 'link (down|up)|port module'`, and in the log of the switch port.
"""
false_positives = "A restart of the interface between the snapshots counts too."
references = ["mlx5 counters.rst: link_down_events_phy; sysfs-class-infiniband: link_downed"]
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_1"], severity = "info" }
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 1000000000
     link_down_events_phy: 2
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 1000000000
     link_down_events_phy: 2
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
##### ethtool -S eth0   (mlx5_0)
NIC statistics:
     rx_packets_phy: 3000000000
     link_down_events_phy: 2
##### ethtool -S eth1   (mlx5_1)
NIC statistics:
     rx_packets_phy: 3000000000
     link_down_events_phy: 3
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_0"] }
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:2
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_1/ports/1/counters/link_downed:0
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:4
/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_1/ports/1/counters/link_downed:0
'''
[[test]]
fires = 0
logs."node1_before.txt" = '''
##### before job node1 Tue Sep 10 04:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:1000000000
/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:2
'''
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:2
'''
[[test]]
fires = 0
logs."node1_after.txt" = '''
##### after job node1 Tue Sep 10 05:00:00 2024
/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets:3000000000
/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:4
'''
*/
-- Counters that began anew say nothing: the delta is then the whole count.
SELECT attempt, [host] AS hosts, [place] AS devices, min(began) AS began, max(ended) AS ended,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY name) AS evidence,
       coalesce(host || ': ', '') || printf('the link of %s went down %s between the snapshots', who,
              CASE WHEN max(delta) = 1 THEN 'once' ELSE printf('%d times', CAST(max(delta) AS INTEGER)) END) AS summary
FROM counter_deltas
WHERE class = 'down' AND delta > 0 AND NOT was_reset
GROUP BY attempt, host, place, who
