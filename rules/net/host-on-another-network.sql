/*
title    = "One host binds an address outside the network of the others"
kind     = "net.wrong_interface"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.*", "crash.python", "crash.signal"]
needs    = ["nccl_setup"]
explanation = """
The hosts of a job should talk over one network. This one bound an interface whose address is of another range, and of another kind of name, than those of
all the others, and connections failed. It may be routed, and then it only is slower.
"""
advice = """
Lay `ip -br addr` of the host named and of a sibling side by side, and pin NCCL_SOCKET_IFNAME to the network that all of them share.
"""
false_positives = "Hosts in several routed subnets; only a job with failed connections is counted."
references = ["NCCL source: bootstrap.cc"]
[[test]]
fires = 1
expect = { hosts = ["n3"], devices = ["n3/ib0"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.31<0>
n2:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.32<0>
n3:10:20 [0] NCCL INFO Bootstrap : Using ib0:192.168.7.33<0>
n1:10:20 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: exceeded retries (20000)
'''
[[test]]
fires = 1                        # NCCL says itself that the other's address is in no network of this host
expect = { hosts = ["n3"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.31<0>
n2:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.32<0>
n3:10:20 [0] NCCL INFO Bootstrap : Using eth1:172.30.7.33<0>
n3:10:20 [0] misc/socket.cc:190 NCCL WARN Net : No interface found in the same subnet as remote address 10.17.0.31<47910>
'''
[[test]]
fires = 0                        # it works
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.31<0>
n2:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.32<0>
n3:10:20 [0] NCCL INFO Bootstrap : Using ib0:192.168.7.33<0>
'''
[[test]]
fires = 0                        # subnets of one range, same interface
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using ens3f0:10.1.197.225<0>
n2:10:20 [0] NCCL INFO Bootstrap : Using ens3f0:10.1.201.30<0>
n3:10:20 [0] NCCL INFO Bootstrap : Using ens3f0:10.1.201.31<0>
n1:10:20 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: exceeded retries (20000)
'''
[[test]]
fires = 0                        # two hosts: nobody knows which is the odd one
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.31<0>
n3:10:20 [0] NCCL INFO Bootstrap : Using ib0:192.168.7.33<0>
n1:10:20 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: exceeded retries (20000)
'''
*/
WITH bound AS MATERIALIZED (
  -- the first two numbers of an address: sites split such a range into subnets that they route
  SELECT b.attempt, b.host, regexp_extract(b.addr, '^\d+\.\d+') AS network, min(b.addr) AS addr, min(b.interface) AS interface,
         list({'file_id': b.file_id, 'line': b.line, 'part': b.part} ORDER BY b.file_id, b.line, b.part) AS evidence
  FROM   nccl_bootstrap_using b
  JOIN   job_hosts j ON j.attempt IS NOT DISTINCT FROM b.attempt AND j.host = b.host
  WHERE  regexp_matches(b.addr, '^\d+\.\d+\.')
  GROUP  BY b.attempt, b.host, network),
single AS (      -- a host that binds different ones in different processes is another matter
  SELECT attempt, host FROM bound GROUP BY attempt, host HAVING count(*) = 1),
network AS (
  SELECT attempt, network, count(*) AS hosts, list(DISTINCT interface ORDER BY interface) AS interfaces FROM bound GROUP BY attempt, network),
common AS (
  SELECT attempt, network, hosts, interfaces, sum(hosts) OVER (PARTITION BY attempt) AS all_hosts
  FROM   network
  QUALIFY row_number() OVER (PARTITION BY attempt ORDER BY hosts DESC, network) = 1),
trouble AS (
  SELECT attempt FROM nccl_socket_connect_failed
  UNION SELECT attempt FROM nccl_bootstrap_subnet
  UNION SELECT attempt FROM unfinished_inits
  UNION SELECT attempt FROM nccl_socket_retry GROUP BY attempt, host, pid HAVING count(*) >= 20)
SELECT b.attempt, [b.host] AS hosts, [b.host || '/' || b.interface] AS devices, b.evidence,
       printf('%s binds %s (%s), the %d other hosts addresses in %s.*, and connections failed', b.host, b.interface, b.addr, c.hosts, c.network) AS summary
FROM   bound b
JOIN   single s ON s.attempt IS NOT DISTINCT FROM b.attempt AND s.host = b.host
JOIN   common c ON c.attempt IS NOT DISTINCT FROM b.attempt AND c.network <> b.network
-- one against at least two, and nobody else apart
WHERE  c.hosts >= 2 AND c.hosts + 1 = c.all_hosts AND NOT list_contains(c.interfaces, b.interface)
AND    b.attempt IN (SELECT attempt FROM trouble)
