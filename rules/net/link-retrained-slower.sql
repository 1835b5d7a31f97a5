/*
title    = "A NIC's link came back slower while the job ran"
kind     = "net.link_flap"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "net.congestion"]
needs    = ["nccl_net"]
explanation = """
NCCL saw the speed of this port change, and its last word is a lower speed than its first: the link lost lanes or fell to an older rate when it was trained anew. Nothing fails; every
collective over this NIC runs at what is left, and the whole job with it.
"""
advice = """
On this host `mlxlink -d DEVICE -m -c` (speed, width, errors, the module's temperature) and `ibstat DEVICE` or `ethtool NETDEV`, against a sibling.
Reseat or exchange cable and transceiver, then let the link train again (`mlxlink -d DEVICE --port_state TG`); a port that stays slow belongs out of service.
"""
false_positives = "A speed set by hand during the run. A link that came back at its full speed is another finding."
references = ["NCCL source: net_ib, speed change detected (2.30)"]
[[test]]
fires = 1
expect = { hosts = ["node1"], devices = ["node1/mlx5_3"], severity = "medium" }
logs."nccl.log" = '''
node1:11:14 [0] NCCL INFO NET/IB : mlx5_3:1 speed change detected: 400000 -> 200000 Mbps
node1:12:15 [1] NCCL INFO NET/IB : mlx5_3:1 speed change detected: 400000 -> 200000 Mbps
'''
[[test]]
fires = 1                        # down and only half the way up
expect = { hosts = ["node1"], devices = ["node1/mlx5_3"] }
logs."nccl.log" = '''
node1:11:14 [0] NCCL INFO NET/IB : mlx5_3:1 speed change detected: 400000 -> 100000 Mbps
node1:11:14 [0] NCCL INFO NET/IB : mlx5_3:1 speed change detected: 100000 -> 200000 Mbps
'''
[[test]]
fires = 0                        # it came back
logs."nccl.log" = '''
node1:11:14 [0] NCCL INFO NET/IB : mlx5_3:1 speed change detected: 400000 -> 200000 Mbps
node1:11:14 [0] NCCL INFO NET/IB : mlx5_3:1 speed change detected: 200000 -> 400000 Mbps
'''
[[test]]
fires = 0                        # it was slow before, and is now as it should be
logs."nccl.log" = '''
node1:11:14 [0] NCCL INFO NET/IB : mlx5_3:1 speed change detected: 200000 -> 400000 Mbps
'''
*/
WITH process AS (  -- each process tells every change of every port
  SELECT attempt, host, hca, port, file_id, pid, max(old_mbps) AS best, min(ts) AS began, max({'line': line, 'mbps': new_mbps}).mbps AS latest,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_net_ib_speed_change
  WHERE  host IS NOT NULL
  GROUP  BY ALL),
slow AS (
  SELECT attempt, host, hca, min(began) AS began, max(best) AS best, max(latest) AS latest, flatten(list(evidence ORDER BY file_id, pid)) AS evidence
  FROM   process
  GROUP  BY attempt, host, hca, port
  HAVING max(latest) < max(best))
SELECT l.attempt, [l.host] AS hosts, [l.host || '/' || l.hca] AS devices, l.began, l.evidence, s.severity, s.role,
       printf('%s: the link of %s came back at %d Gb/s instead of %d', l.host, l.hca, l.latest // 1000, l.best // 1000)
       || coalesce(strftime(l.began, ' at %H:%M:%S'), '') || coalesce(s.effect, '') AS summary
FROM   slow l
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM l.attempt
