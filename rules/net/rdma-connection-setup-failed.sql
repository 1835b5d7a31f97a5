/*
title    = "An RDMA connection could not be set up"
kind     = "net.ib_error"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.rank_behind", "crash.signal", "crash.python"]
needs    = ["nccl_ib"]
explanation = """
A queue pair could not be brought to work, or the two devices do not fit each other. It is the pair of devices that is wrong: rails or link layers behind
one index that differ, a GID index that is empty or of another type, a missing VLAN or address, a device that the container's namespace does not hold.
Where it prints is where it showed, nothing more.
"""
advice = """
Print `ibv_devinfo -v` (link layer, state, GIDs) and `show_gids` on both hosts and lay them side by side; pin NCCL_IB_HCA by name and NCCL_IB_GID_INDEX so that both ends take the same rail and type.
Exclude storage and Ethernet ports from NCCL_IB_HCA; check routing between the rails.
"""
false_positives = "A peer that gave up during set-up for another reason."
references = ["NCCL source: net_ib.cc, ibv_modify_qp", "libibverbs: ibv_modify_qp"]
[[test]]
fires = 1
expect = { hosts = ["n4"], devices = ["n4/mlx5_1"], either = true }
logs."nccl.log" = '''
n4:10:20 [2] misc/ibvwrap.cc:310 NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_1:1, curr state INIT, next state RTR, local GID index 3, local GID ::ffff:10.43.2.5, remote GID ::ffff:10.43.9.6
'''
[[test]]
fires = 1
expect = { hosts = ["n4"] }
logs."nccl.log" = '''
n4:10:20 [2] misc/ibvwrap.cc:280 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument errno 22
n4:11:20 [3] misc/ibvwrap.cc:280 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument errno 22
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n4:10:20 [2] misc/ibvwrap.cc:190 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n4:10:20 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=12 opcode=4 len=4 vendor err 129 (Send)
'''
*/
WITH failed AS (
  SELECT attempt, host, hca, coalesce(error, 'failed') AS error, local_gid, remote_gid, ts, file_id, line, part FROM nccl_net_ib_modify_qp
  UNION ALL
  SELECT attempt, host, NULL, 'incompatible devices', NULL, NULL, ts, file_id, line, part FROM nccl_net_ib_incompatible WHERE action = 'connect'),
spread AS (
  SELECT attempt, count(DISTINCT host) AS hosts FROM failed GROUP BY attempt)
SELECT f.attempt, min(f.ts) AS began, true AS either, list(DISTINCT f.host ORDER BY f.host) FILTER (WHERE f.host IS NOT NULL AND s.hosts <= 2) AS hosts,
       list(DISTINCT f.host || '/' || f.hca ORDER BY f.host || '/' || f.hca) FILTER (WHERE f.host IS NOT NULL AND f.hca IS NOT NULL AND s.hosts <= 2) AS devices,
       printf('%s could not set up an RDMA connection%s (%s): its device and that of the other end do not fit, or do not reach each other',
              CASE WHEN s.hosts BETWEEN 1 AND 2 THEN string_agg(DISTINCT f.host, ' and ' ORDER BY f.host) WHEN s.hosts = 0 THEN 'A process' ELSE printf('%d hosts', s.hosts) END,
              CASE WHEN count(DISTINCT f.hca) = 1 THEN ' on ' || min(f.hca) ELSE '' END, min(f.error)) AS summary,
       list({'file_id': f.file_id, 'line': f.line, 'part': f.part} ORDER BY f.file_id, f.line, f.part) AS evidence
FROM   failed f
JOIN   spread s ON s.attempt IS NOT DISTINCT FROM f.attempt
GROUP  BY f.attempt, s.hosts
