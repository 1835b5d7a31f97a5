/*
title    = "A Gaudi accelerator was reset or lost"
kind     = "hw.gpu_lost.gaudi"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.*", "desync.*", "net.*"]
needs    = ["kernel_accelerators"]
explanation = '''
The driver lost the heartbeat of this device or began to reset it: every process on it dies. A reset that fails leaves it unusable until the host is power-cycled.
'''
advice = '''
`hl-smi` on that host, then its kernel log before the first line: PCIe errors, ECC, temperature. Power-cycle the host if the reset failed, and replace the card when it happens again.
'''
false_positives = "A reset on purpose, as by `hl-smi -r` between jobs: one that succeeded without a lost heartbeat is possible at most."
references = ["Linux: drivers/accel/habanalabs"]
[[test]]
fires = 1
expect = { gpus = ["hl3"], confidence = "likely" }
logs."dmesg.txt" = '''
[81231.121231] habanalabs hl3: Device heartbeat failed! PCI link is OK
[81231.221231] habanalabs hl3: Going to reset device
[81240.221231] habanalabs hl3: Failed to reset! Device is NOT usable
'''
[[test]]
fires = 1
expect = { gpus = ["n2:hl0"], confidence = "possible" }
logs."n2.messages" = '''
May  1 12:00:00 n2 kernel: habanalabs hl0: Going to reset device
May  1 12:00:20 n2 kernel: habanalabs hl0: Successfully finished resetting the device device
'''
[[test]]
fires = 0
logs."dmesg.txt" = '''
[   81.221231] habanalabs hl3: NIC port 4 link is up
'''
[[test]]
fires = 0                        # hours before
logs."n2.messages" = '''
2026-11-30T01:43:52.000000+00:00 n2 kernel: habanalabs hl0: Going to reset device
'''
logs."train.log" = '''
[2026-11-30 03:00:00] n2:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:40] n2:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.3<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
*/
WITH word AS (
  SELECT host, device, what, file_id, line, part FROM gpu_gaudi_reset WHERE what NOT LIKE 'Successfully%'
  UNION ALL SELECT host, device, 'heartbeat lost', file_id, line, part FROM gpu_gaudi_heartbeat_lost)
SELECT h.attempt, CASE WHEN w.host IS NOT NULL THEN [w.host] ELSE [] END AS hosts, [coalesce(w.host || ':', '') || w.device] AS gpus, min(h.began) AS began,
       CASE WHEN bool_or(NOT w.what LIKE 'Going%') THEN 'likely' ELSE 'possible' END AS confidence,
       coalesce(w.host || ': ', '') || printf('accelerator %s failed%s: %s', w.device, coalesce(strftime(min(h.began), ' at %H:%M:%S'), ''), lower(min({'l': w.line, 't': w.what}).t)) AS summary,
       list({'file_id': w.file_id, 'line': w.line, 'part': w.part} ORDER BY w.file_id, w.line, w.part) AS evidence
FROM   word w
JOIN   host_events h USING (file_id, line, part)
WHERE  h.hit
GROUP  BY h.attempt, w.host, w.device
