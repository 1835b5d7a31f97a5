/*
title    = "A port went down in a switch's or subnet manager's log"
kind     = "net.link_flap"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["net.congestion", "net.packet_loss", "net.ib_error"]
needs    = ["switches", "fabric"]
explanation = '''
The switch, or the subnet manager, saw the link of this port go down. No job is in the input, so what it did to one is open: with RDMA each outage longer than the retries ends a job, and a shorter one is a pause of seconds.
A link has two ends and a cable; the log does not tell which of them is bad.
'''
advice = '''
Find what is behind the port (cable plan, `show lldp neighbors`, `iblinkinfo`), read that host's kernel log round this time, look at the optics at both ends (`show interfaces transceiver`, `ethtool -m`), then exchange cable and transceivers.
'''
false_positives = "Work on the cabling, a host that rebooted; what the log itself calls shut by configuration is left out; a link that is down for a second or two is trained anew, as after a change of settings."
references = ["SONiC orchagent, Cisco NX-OS, Arista EOS system messages; OpenSM log"]
[[test]]
fires = 1
expect = { devices = ["leaf-3/Ethernet64"], hosts = [], confidence = "likely" }
logs."leaf.log" = '''
Nov  7 04:51:10.114123 leaf-3 NOTICE swss#orchagent: :- updatePortOperStatus: Port Ethernet64 oper state set from up to down
Nov  7 04:51:14.902031 leaf-3 NOTICE swss#orchagent: :- updatePortOperStatus: Port Ethernet64 oper state set from down to up
Nov  7 04:53:30.771022 leaf-3 NOTICE swss#orchagent: :- updatePortOperStatus: Port Ethernet64 oper state set from up to down
'''
[[test]]
fires = 1
expect = { devices = ["n19/mlx5_4"], hosts = ["n19"] }
logs."opensm.log" = '''
Jul 09 14:02:11 118321 [4F7FE700] 0x02 -> osm_drop_mgr_process: Removed port with GUID:0x1070fd0300b2f1a4 LID range [88, 88] of node:n19 mlx5_4
Jul 09 14:05:40 901231 [4F7FE700] 0x02 -> SUBNET UP
'''
[[test]]
fires = 1                        # a switch that restarts is one event
expect = { hosts = ["sw1"], devices = [] }
logs."sw1.log" = '''
May  1 12:00:00 sw1 switchd[900]: swp1: link down
May  1 12:00:00 sw1 switchd[900]: swp2: link down
May  1 12:00:00 sw1 switchd[900]: swp3: link down
May  1 12:00:00 sw1 switchd[900]: swp4: link down
May  1 12:00:00 sw1 switchd[900]: swp5: link down
May  1 12:00:00 sw1 switchd[900]: swp6: link down
May  1 12:00:00 sw1 switchd[900]: swp7: link down
May  1 12:00:00 sw1 switchd[900]: swp8: link down
May  1 12:00:00 sw1 switchd[900]: swp9: link down
'''
[[test]]
fires = 0                        # trained anew
logs."leaf.log" = '''
May  1 12:00:00 leaf3 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1/1 (to node17), changed state to down
May  1 12:00:01 leaf3 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1/1 (to node17), changed state to up
'''
[[test]]
fires = 0                        # a person shut it
logs."leaf.log" = '''
2026 Mar  4 10:11:00 leaf1 %VSHD-5-VSHD_SYSLOG_CONFIG_I: Configured from vty by netops on 10.0.0.5@pts/2
2026 Mar  4 10:11:12 leaf1 %ETHPORT-5-IF_DOWN_CFG_CHANGE: Interface Ethernet1/12 is down(Config change)
2026 Mar  4 10:11:12 leaf1 %ETHPORT-5-IF_DOWN_ADMIN_DOWN: Interface Ethernet1/12 is down (Administratively down)
2026 Mar  4 10:21:40 leaf1 %ETHPORT-5-IF_UP: Interface Ethernet1/12 is up in Layer3
'''
[[test]]
fires = 0                        # the line protocol follows the port in the same second
logs."leaf.log" = '''
Mar  4 10:11:12 leaf1 1234: %LINK-5-CHANGED: Interface FourHundredGigE0/0/0/4, changed state to administratively down
Mar  4 10:11:13 leaf1 1235: %LINEPROTO-5-UPDOWN: Line protocol on Interface FourHundredGigE0/0/0/4, changed state to down
'''
[[test]]
fires = 0                        # it came up
logs."leaf.log" = '''
2026 Mar  4 10:11:12 leaf1 %ETHPORT-5-IF_UP: Interface Ethernet1/12 is up in mode access
'''
[[test]]
fires = 0                        # with a job, its own lines decide
logs."leaf3.log" = '''
2026-11-30T03:12:50.000000+00:00 leaf3 switchd[900]: swp1: link down
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:40:00] node1:10:20 [0] init.cc:10 NCCL WARN something
'''
[[test]]
fires = 1
expect = { hosts = ["n44"], devices = ["n44/mlx5_7"], confidence = "likely" }
logs."ufm_events.log" = '''
2026-02-11 04:22:13.991 [1122] [329] WARNING [Link] IBPort [default(12) / Switch: l3 / NA / 31] [dev_id: b83fd203009912a0]: Link went down: (Switch:l3:31)b83fd203009912a0:31<-->946dae0300d1c2b0:1(Computer:n44 mlx5_7)
2026-02-11 04:22:20.121 [1123] [328] INFO [Link] IBPort [default(12) / Switch: l3 / NA / 31] [dev_id: b83fd203009912a0]: Link is up: (Switch:l3:31)b83fd203009912a0:31<-->946dae0300d1c2b0:1(Computer:n44 mlx5_7)
2026-02-11 04:25:02.771 [1124] [329] WARNING [Link] IBPort [default(12) / Switch: l3 / NA / 31] [dev_id: b83fd203009912a0]: Link went down: (Switch:l3:31)b83fd203009912a0:31<-->946dae0300d1c2b0:1(Computer:n44 mlx5_7)
'''
*/
WITH word AS (
  SELECT attempt, file_id, line, part, ts, host AS switch, NULL AS near_host, interface AS port, lower(state) = 'down' AS down FROM switch_link_state s
  WHERE  interface IS NOT NULL
  -- shut by a person; what else falls with the port says so a second later
  AND    NOT (lower(state) = 'down' AND EXISTS (SELECT 1 FROM switch_link_state a WHERE a.file_id = s.file_id AND a.interface = s.interface AND lower(a.state) = 'down'
              AND regexp_matches(lower(a.reason), '^(administratively|admin|config|parent admin|down$)') AND coalesce(abs(epoch(a.ts - s.ts)) <= 5, a.line = s.line)))
  UNION ALL
  SELECT attempt, file_id, line, part, ts, NULL, NULL, coalesce(name, guid || ' port ' || port), upper(new_state) LIKE 'DOWN%' FROM fabric_port_state
  UNION ALL
  SELECT attempt, file_id, line, part, ts, NULL, near_host, near, true FROM fabric_port_gone WHERE near IS NOT NULL
  UNION ALL
  SELECT attempt, file_id, line, part, ts, NULL, near_host, near, false FROM fabric_port_found WHERE near IS NOT NULL
  UNION ALL       -- both ends are known: the adapter's is the one that can be looked at from a host
  SELECT attempt, file_id, line, part, ts, CASE WHEN far_host IS NULL THEN split_part(near, ':', 2) END, split_part(far_host, '.', 1), coalesce(far_hca, near_port), true FROM fabric_link_down
  UNION ALL
  SELECT attempt, file_id, line, part, ts, CASE WHEN far_host IS NULL THEN split_part(near, ':', 2) END, split_part(far_host, '.', 1), coalesce(far_hca, near_port), false FROM fabric_link_up),
