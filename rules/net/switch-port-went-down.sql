/*
title    = "A switch port went down while the job ran"
kind     = "net.link_flap"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["net.ib_error", "net.socket_error", "net.packet_loss", "hang.*", "launcher.*", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["fabric", "switches"]
explanation = """
The switch or the subnet manager saw a port go down, and the job's processes complained of their network within minutes. A link has two ends: the switch
port, the cable, and the adapter or host behind it.
"""
advice = """
Find what is behind the port named (cable plan, `show lldp neighbors`, `iblinkinfo`), and read that host's kernel log round this time; then exchange cable and transceiver.
"""
false_positives = "A port to a host that was rebooting and is not in the job."
references = ["OpenSM log, switch syslog, UFM event log"]
[[test]]
fires = 1
expect = { devices = ["leaf3/Ethernet1/1"], hosts = [] }
logs."leaf3.log" = '''
2026-11-30T03:12:50.000000+00:00 leaf3 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1/1 (to node17), changed state to down
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:00] node1:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
[[test]]
fires = 1                        # a host's LLDP tells what is behind the port
expect = { devices = ["leaf3/Ethernet1/1"], hosts = ["node17"] }
logs."node17/lldp.txt" = '''
Interface:    ens108np0, via: LLDP, RID: 1, Time: 12 days, 03:14:07
  Chassis:
    SysName:      leaf3
  Port:
    PortID:       ifname Ethernet1/1
'''
logs."leaf3.log" = '''
2026-11-30T03:12:50.000000+00:00 leaf3 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1/1, changed state to down
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:00] node1:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
[[test]]
fires = 1
expect = { devices = ["leaf3/swp1"] }
logs."leaf3.log" = '''
2026-11-30T03:12:50.000000+00:00 leaf3 switchd[900]: swp1: link down
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 1                        # as UFM tells it
expect = { devices = ["leaf3/12"] }
logs."ufm/event.log" = '''
2026-11-30 03:12:50.000 [11] [329] WARNING [Link] IBPort [Computer: node17 HCA-1] [dev_id: 0x1] Link went down: (Switch:leaf3:MQM8700)12<-->1(Computer:node17 HCA-1)
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:00] node1:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
[[test]]
fires = 1                        # the error itself prints no time
expect = { devices = ["leaf3/swp1"] }
logs."leaf3.log" = '''
2026-11-30T03:12:50.000000+00:00 leaf3 switchd[900]: sync_port.c:414 swp1 link down
'''
logs."train.log" = '''
[2026-11-30 03:12:30] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:12:45] node1:10:20 [0] init.cc:10 NCCL WARN something
node1:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
[[test]]
fires = 0                        # nobody minded
logs."leaf3.log" = '''
2026-11-30T03:12:50.000000+00:00 leaf3 switchd[900]: swp1: link down
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:40:00] node1:10:20 [0] init.cc:10 NCCL WARN something
'''
[[test]]
fires = 0                        # the day before
logs."leaf3.log" = '''
2026-11-29T03:12:50.000000+00:00 leaf3 switchd[900]: swp1: link down
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:00] node1:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
[[test]]
fires = 1                        # the subnet manager saw both ends of the link go
expect = { hosts = ["n19"], devices = ["leaf-2/14", "n19/mlx5_1"] }
logs."opensm.log" = '''
2026-11-30T03:12:50.000000+00:00 sm1 opensm[811]: osm_spst_rcv_process: Switch 0xb8cef60300aa0001 MF0;leaf-2:MQM8700/U1 port 14(leaf-2/14) changed state from ACTIVE to DOWN
2026-11-30T03:12:51.000000+00:00 sm1 opensm[811]: osm_drop_mgr_process: Removed port with GUID:0x1070fd0300b2f1a4 LID range [88, 88] of node:n19 mlx5_1
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:00] node1:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
[[test]]
fires = 1                        # what the operator wrote of the port is a host of the job
expect = { hosts = ["node2"], devices = ["leaf3/Ethernet1/1"] }
logs."leaf3.log" = '''
2026-11-30T03:12:50.000000+00:00 leaf3 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1/1 (node2 rail1), changed state to down
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node1:10:20 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
[2026-11-30 03:00:00] node2:10:20 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
[2026-11-30 03:14:00] node1:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
*/
WITH down AS (   -- adapter: where the lost port is that of a host
  SELECT coalesce(l.host || '/', '') || l.interface AS device, n.host AS adapter_host, l.description,
         coalesce(regexp_matches(lower(l.reason), '^(administratively|admin|config|parent admin|down$)'), false) AS is_shut, l.ts, l.file_id, l.line, l.part
  FROM   switch_link_state l
  LEFT   JOIN (SELECT split_part(switch, '.', 1) AS switch, port, min(host) AS host FROM net_lldp_neighbor WHERE host IS NOT NULL GROUP BY ALL HAVING count(DISTINCT host) = 1) n
         ON n.switch = l.host AND lower(n.port) = lower(l.interface)
  WHERE  lower(l.state) = 'down' AND l.interface IS NOT NULL
  UNION ALL
  SELECT name, NULL, NULL, false, ts, file_id, line, part FROM fabric_port_state WHERE upper(new_state) LIKE 'DOWN%' AND name IS NOT NULL
  UNION ALL
  SELECT split_part(near_host, '.', 1) || '/' || near, split_part(near_host, '.', 1), NULL, false, ts, file_id, line, part FROM fabric_port_gone WHERE near IS NOT NULL
  UNION ALL      -- UFM names both ends as Switch:leaf3:MQM8700 and Computer:node17 HCA-1
  SELECT regexp_extract(switch_end, '^Switch: ?([\w.-]+)', 1) || '/' || switch_port, NULL, NULL, false, ts, file_id, line, part
  FROM  (SELECT *, CASE WHEN near LIKE 'Switch:%' THEN near ELSE far END AS switch_end, CASE WHEN near LIKE 'Switch:%' THEN near_port ELSE far_port END AS switch_port FROM fabric_link_down)
  WHERE  switch_end LIKE 'Switch:%'),
