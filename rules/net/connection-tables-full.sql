/*
title    = "A table of the kernel's network stack is full"
kind     = "net.socket_error.tables_full"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["net.packet_loss", "net.socket_error", "launcher.store", "launcher.rendezvous", "hang.init"]
needs    = ["kernel_net", "kernel_host"]
explanation = '''
The kernel could not enter a connection or a neighbour into its table and dropped the packet; or its memory for sockets is used up. Connections that exist go on; new ones, as those of a large job that starts, fail at random or time out.
'''
advice = '''
On the host named: `sysctl net.netfilter.nf_conntrack_max net.ipv4.neigh.default.gc_thresh3 net.ipv4.tcp_mem` and raise what is named in the line; for traffic between the hosts of a cluster switch connection tracking off.
'''
false_positives = "A burst of connections of another service on the host; it matters to a job only when it starts or reconnects."
references = ["Linux net/netfilter/nf_conntrack_core.c, net/core/neighbour.c"]
[[test]]
fires = 1
expect = { hosts = [], confidence = "likely" }
logs."dmesg.txt" = '''
[551200.1] nf_conntrack: nf_conntrack: table full, dropping packet
[551205.3] nf_conntrack: nf_conntrack: table full, dropping packet
'''
[[test]]
fires = 1
expect = { hosts = ["n12"] }
logs."n12.messages" = '''
May  4 10:10:10 n12 kernel: neighbour: arp_cache: neighbor table overflow!
May  4 10:10:12 n12 kernel: neighbour: arp_cache: neighbor table overflow!
'''
[[test]]
fires = 0                        # once, long before the job
logs."n12.messages" = '''
2026-11-29T10:10:10.000000+00:00 n12 kernel: neighbour: arp_cache: neighbor table overflow!
'''
logs."train.log" = '''
[2026-11-30 03:00:00] n12:10:20 [0] init.cc:10 NCCL WARN something
'''
[[test]]
fires = 0
logs."dmesg.txt" = '''
[551200.1] TCP: request_sock_TCP: Possible SYN flooding on port 29500. Sending cookies.
'''
[[test]]
fires = 1
expect = { hosts = ["n12"] }
logs."n12.messages" = '''
May 30 05:11:02 n12 kernel: TCP: out of memory -- consider tuning tcp_mem
May 30 05:11:07 n12 kernel: TCP: out of memory -- consider tuning tcp_mem
'''
*/
WITH full_table AS (
  SELECT attempt, file_id, line, part, host, ts, ts_from, what FROM net_limit
  UNION ALL      -- sockets may hold no more memory: what arrives is thrown away
  SELECT attempt, file_id, line, part, host, ts, ts_from, 'the memory for TCP (tcp_mem) is used up' FROM kernel_limit WHERE what = 'tcp_mem')
SELECT h.attempt, list(DISTINCT h.host ORDER BY h.host) FILTER (WHERE h.host IS NOT NULL) AS hosts, min(h.began) AS began,
       CASE WHEN bool_and(h.sure) THEN 'likely' ELSE 'possible' END AS confidence,
       CASE WHEN count(DISTINCT h.host) > 1 THEN printf('%d hosts', count(DISTINCT h.host)) ELSE coalesce(min(h.host), 'A host') END
       || printf(' dropped packets of new connections: %s', min(n.what)) AS summary,
       list({'file_id': h.file_id, 'line': h.line, 'part': h.part} ORDER BY h.file_id, h.line, h.part) AS evidence
FROM   full_table n
-- the kinds of this table are no events of a host's devices, so its lines are placed beside those of its adapters
JOIN   (SELECT file_id, line, part, host, attempt, CASE WHEN ts_from = 'line' THEN ts END AS began, true AS sure FROM full_table
        WHERE  NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)
        UNION ALL
        SELECT e.file_id, e.line, e.part, e.host, s.attempt, e.ts, false
        FROM   full_table e
        JOIN   job_spans s ON e.ts BETWEEN s.began - INTERVAL 5 MINUTE AND s.ended
        WHERE  e.host IN (SELECT host FROM network_complaints)) h USING (file_id, line, part)
WHERE  n.what <> 'too many orphaned sockets'
GROUP  BY h.attempt
