/*
title    = "A port is down on one host and active on its siblings"
kind     = "net.link_flap"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.transport_fallback", "perf.low_busbw", "perf.low_channels", "net.ib_error", "net.packet_loss"]
needs    = ["nic_counters", "fabric"]
explanation = """
A snapshot of port states shows this port without a working link (down, polling, no subnet manager, disabled) while the port of the same name is active
on the other hosts. The same port down everywhere is simply not wired.
"""
advice = """
On the host named: `ibstat DEVICE`, `mlxlink -d DEVICE -m -e`; Polling means no cable or a dead peer port, Initialize that no subnet manager talks to it.
"""
false_positives = "A host of another build; a port that was taken out on purpose."
references = ["ibstat, ibv_devinfo"]
[[test]]
fires = 1
expect = { hosts = ["n3"], devices = ["n3/mlx5_3"] }
logs."n1.ibstat" = """
CA 'mlx5_3'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
"""
logs."n2.ibstat" = """
CA 'mlx5_3'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
"""
logs."n3.ibstat" = """
CA 'mlx5_3'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Down
		Physical state: Polling
		Rate: 10
		Link layer: InfiniBand
"""
[[test]]
fires = 0                        # not wired anywhere
logs."n1.ibstat" = """
CA 'mlx5_3'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Down
		Physical state: Polling
		Rate: 10
		Link layer: InfiniBand
"""
logs."n2.ibstat" = """
CA 'mlx5_3'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Down
		Physical state: Polling
		Rate: 10
		Link layer: InfiniBand
"""
[[test]]
fires = 1                        # no subnet manager talks to it
expect = { devices = ["n1/mlx5_0"] }
logs."n1.ibstat" = """
CA 'mlx5_0'
	Port 1:
		State: Initializing
		Physical state: LinkUp
		Link layer: InfiniBand
"""
logs."n2.ibstat" = """
CA 'mlx5_0'
	Port 1:
		State: Active
		Physical state: LinkUp
		Link layer: InfiniBand
"""
logs."n3.ibstat" = """
CA 'mlx5_0'
	Port 1:
		State: Active
		Physical state: LinkUp
		Link layer: InfiniBand
"""
[[test]]
fires = 1                        # one of four adapters of one kind, on a single host
expect = { devices = ["kr05/mlx5_2"], confidence = "possible" }
logs."kr05/ibstat.txt" = """
CA 'mlx5_0'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
CA 'mlx5_1'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
CA 'mlx5_2'
	CA type: MT4129
	Port 1:
		State: Down
		Physical state: Polling
		Rate: 40
CA 'mlx5_3'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
"""
[[test]]
fires = 0                        # the other kind of adapter is the one for storage, and disabled by somebody
logs."kr05/ibstat.txt" = """
CA 'mlx5_0'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
CA 'mlx5_1'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
CA 'mlx5_2'
	CA type: MT4125
	Port 1:
		State: Down
		Physical state: Polling
CA 'mlx5_3'
	CA type: MT4129
	Port 1:
		State: Active
		Physical state: LinkUp
CA 'mlx5_4'
	CA type: MT4129
	Port 1:
		State: Down
		Physical state: Disabled
"""
[[test]]
fires = 0                        # the sole host has nobody to be compared with
logs."n1.ibstat" = """
CA 'mlx5_0'
	Port 1:
		State: Active
		Physical state: LinkUp
CA 'mlx5_1'
	Port 1:
		State: Down
		Physical state: Disabled
"""
[[test]]
fires = 1                        # a gap in a row of three
expect = { devices = ["mlx5_5"], confidence = "possible" }
logs."ibstat.txt" = '''
CA 'mlx5_4'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_5'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Down
		Physical state: Polling
		Rate: 10
		Link layer: InfiniBand
CA 'mlx5_6'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
'''
[[test]]
fires = 0                        # the last of three: perhaps not cabled
logs."ibstat.txt" = '''
CA 'mlx5_4'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_5'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_6'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Down
		Physical state: Polling
		Rate: 10
		Link layer: InfiniBand
'''
[[test]]
fires = 1
expect = { devices = ["mlx5_2"] }
logs."state.txt" = '''
/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_1/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_2/ports/1/state:1: DOWN
/sys/class/infiniband/mlx5_3/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_2/ports/1/phys_state:2: Polling
'''
[[test]]
fires = 0                        # a port of another kind that nobody uses
logs."rdma.txt" = '''
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ibp24s0
link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev ibp41s0
link mlx5_2/1 state DOWN physical_state DISABLED netdev ens9np0
link mlx5_3/1 state ACTIVE physical_state LINK_UP netdev ibp79s0
'''
[[test]]
fires = 1                        # two hosts with the same adapters
expect = { hosts = ["n5"], devices = ["n5/mlx5_2"] }
logs."n5.txt" = """
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1f0np0
link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev ens2f0np0
link mlx5_2/1 state DOWN physical_state DISABLED netdev ens3f0np0
"""
logs."n6.txt" = """
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1f0np0
link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev ens2f0np0
link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev ens3f0np0
"""
[[test]]
fires = 0                        # two hosts that are cabled differently
logs."n5.txt" = """
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1f0np0
link mlx5_1/1 state DOWN physical_state DISABLED netdev ens2f0np0
link mlx5_2/1 state DOWN physical_state DISABLED netdev ens3f0np0
"""
logs."n6.txt" = """
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1f0np0
link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev ens2f0np0
link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev ens3f0np0
"""
*/
WITH port AS (
  -- sysfs tells no type, and one thing a line: RDMA adapters of one driver are of one kind
  SELECT attempt, host, coalesce(device, netdev) AS dev, port, coalesce(type, regexp_extract(device, '^(mlx5)_\d+$', 1) || '?') AS type, ts, file_id, line, part, regexp_matches(state, '(?i)active') AS active,
         coalesce(state, '') || coalesce(', ' || physical_state, ', ' || max(CASE WHEN state IS NULL THEN physical_state END) OVER (PARTITION BY file_id, host, device, port), '') AS said, state
  FROM   nic_port_state
  WHERE  coalesce(device, netdev) IS NOT NULL),
