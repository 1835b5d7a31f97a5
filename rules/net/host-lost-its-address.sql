/*
title    = "An interface of a host lost its address"
kind     = "net.socket_error.address_lost"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "desync.*", "net.*", "launcher.*", "sched.node_fail", "sched.evicted", "hw.host_lost", "crash.signal", "crash.python", "clock.*"]
needs    = ["kernel_net"]
explanation = '''
The lease of this interface was not renewed and the host gave its address up. Whoever talks to that address waits from then on: connections hang, the store and the schedulers lose the host.
'''
advice = '''
`journalctl -u systemd-networkd -u NetworkManager` round this time and the log of the DHCP server or relay: why was the renewal not answered? Fixed addresses, or longer leases, for the nodes of jobs.
'''
false_positives = "A restart of the network service gives up its leases and takes them again at once, and so does an orderly shutdown: both are left out."
references = ["systemd-networkd, NetworkManager: DHCP client"]
[[test]]
fires = 1
expect = { hosts = ["n1"], devices = ["n1/ens5"] }
logs."n1.log" = '''
Dec 12 09:58:01 n1 systemd-networkd[802]: ens5: DHCP lease lost
'''
[[test]]
fires = 1
expect = { devices = ["n1/eth0"] }
logs."n1.log" = '''
Dec 12 09:58:01 n1 NetworkManager[1811]: <info>  [1765533481.1182] dhcp4 (eth0): state changed bound -> expire
Dec 12 10:08:01 n1 NetworkManager[1811]: <info>  [1765534081.1182] dhcp4 (eth0): state changed unknown -> bound
'''
[[test]]
fires = 0                        # the service was restarted
logs."n1.log" = '''
Dec 12 09:58:01 n1 systemd-networkd[802]: ens5: DHCP lease lost
Dec 12 09:58:02 n1 systemd-networkd[901]: ens5: DHCPv4 address 10.4.2.17/20 via 10.4.0.1
'''
[[test]]
fires = 0                        # a container's
logs."n1.log" = '''
Dec 12 09:58:01 n1 systemd-networkd[802]: veth81aa2: DHCP lease lost
'''
[[test]]
fires = 0                        # the host goes down in order
logs."n1.log" = '''
Dec 12 09:58:00 n1 systemd-logind[900]: System is rebooting.
Dec 12 09:58:01 n1 systemd-networkd[802]: ens5: DHCP lease lost
'''
*/
SELECT h.attempt, [l.host] AS hosts, list(DISTINCT r.rank ORDER BY r.rank) FILTER (WHERE r.rank IS NOT NULL) AS ranks, [coalesce(l.host || '/', '') || l.netdev] AS devices, min(h.began) AS began,
       CASE WHEN bool_or(h.sure) THEN 'likely' ELSE 'possible' END AS confidence,
       coalesce(l.host || ': ', '') || printf('%s lost its address%s', l.netdev, coalesce(strftime(min(h.began), ' at %H:%M:%S'), '')) AS summary,
       list(DISTINCT {'file_id': l.file_id, 'line': l.line, 'part': l.part} ORDER BY {'file_id': l.file_id, 'line': l.line, 'part': l.part}) AS evidence
FROM   host_address_lost l
JOIN   host_events h USING (file_id, line, part)
LEFT   JOIN ranks r ON r.attempt = h.attempt AND r.host = l.host
WHERE  h.hit AND NOT regexp_matches(l.netdev, '^(veth|docker|br-|cali|cni|flannel|virbr|tap|tun|lo$)')
-- a minute covers a restart of the service; a shutdown comes first
AND    NOT EXISTS (SELECT 1 FROM host_address_gained g WHERE g.file_id = l.file_id AND g.netdev = l.netdev AND g.line > l.line AND coalesce(g.ts - l.ts <= INTERVAL 60 SECOND, true))
AND    NOT EXISTS (SELECT 1 FROM host_shutdown s WHERE s.file_id = l.file_id AND s.line < l.line AND coalesce(l.ts - s.ts <= INTERVAL 300 SECOND, true))
GROUP  BY h.attempt, l.host, l.netdev
