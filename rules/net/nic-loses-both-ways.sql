/*
title    = "One NIC loses packets in both directions"
kind     = "net.packet_loss"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["net.congestion", "perf.straggler", "perf.low_busbw"]
needs    = ["nic_counters"]
explanation = '''
Between two snapshots this NIC met gaps in what it received and had to send again much of what it sent, and its siblings in the same host did neither. Reordering by the network makes gaps, but nobody resends for it: packets are lost at this port, its cable, or the port at the other end.
'''
advice = '''
`mlxlink -d DEVICE -c -e -m` and the counters of the switch port; clean and exchange the cable; compare with the same rail of other hosts.
'''
false_positives = "A peer of this rail that is slow or gone makes resends, but no gaps."
references = ["mlx5 hw_counters: out_of_sequence, packet_seq_err, local_ack_timeout_err"]
[[test]]
fires = 1
expect = { hosts = ["n3"], devices = ["n3/mlx5_1"] }
logs."before.txt" = '''
### 2025-01-12 08:00:00 host n3
link mlx5_0/1 rx_write_requests 1812 out_of_sequence 12 packet_seq_err 3 local_ack_timeout_err 0
link mlx5_1/1 rx_write_requests 1801 out_of_sequence 9 packet_seq_err 2 local_ack_timeout_err 0
link mlx5_2/1 rx_write_requests 1805 out_of_sequence 11 packet_seq_err 2 local_ack_timeout_err 0
'''
logs."after.txt" = '''
### 2025-01-12 08:10:00 host n3
link mlx5_0/1 rx_write_requests 918122 out_of_sequence 14 packet_seq_err 3 local_ack_timeout_err 0
link mlx5_1/1 rx_write_requests 917801 out_of_sequence 91822 packet_seq_err 71231 local_ack_timeout_err 4812
link mlx5_2/1 rx_write_requests 918005 out_of_sequence 12 packet_seq_err 2 local_ack_timeout_err 0
'''
[[test]]
fires = 1
expect = { hosts = ["n3"], devices = ["n3/mlx5_0"] }
logs."n3_before.txt" = '''
##### before job n3
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:12
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:1
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:12
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
'''
logs."n3_after.txt" = '''
##### after job n3
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:22012
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:21001
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:13
/sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err:1
'''
[[test]]
fires = 0                        # reordered, not lost
logs."before.txt" = '''
### 2025-01-12 08:00:00 host n3
link mlx5_0/1 out_of_sequence 12 packet_seq_err 3 local_ack_timeout_err 0
link mlx5_1/1 out_of_sequence 9 packet_seq_err 2 local_ack_timeout_err 0
'''
logs."after.txt" = '''
### 2025-01-12 08:10:00 host n3
link mlx5_0/1 out_of_sequence 14 packet_seq_err 3 local_ack_timeout_err 0
link mlx5_1/1 out_of_sequence 91822 packet_seq_err 2 local_ack_timeout_err 0
'''
[[test]]
fires = 0                        # all alike: the fabric
logs."before.txt" = '''
### 2025-01-12 08:00:00 host n3
link mlx5_0/1 out_of_sequence 12 packet_seq_err 3 local_ack_timeout_err 0
link mlx5_1/1 out_of_sequence 9 packet_seq_err 2 local_ack_timeout_err 0
'''
logs."after.txt" = '''
### 2025-01-12 08:10:00 host n3
link mlx5_0/1 out_of_sequence 81014 packet_seq_err 61003 local_ack_timeout_err 0
link mlx5_1/1 out_of_sequence 91822 packet_seq_err 71231 local_ack_timeout_err 0
'''
*/
-- The test: a thousand of both and ten times the usual of both; where packets are counted, one in 10^5. With several hosts the other rules know which end it is.
SELECT l.attempt, [l.host] AS hosts, [l.place] AS devices, s.slow_began AS began, l.loss_lines_of_both AS evidence, s.severity, s.role,
       l.on_host || printf('%s lost packets both ways: %d gaps received, %d sent again, its siblings none', l.who, CAST(l.gaps AS BIGINT), CAST(l.resends AS BIGINT)) || coalesce(s.effect, '') AS summary
FROM   nic_losses l
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM l.attempt
WHERE  l.siblings >= 1 AND l.gaps >= 1000 AND l.resends >= 1000 AND l.gaps >= 10 * l.sibling_gaps AND l.resends >= 10 * l.sibling_resends AND coalesce(l.gap_share >= 1e-5, true)
AND    (SELECT count(DISTINCT host) FROM nic_losses) <= 1
