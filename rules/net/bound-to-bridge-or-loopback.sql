/*
title    = "A host binds a loopback, bridge or link-local interface"
kind     = "net.wrong_interface"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "net.wrong_interface", "perf.transport_fallback", "desync.*", "crash.python", "crash.signal", "config.env"]
needs    = ["nccl_setup"]
explanation = """
NCCL tells its peers the address of the interface that it bound. On this host that is one with a meaning only inside the host (loopback, a bridge of Docker
or libvirt, a container's virtual cable, a link-local address), so the peers cannot call back, or reach a bridge of their own. The hosts that complain are victims.
"""
advice = """
Set NCCL_SOCKET_IFNAME (and GLOO_SOCKET_IFNAME) on the host named to the interface that all hosts share, or exclude the others with `^lo,docker,virbr`; check with `ip -br addr` on each host.
See whether a file read on that host only (/etc/nccl.conf, a profile) sets it.
"""
false_positives = "Jobs on a single host, where loopback is fine; those are not counted."
references = ["NCCL source: bootstrap.cc, Bootstrap : Using"]
[[test]]
fires = 1
expect = { hosts = ["n2"], devices = ["n2/docker0"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using enp1s0f0:10.17.0.31<0>
n2:10:20 [0] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>
n1:10:20 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: exceeded retries (20000)
'''
[[test]]
fires = 1
expect = { hosts = ["n1"], devices = ["n1/lo"], confidence = "certain" }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using lo:127.0.0.1<0>
n2:11:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.32<0>
n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
n2:11:20 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 127.0.0.1<39204> failed : Connection refused
'''
[[test]]
fires = 0                        # one host: loopback is fine
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using lo:127.0.0.1<0>
n1:11:20 [1] NCCL INFO Bootstrap : Using lo:127.0.0.1<0>
n1:11:20 [1] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer localhost<55693>
'''
[[test]]
fires = 0                        # it works
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.244.1.7<0>
n2:11:20 [0] NCCL INFO Bootstrap : Using eth0:10.244.2.9<0>
n1:10:20 [0] NCCL INFO Call to connect returned Connection refused, retrying
n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 2 cudaDev 0 busId 18000 - Init COMPLETE
'''
[[test]]
fires = 0                        # a bridge among the candidates of the data sockets is no choice of it
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.31<0>
n1:10:20 [0] NCCL INFO NET/Socket : Using [0]eth0:10.17.0.31<0> [1]docker0:172.17.0.1<0>
n2:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.32<0>
n1:10:20 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: exceeded retries (20000)
'''
*/
WITH bound AS (
  SELECT b.attempt, b.host, b.interface, b.addr, b.file_id, b.line, b.part,
         regexp_matches(b.interface, '^(lo$|docker|br-|virbr|veth|vnet|cni|flannel|cali|tunl|lxc|podman|kube|wg[0-9]|tailscale|zt)')
           -- 172.17.0 and 192.168.122 as Docker and libvirt are installed
           OR regexp_matches(b.addr, '^(127\.|169\.254\.|fe80:|172\.17\.0\.|192\.168\.122\.|::1$)') AS inner_only
  FROM   nccl_bootstrap_using b
  JOIN   job_hosts j ON j.attempt IS NOT DISTINCT FROM b.attempt AND j.host = b.host
  WHERE  b.interface IS NOT NULL),
host AS (
  SELECT attempt, host, min(interface) AS interface, min(addr) AS addr, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   bound
  GROUP  BY attempt, host
  HAVING bool_and(inner_only)),
several AS (
  SELECT attempt, count(DISTINCT host) AS hosts FROM job_hosts GROUP BY attempt),
trouble AS (     -- that somebody could not connect, or that a set-up or a collective did not end
  SELECT attempt FROM nccl_socket_connect_failed
  UNION SELECT attempt FROM unfinished_inits
  UNION SELECT attempt FROM torch_watchdog_timeout
  UNION SELECT attempt FROM torch_gloo_connect_failed
  -- every start has a few refusals; twenty of one process are no start
  UNION SELECT attempt FROM nccl_socket_retry GROUP BY attempt, host, pid HAVING count(*) >= 20),
dialled AS (     -- others called just this address, in vain
  SELECT DISTINCT attempt, host, peer_addr FROM failed_connects WHERE peer_addr IS NOT NULL)
SELECT h.attempt, [h.host] AS hosts, h.evidence,
       [h.host || '/' || h.interface] AS devices,
       CASE WHEN count(d.peer_addr) > 0 THEN 'certain' ELSE 'likely' END AS confidence,
       printf('%s binds %s (%s), an address that other hosts cannot reach', h.host, h.interface, h.addr) AS summary
FROM   host h
JOIN   several s ON s.attempt = h.attempt AND s.hosts > 1
LEFT JOIN dialled d ON d.attempt = h.attempt AND d.peer_addr = h.addr AND d.host IS DISTINCT FROM h.host
WHERE  h.attempt IN (SELECT attempt FROM trouble)
GROUP  BY h.attempt, h.host, h.interface, h.addr, h.evidence
