/*
title    = "An RDMA benchmark between two adapters failed"
kind     = "net.ib_error"
severity = "high"
role     = "cause"
confidence = "possible"
needs    = ["perftest"]
explanation = """
perftest needs nothing of the training stack: what fails here fails below NCCL. Status 12 says that the other end did not acknowledge: path, addressing (GID index, RoCE version, MTU, VLAN), a firewall, or the process at the
other end gone. Status 4 and 10 are memory that the adapter may not use. Both ends are open.
"""
advice = """
Repeat the test with the roles exchanged and with another device of each host: the end that stays in all failures is the one.
On RoCE compare `show_gids` of both ends and the index given with -x; try `ping -M do -s 8972` between the two addresses.
Read port state and counters at both ends before and after: `ibstat`, `perfquery`, `ethtool -S`.
"""
false_positives = "The other end was stopped by hand in the middle of the test."
references = ["linux-rdma/perftest", "InfiniBand verbs: completion status"]
[[test]]
fires = 1
expect = { devices = [], confidence = "possible" }
logs."bw.txt" = '''
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_2
 Completion with error at client
 Failed status 12: wr_id 0 syndrom 0x81
scnt=128, ccnt=0
'''
[[test]]
fires = 1
logs."bw.txt" = '''
                    RDMA_Read BW Test
 Dual-port       : OFF		Device         : mlx5_2
 Failed status 10: wr_id 0 syndrom 0x88
'''
[[test]]
fires = 0                       # ended by itself
logs."bw.txt" = '''
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_0
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             393.11             392.87  		   0.749340
'''
[[test]]
fires = 0                       # the server was not started yet
logs."bw.txt" = '''
Couldn't connect to 10.77.2.15:18515
'''
*/
SELECT attempt, min(ts) AS began,
       printf('An RDMA test failed with status %d (%s): both ends are open', min(status) FILTER (WHERE status <> 5 OR only_flushed),
              CASE min(status) FILTER (WHERE status <> 5 OR only_flushed) WHEN 12 THEN 'no acknowledgement' WHEN 13 THEN 'the receiver was not ready' WHEN 4 THEN 'memory of this end refused' WHEN 10 THEN 'memory of the other end refused'
                   WHEN 5 THEN 'flushed' ELSE 'see the verbs manual' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   (SELECT *, min(status) OVER (PARTITION BY attempt) = 5 AND max(status) OVER (PARTITION BY attempt) = 5 AS only_flushed FROM bench_perftest_failed)
GROUP  BY attempt
