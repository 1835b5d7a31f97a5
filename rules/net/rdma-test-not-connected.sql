/*
title    = "An RDMA test could not set up its connection"
kind     = "net.ib_error"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["perftest"]
explanation = '''
The adapter refused to bring the queue pair of this test to the state in which it receives. The GID index has no entry of the right type, the address of the other end cannot be resolved or routed from this port, or the MTU does not fit.
The table of the test does not say which, nor at which end.
'''
advice = '''
`show_gids` on both ends and the same index for both (RoCE v2, IPv4); `ip route get PEER` and `ping -I INTERFACE PEER`; on InfiniBand `ibstat` for the subnet manager's lid and `ibping`.
'''
false_positives = "A test that was started with the wrong device or index by hand."
references = ["libibverbs examples: ibv_rc_pingpong", "github.com/linux-rdma/perftest"]
[[test]]
fires = 1
logs."pp.txt" = '''
  local address:  LID 0x0000, QPN 0x0009a1, PSN 0x1b2c3d, GID ::ffff:10.3.0.6
Failed to modify QP to RTR
Couldn't connect to remote QP
'''
[[test]]
fires = 1
logs."bw.txt" = '''
Failed to modify QP 1234 to RTR
 Unable to Connect the HCA's through the link
'''
[[test]]
fires = 0                        # nobody listened yet
logs."bw.txt" = '''
Couldn't connect to 10.0.0.2:18515
'''
[[test]]
fires = 0
logs."bw.txt" = '''
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             197.10             196.77             0.375307
'''
*/
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, min(ts) AS began, true AS either,
       coalesce(host || ': a', 'A') || printf('n RDMA test could not be connected (%s)', min(what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   bench_perftest_error
WHERE  regexp_matches(what, '^(Failed to modify QP|Couldn''t connect to remote QP)')
AND    NOT EXISTS (SELECT 1 FROM bench_perftest_failed)
GROUP  BY attempt, host
