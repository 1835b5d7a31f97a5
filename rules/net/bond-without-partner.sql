/*
title    = "The switch does not answer LACP on a bond"
kind     = "net.link_flap.bond"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["net.socket_error", "net.packet_loss", "perf.low_busbw", "launcher.*", "hang.init"]
needs    = ["kernel_nic"]
explanation = '''
This bond is set up for 802.3ad and the ports have a link, but the other side speaks no LACP on any of them: its port channel is missing, suspended or configured differently. The bond then uses one port at most, and a switch that
insists on LACP forwards nothing.
'''
advice = '''
`cat /proc/net/bonding/BOND` (Partner Mac Address all zero), then the port channel of these ports on the switch: mode active, the same members, LACP rate; `lldpctl` shows which ports they are.
'''
false_positives = "One line while the switch still negotiates at boot: only what repeats counts."
references = ["Linux: drivers/net/bonding/bond_3ad.c"]
[[test]]
fires = 1
expect = { hosts = ["n4"], devices = ["n4/bond0"] }
logs."n4.syslog" = '''
Nov  4 01:12:32 n4 kernel: bond0: Warning: No 802.3ad response from the link partner for any adapters in the bond
Nov  4 01:13:02 n4 kernel: bond0: Warning: No 802.3ad response from the link partner for any adapters in the bond
'''
[[test]]
fires = 1
expect = { hosts = [], devices = ["bond1"] }
logs."dmesg.txt" = '''
[   41.101] bond1: Warning: No 802.3ad response from the link partner for any adapters in the bond
[   91.101] bond1: Warning: No 802.3ad response from the link partner for any adapters in the bond
'''
[[test]]
fires = 0                        # at boot, once
logs."n4.syslog" = '''
Nov  4 01:12:32 n4 kernel: bond0: Warning: No 802.3ad response from the link partner for any adapters in the bond
'''
[[test]]
fires = 0
logs."n4.syslog" = '''
Nov  4 01:12:31 n4 kernel: bond0: (slave eth0): Enslaving as a backup interface with an up link
Nov  4 01:12:31 n4 kernel: bond0: (slave eth1): Enslaving as a backup interface with an up link
'''
*/
SELECT h.attempt, CASE WHEN b.host IS NOT NULL THEN [b.host] ELSE [] END AS hosts, [coalesce(b.host || '/', '') || b.netdev] AS devices, min(h.began) AS began,
       coalesce(b.host || ': ', '') || printf('the switch does not answer LACP on %s%s', b.netdev, coalesce(strftime(min(h.began), ' from %H:%M:%S'), '')) AS summary,
       list({'file_id': b.file_id, 'line': b.line, 'part': b.part} ORDER BY b.file_id, b.line, b.part) AS evidence
FROM   nic_bond_no_partner b
JOIN   host_events h USING (file_id, line, part)
WHERE  h.hit
GROUP  BY h.attempt, b.host, b.netdev
HAVING count(*) >= 2
