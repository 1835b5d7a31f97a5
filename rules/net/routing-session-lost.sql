/*
title    = "A routing session between a host or leaf and its neighbour was lost"
kind     = "net.link_flap.routing"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["net.ib_error", "net.socket_error", "net.packet_loss", "hang.*", "launcher.*", "desync.rank_behind"]
needs    = ["switches"]
explanation = '''
BGP gave this neighbour up: no keepalive arrived for the hold time, or the connection under it broke. Its routes are withdrawn until the session is back, and hosts behind it cannot be reached that way. The link, packet loss,
or a processor that is too busy to answer may be behind it; the session has two ends.
'''
advice = '''
On both ends: counters and optics of the link (`ip -s link`, `ethtool -S`, `show interfaces counters errors`), `vtysh -c 'show bgp neighbors NEIGHBOR'` for the reason of the last reset, and the load of the control plane at that time.
'''
false_positives = "Sessions that a person took down, and restarts for a changed configuration, are left out. With ECMP the other links carry on."
references = ["FRRouting, Arista EOS, Cisco NX-OS, Junos: BGP neighbour messages"]
[[test]]
fires = 1
expect = { devices = ["n7/10.2.0.1"], hosts = [] }
logs."n7.log" = '''
Mar  4 10:11:12 n7 bgpd[1811]: [M59KS-A3ZXZ] %ADJCHANGE: neighbor 10.2.0.1(spine1) in vrf default Down Hold Timer Expired
Mar  4 10:11:30 n7 bgpd[1811]: [M59KS-A3ZXZ] %ADJCHANGE: neighbor 10.2.0.1(spine1) in vrf default Up
'''
[[test]]
fires = 1
expect = { devices = ["leaf4/10.2.0.7"] }
logs."leaf4.log" = '''
Mar  4 10:11:12 leaf4 Bgp: %BGP-5-ADJCHANGE: peer 10.2.0.7 (VRF default AS 65107) old state Established event HoldTime new state Idle
'''
[[test]]
fires = 0                        # somebody's decision
logs."leaf1.log" = '''
2026 Mar  4 10:11:12 leaf1 %BGP-5-ADJCHANGE:  bgp-65101 [28213] (default) neighbor 10.2.0.9 Down - administratively shutdown
'''
[[test]]
fires = 0                        # it came up
logs."n7.log" = '''
Mar  4 10:11:30 n7 bgpd[1811]: [M59KS-A3ZXZ] %ADJCHANGE: neighbor 10.2.0.1(spine1) in vrf default Up
'''
[[test]]
fires = 0                        # the job did not mind
logs."n7.log" = '''
2026-11-30T03:12:50.000000+00:00 n7 bgpd[1811]: [M59KS-A3ZXZ] %ADJCHANGE: neighbor 10.2.0.1(spine1) in vrf default Down Hold Timer Expired
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:40:00] node1:10:20 [0] init.cc:10 NCCL WARN something
'''
*/
WITH lost AS (
  SELECT w.*, s.attempt AS during
  FROM   switch_bgp_session w
  LEFT   JOIN job_spans s ON w.ts BETWEEN s.began AND s.ended
  WHERE  lower(w.state) = 'down' AND NOT regexp_matches(lower(coalesce(w.reason, '')), 'admin|shutdown|user|config|clear|reset|delet|remov|cease|maintenance')),
felt AS (        -- beside a job: its processes lost their network within minutes
  SELECT coalesce(l.during, l.attempt) AS at_attempt, l.host, l.neighbor, l.reason, l.ts, l.file_id, l.line, l.part
  FROM   lost l
  WHERE  NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)
  OR     EXISTS (SELECT 1 FROM network_complaints c WHERE c.attempt IS NOT DISTINCT FROM l.during AND c.ts BETWEEN l.ts - INTERVAL 30 SECOND AND l.ts + INTERVAL 240 SECOND))
SELECT at_attempt AS attempt, [coalesce(host || '/', '') || neighbor] AS devices, min(ts) AS began,
       coalesce(host || ': t', 'T') || printf('he routing session with %s was lost%s%s', neighbor, CASE WHEN count(*) > 1 THEN printf(' %d times', count(*)) ELSE coalesce(strftime(min(ts), ' at %H:%M:%S'), '') END,
              coalesce(' (' || lower(min(reason)) || ')', '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   felt
GROUP  BY at_attempt, host, neighbor
-- many neighbours at once are a switch that restarts
HAVING (SELECT count(DISTINCT neighbor) FROM felt) <= 8
