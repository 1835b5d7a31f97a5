/*
title    = "The firewall of a host refuses connections of its peers"
kind     = "net.socket_error.firewall"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["net.socket_error", "net.ib_error", "hang.*", "launcher.*", "desync.rank_behind", "crash.python", "crash.signal"]
needs    = ["kernel_net"]
explanation = '''
The packet filter of this host logged that it dropped the first packet of a connection from another host of the job. NCCL and gloo listen on ports that the kernel picks, so a rule set that opens a few ports is not enough.
'''
advice = '''
On the host named, let the other hosts of the job in on all ports: `ufw allow from SUBNET`, `firewall-cmd --zone=trusted --add-source=SUBNET`, or `nft list ruleset` for the rule; or switch the filter off on the interfaces of the cluster.
'''
false_positives = "Dropped packets of strangers are everyday and left out: sender and receiver must both belong to the job, or the connection must have failed in its log."
references = ["Linux: netfilter LOG target"]
[[test]]
fires = 1
expect = { hosts = ["n1"], devices = [] }
logs."n2.log" = '''
n2:10:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.5.0.11<38211> failed : Connection timed out
'''
logs."n1.kern.log" = '''
Oct  2 03:10:41 n1 kernel: [88112.201101] [UFW BLOCK] IN=bond0 OUT= MAC=b8:3f:d2:11:22:33:b8:3f:d2:44:55:66:08:00 SRC=10.5.0.12 DST=10.5.0.11 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=40112 DF PROTO=TCP SPT=45612 DPT=38211 WINDOW=64240 RES=0x00 SYN URGP=0
'''
[[test]]
fires = 1                        # both ends are hosts of the job
expect = { hosts = ["n1"] }
logs."job.log" = '''
n1:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.5.0.11<0>
n2:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.5.0.12<0>
'''
logs."n1.kern.log" = '''
Oct  2 03:10:41 n1 kernel: "filter_IN_public_REJECT: "IN=eth0 OUT= MAC=b8:3f:d2:11:22:33:b8:3f:d2:44:55:66:08:00 SRC=10.5.0.12 DST=10.5.0.11 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=1 DF PROTO=TCP SPT=45612 DPT=40122 WINDOW=64240 RES=0x00 SYN URGP=0
'''
[[test]]
fires = 0                        # a stranger scans ports
logs."job.log" = '''
n1:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.5.0.11<0>
n2:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.5.0.12<0>
'''
logs."n1.kern.log" = '''
Oct  2 03:10:41 n1 kernel: [88112.201101] [UFW BLOCK] IN=eth0 OUT= MAC=b8:3f:d2:11:22:33:b8:3f:d2:44:55:66:08:00 SRC=203.0.113.9 DST=10.5.0.11 LEN=40 TOS=0x00 PREC=0x00 TTL=240 ID=1 PROTO=TCP SPT=51122 DPT=23 WINDOW=1024 RES=0x00 SYN URGP=0
'''
[[test]]
fires = 0                        # no job
logs."n1.kern.log" = '''
Oct  2 03:10:41 n1 kernel: [88112.201101] [UFW BLOCK] IN=bond0 OUT= MAC=b8:3f:d2:11:22:33:b8:3f:d2:44:55:66:08:00 SRC=10.5.0.12 DST=10.5.0.11 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=40112 DF PROTO=TCP SPT=45612 DPT=38211 WINDOW=64240 RES=0x00 SYN URGP=0
'''
*/
WITH refused AS (
  SELECT p.*, coalesce(p.host, own.host) AS place, src.host AS sender, own.host AS receiver
  FROM   net_packet_refused p
  LEFT   JOIN address_hosts own ON own.addr = p.target
  LEFT   JOIN address_hosts src ON src.addr = p.peer_addr
  WHERE  p.out = ''),
ours AS (
  SELECT coalesce(f.attempt, (SELECT max(attempt) FROM attempts), r.attempt) AS at_attempt, r.*
  FROM   refused r
  LEFT   JOIN (SELECT peer_addr, max(attempt) AS attempt FROM failed_connects GROUP BY peer_addr) f ON f.peer_addr = r.target
  WHERE  f.peer_addr IS NOT NULL OR (r.sender IS NOT NULL AND r.receiver IS NOT NULL))
SELECT o.at_attempt AS attempt, [o.place] AS hosts, min(o.ts) AS began,
       printf('%s: its firewall refuses connections of %s', o.place, CASE WHEN count(DISTINCT o.peer_addr) = 1 THEN 'another host of the job' ELSE printf('%d other hosts of the job', count(DISTINCT o.peer_addr)) END)
       || printf(' to port %d%s', min(o.port), CASE WHEN count(DISTINCT o.port) > 1 THEN printf(' and %d more', count(DISTINCT o.port) - 1) ELSE '' END) AS summary,
       list({'file_id': o.file_id, 'line': o.line, 'part': o.part} ORDER BY o.file_id, o.line, o.part) AS evidence
FROM   ours o
LEFT   JOIN job_ends e ON e.attempt = o.at_attempt
WHERE  o.place IS NOT NULL AND NOT coalesce(e.completed, false)
GROUP  BY o.at_attempt, o.place
