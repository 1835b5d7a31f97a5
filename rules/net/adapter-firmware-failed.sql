/*
title    = "A network adapter's firmware failed"
kind     = "net.ib_error"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.*", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["kernel_nic"]
explanation = """
The kernel's driver lost its adapter, where a job is in the input while its processes were alive: the firmware's heartbeat stopped, a fatal state was found, or it was reset.
All connections over it are lost; peers see requests that nobody acknowledges.
"""
advice = """
Drain the host named; read `dmesg -T` round that time for AER or power events and for the health syndrome, then update firmware or replace the adapter.
"""
false_positives = "With a job in the input only lines from within it count; a kernel log alone may tell of a reset during maintenance."
references = ["Linux kernel: drivers/net/ethernet/mellanox/mlx5/core/health.c"]
[[test]]
fires = 1
expect = { hosts = ["node17"], devices = ["node17/0000:3b:00.0"] }
logs."dmesg/node17.log" = '''
2026-11-30T03:13:52.000000+00:00 node17 kernel: mlx5_core 0000:3b:00.0: poll_health:852:(pid 0): device's health compromised - reached miss count
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node17:10:20 [0] init.cc:10 NCCL WARN something
[rank0]:[E1130 03:15:52.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=60000) ran for 60060 milliseconds before timing out.
'''
[[test]]
fires = 1
expect = { hosts = ["node17"] }
logs."syslog" = '''
2026-11-30T03:13:52.000000+00:00 node17 kernel: bnxt_en 0000:ca:00.0 eth0: Firmware not responding, status: 0x4
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node17:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:40] node17:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.3<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
[[test]]
fires = 1                        # a kernel log and nothing else, without host and date
expect = { hosts = [], devices = ["0000:9a:00.0"] }
logs."dmesg.txt" = '''
[  901.1] mlx5_core 0000:9a:00.0: poll_health:852:(pid 0): device's health compromised - reached miss count
[  901.2] mlx5_core 0000:9a:00.0: print_health_info:526:(pid 0): synd 0x8: unrecoverable hardware error
'''
[[test]]
fires = 0                        # the driver reset it and went on; nobody says that a job was there
logs."dmesg.txt" = '''
[  901.9] mlx5_core 0000:9a:00.0: mlx5_health_try_recover:372:(pid 91): health recovery succeeded
'''
[[test]]
fires = 0                        # hours before the job
logs."syslog" = '''
2026-11-30T01:13:52.000000+00:00 node17 kernel: mlx5_core 0000:3b:00.0: poll_health:852:(pid 0): device's health compromised - reached miss count
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node17:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:40] node17:10:20 [0] transport/net_ib/p2p.cc:88 NCCL WARN NET/IB: Got completion from peer 10.0.0.3<47910> with status=transport retry counter exceeded(12) opcode=Send(0) vendor_err=129 req_type=Send hca mlx5_1
'''
[[test]]
fires = 0                        # a command the firmware refused, and one that came late: both are routine
logs."syslog" = '''
2026-11-30T03:13:52.000000+00:00 node17 kernel: mlx5_core 0000:3b:00.0: wait_func_handle_exec_timeout:1062:(pid 112): cmd[0]: QUERY_VPORT_STATE(0x750) recovered after timeout
'''
logs."train.log" = '''
[2026-11-30 03:00:00] node17:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:40] node17:10:20 [0] init.cc:10 NCCL WARN something
'''
*/
WITH word AS (
  SELECT host, device, what, ts, file_id, line, part FROM nic_health
  UNION ALL SELECT host, device, 'synd 0x' || synd || ': ' || text, ts, file_id, line, part FROM nic_health_syndrome WHERE synd <> '0'
  UNION ALL SELECT host, device, command || ' timed out', ts, file_id, line, part FROM nic_command_timeout
  UNION ALL SELECT host, device, what, ts, file_id, line, part FROM nic_reset WHERE NOT regexp_matches(what, 'recovery succeeded|Performing reset|PFR requested')
  UNION ALL SELECT host, coalesce(device, hca), what, ts, file_id, line, part FROM nic_efa_error),
inside AS (
  SELECT s.attempt, w.*
  FROM   word w
  JOIN   job_spans s ON w.ts BETWEEN s.began AND s.ended
  WHERE  w.host IS NOT NULL
  -- somebody must have noticed: within ten minutes, which is the usual patience of a collective
  AND    EXISTS (SELECT 1 FROM network_complaints c WHERE c.attempt IS NOT DISTINCT FROM s.attempt AND c.ts BETWEEN w.ts - INTERVAL 60 SECOND AND w.ts + INTERVAL 600 SECOND)
  UNION ALL
  -- no job in the input: the kernel log stands for itself, if the adapter itself said so
  SELECT 0, host, device, what, ts, file_id, line, part FROM nic_health WHERE NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)
  UNION ALL
  SELECT 0, host, device, 'synd 0x' || synd || ': ' || text, ts, file_id, line, part FROM nic_health_syndrome
  WHERE  synd <> '0' AND NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL))
SELECT attempt, [host] AS hosts, [coalesce(host || '/', '') || device] AS devices, min(ts) AS began,
       coalesce(host || ': n', 'N') || printf('etwork adapter %s failed%s: %s', device, coalesce(strftime(min(ts), ' at %H:%M:%S'), ''), min(what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   inside
WHERE  device IS NOT NULL
GROUP  BY attempt, host, device
