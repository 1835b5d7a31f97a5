/*
title    = "A link goes down in a kernel log"
kind     = "net.link_flap"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["net.packet_loss"]
needs    = ["kernel_nic", "kernel_net"]
explanation = """
The driver of this adapter reported the loss of its link, or a bond lost all its links. Nothing in the input tells when a job ran, so what it did to
one is open; a link that goes down again and again breaks every job that uses it.
"""
advice = """
`mlxlink -d DEVICE -m -e -c` (or `ethtool -m DEVICE`) for temperature, receive power and error rates at both ends; clean or exchange transceiver and cable, then move it to another switch port to tell cable from port.
"""
false_positives = "A switch under maintenance; a port without a partner that somebody plugs at."
references = ["Linux drivers/net/ethernet/mellanox/mlx5/core: en_main.c, events.c"]
[[test]]
fires = 1
expect = { hosts = ["fz8"], devices = ["fz8/ens7f0np0"], summary = "fz8: the link of ens7f0np0 went down 3 times (High Temperature)" }
logs."dmesg_fz8.txt" = '''
[81231.120001] mlx5_core 0000:c1:00.0: Port module event[error]: module 0, Cable error, High Temperature
[81239.551201] mlx5_core 0000:c1:00.0 ens7f0np0: Link down
[81243.211201] mlx5_core 0000:c1:00.0 ens7f0np0: Link up
[81399.551201] mlx5_core 0000:c1:00.0 ens7f0np0: Link down
[81402.211201] mlx5_core 0000:c1:00.0 ens7f0np0: Link up
[81999.551201] mlx5_core 0000:c1:00.0 ens7f0np0: Link down
'''
[[test]]
fires = 1                        # no host is known
expect = { hosts = [], devices = ["eth2"] }
logs."dmesg.txt" = '''
[  100.5] bnxt_en 0000:ca:00.0 eth2: NIC Link is Down
[  101.5] bnxt_en 0000:ca:00.0 eth2: NIC Link is Up, 200000 Mbps full duplex, Flow control: none
[  200.5] bnxt_en 0000:ca:00.0 eth2: NIC Link is Down
[  201.5] bnxt_en 0000:ca:00.0 eth2: NIC Link is Up, 200000 Mbps full duplex, Flow control: none
[  300.5] bnxt_en 0000:ca:00.0 eth2: NIC Link is Down
'''
[[test]]
fires = 0                        # boot
logs."dmesg.txt" = '''
[    9.5] mlx5_core 0000:c1:00.0 ens7f0np0: Link down
[   11.5] mlx5_core 0000:c1:00.0 ens7f0np0: Link up
[   12.5] mlx5_core 0000:c2:00.0 ens8f0np0: Link down
[   13.5] mlx5_core 0000:c2:00.0 ens8f0np0: Link up
[   14.5] mlx5_core 0000:c3:00.0 ens9f0np0: Link down
'''
[[test]]
fires = 0                        # containers come and go
logs."dmesg.txt" = '''
[  100.5] docker0: port 1(veth12ab) entered disabled state
[  101.5] veth12ab: Link is Down
[  102.5] veth12ab: Link is Down
[  103.5] veth12ab: Link is Down
'''
[[test]]
fires = 1
expect = { devices = ["c2/bond0"], summary = "c2: the link of bond0 went down and did not come back" }
logs."messages_c2.txt" = '''
Apr  2 13:00:02 c2 kernel: bond0: (slave ens3f0): link status definitely down, disabling slave
Apr  2 13:00:02 c2 kernel: bond0: now running without any active interface!
'''
[[test]]
fires = 0                        # once, and it came back
logs."dmesg.txt" = '''
[ 1009.5] mlx5_core 0000:c1:00.0 ens7f0np0: Link down
[ 1011.5] mlx5_core 0000:c1:00.0 ens7f0np0: Link up
'''
[[test]]
fires = 1                        # once, for longer than a change of settings takes
expect = { devices = ["ens7f0np0"], confidence = "possible", summary = "The link of ens7f0np0 went down for 8 s" }
logs."dmesg.txt" = '''
[ 91009.5] mlx5_core 0000:c1:00.0 ens7f0np0: Link down
[ 91017.5] mlx5_core 0000:c1:00.0 ens7f0np0: Link up
'''
*/
WITH word AS (
  -- a dmesg without a date still tells how far two lines are apart, and how long ago the boot was
  SELECT attempt, host, netdev, device, NULL AS bond, ts, TRY_CAST(regexp_extract(message, '\[ *(\d+\.\d+)\]', 1) AS DOUBLE) AS uptime, file_id, line, part FROM nic_link_down
  UNION ALL SELECT attempt, host, NULL, NULL, bond, ts, TRY_CAST(regexp_extract(message, '\[ *(\d+\.\d+)\]', 1) AS DOUBLE), file_id, line, part FROM nic_bond_down),