link AS (        -- a switch port and the only adapter that vanished within seconds are the two ends of one
  SELECT d.*, CASE WHEN d.adapter_host IS NOT NULL THEN d.device WHEN a.ends = 1 THEN a.device ELSE d.device END AS name, coalesce(d.adapter_host, CASE WHEN a.ends = 1 THEN a.adapter_host END) AS at_host
  FROM   down d
  LEFT   JOIN LATERAL (SELECT count(DISTINCT o.device) AS ends, min(o.device) AS device, min(o.adapter_host) AS adapter_host FROM down o
                       WHERE o.adapter_host IS NOT NULL AND d.adapter_host IS NULL AND o.file_id = d.file_id AND abs(epoch(o.ts - d.ts)) <= 5) a ON true),
behind AS (      -- what the operator wrote of the port names one host of the job
  SELECT l.*, h.behind FROM link l
  LEFT   JOIN LATERAL (SELECT CASE WHEN count(DISTINCT j.host) = 1 THEN min(j.host) END AS behind FROM (SELECT DISTINCT host FROM ranks WHERE host IS NOT NULL) j
                       WHERE contains(lower(l.description), lower(j.host)) AND regexp_matches(lower(l.description), '(^|[^a-z0-9-])' || regexp_escape(lower(j.host)) || '([^a-z0-9-]|-(mlx|rail|ib|eth|nic|hca)|$)')) h ON true)
SELECT s.attempt, CASE WHEN coalesce(d.at_host, d.behind) IS NOT NULL THEN [coalesce(d.at_host, d.behind)] ELSE [] END AS hosts, list(DISTINCT d.device ORDER BY d.device) AS devices, min(d.ts) AS began,
       CASE WHEN d.at_host IS NOT NULL THEN printf('The link of %s went down at %s, and the job lost its network', d.name, strftime(min(d.ts), '%H:%M:%S'))
            ELSE printf('Switch port %s%s %s at %s, and the job lost its network', d.name, coalesce(', to ' || d.behind || ',', ''), CASE WHEN bool_or(d.is_shut) THEN 'was shut by configuration' ELSE 'went down' END,
                        strftime(min(d.ts), '%H:%M:%S')) END AS summary,
       list({'file_id': d.file_id, 'line': d.line, 'part': d.part} ORDER BY d.file_id, d.line, d.part) AS evidence
FROM   behind d
-- what fails next may print no time: the last that does is then the step before
JOIN   job_spans s ON d.ts BETWEEN s.began AND s.ended + INTERVAL 300 SECOND
WHERE  EXISTS (SELECT 1 FROM network_complaints c WHERE c.attempt IS NOT DISTINCT FROM s.attempt AND c.ts BETWEEN d.ts - INTERVAL 30 SECOND AND d.ts + INTERVAL 240 SECOND)
GROUP  BY s.attempt, d.name, d.at_host, d.behind
-- many at once are a switch that restarts or a site event, and one row each would say less
HAVING (SELECT count(DISTINCT name) FROM link) <= 8