alone AS (
  SELECT *, coalesce(near_host, switch) AS place FROM word WHERE NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)),
outage AS (      -- what says it twice within a second says it once
  SELECT d.attempt, d.file_id, d.line, d.part, d.ts, d.switch, d.near_host, d.place, d.port, min(u.ts) AS back, count(u.line) > 0 AS is_back
  FROM   alone d
  LEFT JOIN alone u ON NOT u.down AND u.file_id = d.file_id AND u.place IS NOT DISTINCT FROM d.place AND u.port = d.port AND u.line > d.line
  WHERE  d.down
  GROUP  BY ALL),
port AS (
  SELECT attempt, switch, near_host, place, port, count(DISTINCT coalesce(date_trunc('second', ts), to_timestamp(line))) AS times, min(ts) AS began, max(epoch(back - ts)) AS longest, bool_and(is_back) AS is_back,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   outage
  GROUP  BY attempt, switch, near_host, place, port),
-- a change of settings or of speed takes a link down for two seconds
bad AS (
  SELECT *, count(*) OVER (PARTITION BY switch, near_host IS NULL) AS ports FROM port WHERE times >= 2 OR NOT is_back OR coalesce(longest, 3) >= 3)
SELECT attempt, CASE WHEN near_host IS NOT NULL THEN [near_host] ELSE [] END AS hosts, [coalesce(place || '/', '') || port] AS devices, CASE WHEN times >= 2 THEN 'likely' ELSE 'possible' END AS confidence, began,
       printf('%s%s went down%s%s', CASE WHEN near_host IS NOT NULL THEN near_host || ': the port ' WHEN switch IS NOT NULL THEN switch || ': the port ' ELSE 'Port ' END, port,
              CASE WHEN times >= 2 THEN printf(' %d times', times) ELSE coalesce(strftime(began, ' at %H:%M:%S'), '') END,
              CASE WHEN NOT is_back THEN ' and did not come back' WHEN longest > 0 THEN printf(' for %d s', CAST(longest AS BIGINT)) ELSE '' END) AS summary,
       evidence
FROM   bad
WHERE  ports <= 8
UNION ALL
SELECT attempt, [switch], [], 'likely', min(began), printf('%s: %d of its ports went down%s', switch, count(*), coalesce(strftime(min(began), ' from %H:%M:%S'), '')), flatten(list(evidence ORDER BY port))
FROM   bad
WHERE  ports > 8 AND switch IS NOT NULL
GROUP  BY attempt, switch