latest AS (
  SELECT * EXCLUDE (state) FROM port WHERE state IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY attempt, host, dev, port ORDER BY ts DESC NULLS LAST, file_id, line DESC, part DESC) = 1),
sibling AS (
  SELECT attempt, dev, port, count(*) FILTER (WHERE active) AS up, count(*) FILTER (WHERE NOT active) AS down FROM latest WHERE host IS NOT NULL GROUP BY ALL),
own AS (         -- adapters of one kind in one host: three that work, one that does not; the odd one may still be unused
  SELECT attempt, host, type, count(*) FILTER (WHERE active) AS up, count(*) FILTER (WHERE NOT active) AS down
  FROM   latest
  WHERE  type IS NOT NULL
  GROUP  BY ALL),
down AS (
  SELECT l.*, s.up, 'host' AS beside FROM latest l
  JOIN   sibling s ON s.attempt IS NOT DISTINCT FROM l.attempt AND s.dev = l.dev AND s.port IS NOT DISTINCT FROM l.port
  WHERE  NOT l.active AND l.host IS NOT NULL AND s.up > s.down
  UNION ALL      -- of two hosts the other has it up, and here all other ports that are up there are up too
  SELECT l.*, s.up, 'host' FROM latest l
  JOIN   sibling s ON s.attempt IS NOT DISTINCT FROM l.attempt AND s.dev = l.dev AND s.port IS NOT DISTINCT FROM l.port
  WHERE  NOT l.active AND l.host IS NOT NULL AND s.up = 1 AND s.down = 1
  AND   (SELECT count(*) FROM latest u WHERE u.active AND u.host = l.host AND u.attempt IS NOT DISTINCT FROM l.attempt) >= 2
  AND    NOT EXISTS (SELECT 1 FROM latest t JOIN latest m ON m.host = l.host AND m.dev = t.dev AND m.port IS NOT DISTINCT FROM t.port
                     WHERE t.active AND t.host <> l.host AND NOT m.active AND m.dev <> l.dev)
  UNION ALL
  SELECT l.*, o.up, 'adapter' FROM latest l
  JOIN   own o ON o.attempt IS NOT DISTINCT FROM l.attempt AND o.host IS NOT DISTINCT FROM l.host AND o.type = l.type
  WHERE  NOT l.active AND o.down = 1 AND NOT regexp_matches(l.said, '(?i)disabled|sleep') AND (l.type NOT LIKE '%?' OR regexp_matches(l.said, '(?i)polling'))
         -- or two, the silent one between them in the numbering and asking for a partner: a gap in a row of rails
  AND    (o.up >= 3 OR (o.up = 2 AND regexp_matches(l.said, '(?i)polling') AND (
          SELECT count(*) FILTER (WHERE n < m.own_number) = 1 AND count(*) FILTER (WHERE n > m.own_number) = 1
          FROM   (SELECT TRY_CAST(regexp_extract(l.dev, '(\d+)$', 1) AS INTEGER) AS own_number) m,
                 (SELECT TRY_CAST(regexp_extract(u.dev, '(\d+)$', 1) AS INTEGER) AS n FROM latest u WHERE u.active AND u.type = l.type AND u.attempt IS NOT DISTINCT FROM l.attempt AND u.host IS NOT DISTINCT FROM l.host))))
  AND    (SELECT count(DISTINCT host) FROM latest) <= 1
  UNION ALL      -- the link is there, and no subnet manager speaks to it as it does to the others of its kind
  SELECT l.*, o.up, 'adapter' FROM latest l
  JOIN   own o ON o.attempt IS NOT DISTINCT FROM l.attempt AND o.host IS NOT DISTINCT FROM l.host AND o.type = l.type
  WHERE  NOT l.active AND o.up BETWEEN 1 AND 2 AND o.down = 1 AND regexp_matches(l.said, '(?i)^(port_)?init') AND regexp_matches(l.said, '(?i)linkup')
  AND    (SELECT count(DISTINCT host) FROM latest) <= 1)
SELECT l.attempt, [l.host] AS hosts, [coalesce(l.host || '/', '') || l.dev] AS devices,
       CASE WHEN l.beside = 'host' THEN 'likely' ELSE 'possible' END AS confidence,
       coalesce(l.host || ': p', 'P') || printf('ort %s of %s is down (%s) while it is active on %d other %s%s', coalesce(l.port, '1'), l.dev, lower(l.said), l.up, l.beside, CASE WHEN l.up > 1 THEN 's' ELSE '' END) AS summary,
       list({'file_id': l.file_id, 'line': l.line, 'part': l.part} ORDER BY l.file_id, l.line, l.part) AS evidence
FROM   down l
GROUP  BY l.attempt, l.host, l.dev, l.port, l.said, l.up, l.beside
