/*
title    = "A port waits for a subnet manager"
kind     = "net.ib_error.no_subnet_manager"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["perf.transport_fallback", "hang.init"]
needs    = ["nic_counters"]
explanation = '''
The link of this InfiniBand port is up, but its state is Initializing: no subnet manager has given it an address. Nothing passes. One port: the manager does not reach it, or its partition is not set up. All of a fabric: no manager runs.
'''
advice = '''
`sminfo` on a host that works; is opensm (or the manager of the switch, or UFM) running and MASTER? Then its log for this port's GUID, and the cable between this port and the fabric it should be in.
'''
false_positives = "The first seconds after the link came up; two hosts connected back to back where nobody started opensm."
references = ["InfiniBand: port states; ibstat, ibv_devinfo manuals"]
[[test]]
fires = 1
expect = { devices = ["mlx5_0"] }
logs."devinfo.txt" = '''
hca_id:	mlx5_0
	fw_ver:				20.31.1014
		port:	1
			state:			PORT_INIT (2)
			sm_lid:			0
			port_lid:		65535
			link_layer:		InfiniBand
'''
[[test]]
fires = 1
expect = { devices = ["mlx5_0"] }
logs."ibstat.txt" = '''
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Initializing
		Physical state: LinkUp
		Rate: 200
		SM lid: 0
		Link layer: InfiniBand
'''
[[test]]
fires = 0                        # another rule speaks of a port whose siblings work
logs."ibstat.txt" = '''
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Initializing
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
'''
[[test]]
fires = 0                        # nothing is plugged in
logs."ibstat.txt" = '''
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Down
		Physical state: Polling
		Rate: 10
		Link layer: InfiniBand
'''
*/
WITH latest AS (
  SELECT * FROM nic_port_state WHERE coalesce(device, netdev) IS NOT NULL AND state IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY attempt, host, device, port ORDER BY ts DESC NULLS LAST, file_id, line DESC, part DESC) = 1),
waiting AS (
  SELECT * FROM latest WHERE regexp_matches(state, '(?i)^(port_)?init') AND coalesce(regexp_matches(physical_state, '(?i)link ?up'), true) AND coalesce(link_layer = 'InfiniBand', true))
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT coalesce(host || '/', '') || device ORDER BY coalesce(host || '/', '') || device) AS devices,
       printf('%s wait%s for a subnet manager: the link is up and has no address', CASE WHEN count(*) = 1 THEN 'Port ' || coalesce(min(port), '1') || ' of ' || min(coalesce(host || '/', '') || device) ELSE printf('%d ports', count(*)) END,
              CASE WHEN count(*) = 1 THEN 's' ELSE '' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   waiting
WHERE  device IS NOT NULL AND NOT EXISTS (SELECT 1 FROM latest WHERE regexp_matches(state, '(?i)active'))
GROUP  BY attempt
