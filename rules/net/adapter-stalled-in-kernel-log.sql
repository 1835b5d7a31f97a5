/*
title    = "A network adapter stalls in a kernel log"
kind     = "net.ib_error"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["net.link_flap", "net.packet_loss"]
needs    = ["kernel_nic", "kernel_net"]
explanation = '''
The driver of an adapter that carries RDMA says that a queue no longer sends, that its firmware does not answer, or that it resets the adapter. Nothing in the input tells when a job ran, so
what it did to one is open; every connection over the adapter is lost at that time.
'''
advice = '''
Drain the host named; read the lines round it in `dmesg -T` for PCIe errors, update the adapter's firmware and driver together, and replace it if it comes back.
'''
false_positives = "A driver that was reloaded or an adapter that was reset on purpose."
references = ["Linux drivers/net/ethernet: bnxt, ice, mellanox/mlx5; drivers/infiniband/hw: efa, irdma"]
[[test]]
fires = 1
expect = { hosts = ["fz8"], devices = ["fz8/ens7f0"] }
logs."fz8.kern.log" = '''
2026-06-06T06:06:06.000000+00:00 fz8 kernel: ice 0000:af:00.0 ens7f0: tx_timeout: VSI_num: 14, Q 3, NTC: 0x1c1, HW_HEAD: 0x1c1, NTU: 0x1d0, INT: 0x1
2026-06-06T06:06:07.000000+00:00 fz8 kernel: ice 0000:af:00.0: PFR requested
'''
[[test]]
fires = 1
expect = { devices = ["rdmap79s0"] }
logs."dmesg.txt" = '''
[190221.001200] infiniband rdmap79s0: Wait for completion (polling) timeout
[190222.110200] infiniband rdmap79s0: Admin queue is closed
'''
[[test]]
fires = 0                        # a recovery that went well, and an adapter of the management network
logs."dmesg.txt" = '''
[   90.001] mlx5_core 0000:3b:00.0: mlx5_health_try_recover:334:(pid 411): health recovery succeeded
[ 9090.001] NETDEV WATCHDOG: eno1 (igb): transmit queue 0 timed out
'''
[[test]]
fires = 0                        # the log of a job tells what it met
logs."train.log" = '''
[2026-06-06 06:00:00] fz8:10:20 [0] init.cc:10 NCCL WARN something
'''
logs."fz8.kern.log" = '''
2026-06-06T06:06:06.000000+00:00 fz8 kernel: ice 0000:af:00.0 ens7f0: tx_timeout: VSI_num: 14, Q 3, NTC: 0x1c1, HW_HEAD: 0x1c1, NTU: 0x1d0, INT: 0x1
'''
[[test]]
fires = 1
expect = { devices = ["c7/hfi1_0"] }
logs."c7.messages" = '''
Apr  3 19:20:50 c7 kernel: hfi1 0000:5e:00.0: hfi1_0: in SPC freeze
'''
*/
WITH word AS (
  SELECT host, device, netdev, driver, 'a queue no longer sends' AS what, ts, file_id, line, part FROM nic_tx_timeout
  UNION ALL SELECT host, device, netdev, driver, what, ts, file_id, line, part FROM nic_reset WHERE NOT regexp_matches(what, 'recovery succeeded|Performing reset|MDD event|: end$|^end$')
  UNION ALL SELECT host, device, NULL, 'mlx5_core', command || ' timed out', ts, file_id, line, part FROM nic_command_timeout
  UNION ALL SELECT host, coalesce(hca, device), NULL, 'efa', what, ts, file_id, line, part FROM nic_efa_error
  UNION ALL SELECT host, hca, NULL, 'irdma', what, ts, file_id, line, part FROM nic_irdma_error
  UNION ALL SELECT host, coalesce(hca, device), netdev, driver, what, ts, file_id, line, part FROM nic_hung),
told AS (        -- one adapter by its address and by its interface is one: the interface says more
  SELECT *, coalesce(netdev, max(netdev) OVER (PARTITION BY host, device), device) AS dev
  FROM   word
  -- those of other drivers carry sockets only
  WHERE  regexp_matches(driver, '^(mlx|bnxt|ice$|efa$|irdma|cxgb|qed|hns|hclge|ionic|mana|hfi1|erdma|idpf)')
  AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL))
SELECT [host] AS hosts, [coalesce(host || '/', '') || dev] AS devices, min(ts) AS began,
       coalesce(host || ': n', 'N') || printf('etwork adapter %s stalled%s: %s', dev, coalesce(strftime(min(ts), ' at %H:%M:%S'), ''), min({'t': ts, 'line': line, 'w': what}).w) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   told
WHERE  dev IS NOT NULL
GROUP  BY host, dev
