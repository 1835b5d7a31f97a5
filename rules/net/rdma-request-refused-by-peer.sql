/*
title    = "RDMA requests were refused by the other end"
kind     = "net.ib_error"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_ib"]
explanation = """
The other end answered and refused: 9 an invalid request, 10 no access to its memory, 11 it could not carry it out, 13 it posted no receive. The path
is sound. Mostly the peer's process had already given up or died and its memory was unregistered; else its registration, or software that differs.
"""
advice = """
Read the end of the log of the peer's ranks, before these lines: did it abort, crash or stop first?
If it did not, compare NCCL, driver and OFED versions and NCCL_* settings of the two hosts.
"""
false_positives = "The end of a job whose first failure is elsewhere."
references = ["libibverbs: ibv_wc_status"]
[[test]]
fires = 1
expect = { hosts = ["10.0.0.3", "n4"], either = true }
logs."nccl.log" = '''
n4:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=10 opcode=0 len=0 vendor err 136 (Send)
'''
[[test]]
fires = 1
expect = { hosts = ["n3", "n4"] }
logs."nccl.log" = '''
n3:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>
n4:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=13 opcode=0 len=0 vendor err 135 (Send)
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n4:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=10 len=0 vendor err 129 (Send)
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n4:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=4 opcode=0 len=0 vendor err 81 (Send)
'''
*/
WITH refused AS (
  SELECT attempt, min(ts) AS began, count(DISTINCT least(host, peer) || ' ' || greatest(host, peer)) AS paths,
         list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS speakers,
         list(DISTINCT peer ORDER BY peer) FILTER (WHERE peer IS NOT NULL) AS peers, string_agg(DISTINCT CAST(status AS VARCHAR), ', ' ORDER BY CAST(status AS VARCHAR)) AS statuses,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   failed_completions
  WHERE  status IN (9, 10, 11, 13, 20)
  GROUP  BY attempt)
SELECT r.attempt, r.began, r.evidence, true AS either, CASE WHEN f.attempt IS NOT NULL THEN 'symptom' ELSE 'cause' END AS role,
       CASE WHEN r.paths = 1 THEN list_distinct(list_concat(r.speakers, r.peers)) WHEN len(r.peers) = 1 THEN r.peers ELSE [] END AS hosts,
       printf('%s (status %s); these lines do not say why',
              CASE WHEN r.paths = 1 THEN printf('%s refused RDMA requests of %s', r.peers[1], r.speakers[1])
                   WHEN len(r.peers) = 1 THEN printf('%s refused RDMA requests of others', r.peers[1])
                   ELSE 'RDMA requests were refused by the other end' END, r.statuses) AS summary
FROM   refused r
LEFT JOIN earlier_faults f ON f.attempt IS NOT DISTINCT FROM r.attempt AND (r.began IS NULL OR f.since <= r.began + INTERVAL 60 SECOND)