ups AS (
  SELECT host, file_id, coalesce(netdev, device) AS dev, ts, TRY_CAST(regexp_extract(message, '\[ *(\d+\.\d+)\]', 1) AS DOUBLE) AS uptime, line FROM nic_link_up),
up AS (
  SELECT host, file_id, dev, min(line) AS first_line, max(line) AS last_line
  FROM  (SELECT host, file_id, dev, line FROM ups
         UNION ALL SELECT host, file_id, netdev, line FROM nic_link_ready
         UNION ALL SELECT host, file_id, bond, line FROM nic_bond_slave WHERE state = 'up')
  GROUP  BY ALL),
down AS (
  SELECT attempt, host, CASE WHEN host IS NULL THEN file_id END AS file, coalesce(netdev, bond, device) AS dev, device, bond, ts, uptime, file_id, line, part
  FROM   word
  -- with a job in the input, others judge what falls into it
  WHERE  (SELECT count(*) FROM job_spans WHERE began IS NOT NULL) = 0
  AND    NOT regexp_matches(coalesce(netdev, bond, device), '^(lo|docker|br-|virbr|veth|vnet|cni|flannel|cali|tun|tap|lxc|dummy|vxlan|kube|cilium|gre|sit|ovs)')),
told AS (
  SELECT attempt, host, file, dev, file_id, min(device) AS device, bool_or(bond IS NOT NULL) AS is_bond, min(ts) AS began, max(ts) AS ended, count(*) AS times, max(line) AS last_line, max(uptime) AS last_uptime,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line, part) AS evidence
  FROM   down
  GROUP  BY attempt, host, file, dev, file_id),
flap AS (        -- two logs of a host tell of the same outages: the fuller one counts
  SELECT * FROM told QUALIFY row_number() OVER (PARTITION BY attempt, host, file, dev ORDER BY times DESC, file_id) = 1),
once AS (        -- how long the last outage was
  SELECT f.host, f.file_id, f.dev, min(coalesce(epoch(u.ts - f.ended), u.uptime - f.last_uptime)) AS seconds
  FROM   flap f
  JOIN   ups u ON u.host IS NOT DISTINCT FROM f.host AND u.file_id = f.file_id AND u.dev = f.dev AND u.line > f.last_line
  GROUP  BY ALL),
module AS (
  SELECT host, device, min(reason) AS reason FROM (
    SELECT host, device, regexp_extract(message, 'Cable error, (.+)$', 1) AS reason FROM nic_cable_error)
  WHERE reason <> '' GROUP BY ALL)
SELECT f.attempt, [f.host] AS hosts, [coalesce(f.host || '/', '') || f.dev] AS devices, f.began, f.ended, f.evidence,
       CASE WHEN f.times = 1 AND o.seconds IS NOT NULL AND NOT f.is_bond THEN 'possible' ELSE 'likely' END AS confidence,
       coalesce(f.host || ': t', 'T') || printf('he link of %s went down', f.dev) || CASE WHEN f.times > 1 THEN printf(' %d times', f.times) WHEN u.last_line > f.last_line THEN coalesce(printf(' for %d s', CAST(o.seconds AS BIGINT)), '') ELSE ' and did not come back' END || coalesce(' (' || m.reason || ')', '') AS summary
FROM   flap f
LEFT JOIN module m ON m.host IS NOT DISTINCT FROM f.host AND m.device = f.device
LEFT JOIN up u ON u.host IS NOT DISTINCT FROM f.host AND u.file_id = f.file_id AND u.dev = f.dev
LEFT JOIN once o ON o.host IS NOT DISTINCT FROM f.host AND o.file_id = f.file_id AND o.dev = f.dev
-- one that never was up in this log may have no partner; a bond has lost all its links
WHERE  f.times >= 2 OR f.is_bond OR (u.first_line < f.last_line AND u.last_line < f.last_line)
-- once and back: a change of settings takes a link down for two seconds, a boot too, and a driver or switch that restarts takes several
OR     (o.seconds >= 3 AND coalesce(f.last_uptime, 600) >= 600 AND (SELECT count(DISTINCT dev) FROM flap WHERE host IS NOT DISTINCT FROM f.host) <= 3)
