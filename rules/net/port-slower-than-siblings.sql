/*
title    = "A port runs at a lower rate than its siblings"
kind     = "net.link_flap.slow"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.straggler", "net.congestion"]
needs    = ["nic_counters"]
explanation = """
The link of this port trained to a lower rate than that of the same port on other hosts, or than that of the other adapters of the same kind in its host. A ring is as fast as
its slowest link, so the whole job runs at that rate.
"""
advice = """
On the host named: `mlxlink -d DEVICE -m -e -c` for the reason (a lane lost, a cable for a lower rate, a forced speed), the same at the switch port; reseat or exchange the cable.
"""
false_positives = "An adapter for storage or management that is meant to be slower; hosts of another build."
references = ["ibstat, ibv_devinfo, mlxlink manuals"]
[[test]]
fires = 1
expect = { hosts = ["kr05"], devices = ["kr05/mlx5_2"] }
logs."kr05/ibstat.txt" = """
CA 'mlx5_0'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_1'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_2'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
CA 'mlx5_3'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
"""
[[test]]
fires = 1                        # the same port on the others
expect = { hosts = ["n3"], devices = ["n3/mlx5_0"] }
logs."n1.ibstat" = """
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
"""
logs."n2.ibstat" = """
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
"""
logs."n3.ibstat" = """
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 100
		Link layer: InfiniBand
"""
[[test]]
fires = 0                        # another kind of adapter
logs."kr05/ibstat.txt" = """
CA 'mlx5_0'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_1'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_2'
	CA type: MT4125
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 100
		Link layer: InfiniBand
CA 'mlx5_3'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
"""
[[test]]
fires = 0                        # two and two: no rule, no exception
logs."kr05/ibstat.txt" = """
CA 'mlx5_0'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_1'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_2'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
CA 'mlx5_3'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
"""
[[test]]
fires = 0                        # slower everywhere
logs."n1.ibstat" = """
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
CA 'mlx5_1'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
CA 'mlx5_2'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 100
		Link layer: InfiniBand
"""
logs."n2.ibstat" = """
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
CA 'mlx5_1'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
CA 'mlx5_2'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 100
		Link layer: InfiniBand
"""
[[test]]
fires = 1
expect = { devices = ["ens9f0np0"] }
logs."ethtool.txt" = '''
Settings for ens9f0np0:
	Speed: 100000Mb/s
	Link detected: yes
Settings for ens10f0np0:
	Speed: 400000Mb/s
	Link detected: yes
Settings for ens11f0np0:
	Speed: 400000Mb/s
	Link detected: yes
Settings for ens12f0np0:
	Speed: 400000Mb/s
	Link detected: yes
'''
[[test]]
fires = 0                        # the management port
logs."ethtool.txt" = '''
Settings for eno1:
	Speed: 25000Mb/s
	Link detected: yes
Settings for ens10f0np0:
	Speed: 400000Mb/s
	Link detected: yes
Settings for ens11f0np0:
	Speed: 400000Mb/s
	Link detected: yes
Settings for ens12f0np0:
	Speed: 400000Mb/s
	Link detected: yes
'''
*/
WITH port AS (
  SELECT attempt, host, coalesce(device, netdev) AS dev, coalesce(port, '1') AS port,
         -- ethtool names no type: ports that carry a job's data are those of 100 Gb/s and more
         coalesce(type, CASE WHEN rate >= 100 AND device IS NULL THEN 'ethernet' END) AS type, rate, file_id, line, part
  FROM   nic_port_state
  WHERE  coalesce(device, netdev) IS NOT NULL AND rate > 0 AND coalesce(regexp_matches(state, '(?i)active|^up$'), true)
  QUALIFY row_number() OVER (PARTITION BY attempt, host, coalesce(device, netdev), port ORDER BY ts DESC NULLS LAST, file_id, line DESC, part DESC) = 1),
rail AS (        -- the same port of other hosts
  SELECT attempt, dev, port, mode(rate) AS usual, count(*) AS n, count(*) FILTER (WHERE rate < (SELECT max(p.rate) FROM port p WHERE p.dev = port.dev AND p.port = port.port)) AS slow
  FROM   port
  WHERE  host IS NOT NULL
  GROUP  BY attempt, dev, port),
own AS (         -- the other adapters of its kind in the host
  SELECT attempt, host, type, max(rate) AS usual, count(*) AS n, count(*) FILTER (WHERE rate < (SELECT max(p.rate) FROM port p WHERE p.type = port.type AND p.host IS NOT DISTINCT FROM port.host)) AS slow
  FROM   port
  WHERE  type IS NOT NULL
  GROUP  BY attempt, host, type),
slow AS (
  SELECT p.*, r.usual, 'on the other hosts' AS beside
  FROM   port p
  JOIN   rail r ON r.attempt IS NOT DISTINCT FROM p.attempt AND r.dev = p.dev AND r.port = p.port
  WHERE  p.host IS NOT NULL AND r.n >= 3 AND r.slow * 3 <= r.n AND p.rate < r.usual
  UNION ALL
  SELECT p.*, o.usual, 'on its siblings'
  FROM   port p
  JOIN   own o ON o.attempt IS NOT DISTINCT FROM p.attempt AND o.host IS NOT DISTINCT FROM p.host AND o.type = p.type
  WHERE  o.n >= 4 AND o.slow = 1 AND p.rate < o.usual
  -- where it is slower on every host, that is its design
  AND    NOT EXISTS (SELECT 1 FROM port q WHERE q.dev = p.dev AND q.port = p.port AND q.host <> p.host AND q.rate = p.rate))
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, [coalesce(host || '/', '') || dev] AS devices,
       coalesce(host || ': ', '') || printf('%s runs at %.0f Gb/s where it is %.0f %s', dev, rate, max(usual), min(beside)) AS summary,
       list(DISTINCT {'file_id': file_id, 'line': line, 'part': part} ORDER BY {'file_id': file_id, 'line': line, 'part': part}) AS evidence
FROM   slow
GROUP  BY attempt, host, dev, rate
