/*
title    = "No network interface matches the setting"
kind     = "net.wrong_interface"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.*", "crash.python", "crash.signal"]
needs    = ["nccl_setup"]
explanation = """
NCCL found no usable interface on this host: the name in NCCL_SOCKET_IFNAME does not exist here, or the filter excludes all. Names differ between hosts
of one cluster more often than people think, and inside a container they are others.
"""
advice = """
On the host named: `ip -br addr`, and compare with NCCL_SOCKET_IFNAME in the same container; use a prefix list (`eth,en,ib`) or an exclusion (`^lo,docker`) that fits all hosts.
"""
false_positives = "None known."
references = ["NCCL source: bootstrap.cc, no socket interface found"]
[[test]]
fires = 1
expect = { hosts = ["n2"], devices = [] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth2:10.17.0.31<0>
n2:10:20 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth2
n2:10:20 [0] bootstrap.cc:58 NCCL WARN Bootstrap : no socket interface found
'''
[[test]]
fires = 1
expect = { hosts = ["n2"], devices = [] }
logs."nccl.log" = "n2:10:20 [0] bootstrap.cc:58 NCCL WARN Bootstrap : no socket interface found"
[[test]]
fires = 0
logs."nccl.log" = "n2:10:20 [0] NCCL INFO Bootstrap : Using eth2:10.17.0.31<0>"
[[test]]
fires = 0
logs."nccl.log" = "n2:10:20 [0] NCCL INFO NET/IB : No device found."
*/
WITH setting AS (
  SELECT attempt, host, min(value) AS value, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_env
  WHERE  name = 'NCCL_SOCKET_IFNAME'
  GROUP  BY attempt, host),
missing AS (
  SELECT attempt, host, min(ts) AS began, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_bootstrap_no_interface
  GROUP  BY attempt, host)
SELECT m.attempt, m.began, [m.host] AS hosts,
       list_concat(coalesce(s.evidence, []), m.evidence) AS evidence,
       printf('%s has no network interface that NCCL may use%s', coalesce(m.host, 'A host'), coalesce(' (NCCL_SOCKET_IFNAME=' || s.value || ')', '')) AS summary
FROM   missing m
LEFT JOIN setting s ON s.attempt IS NOT DISTINCT FROM m.attempt AND s.host IS NOT DISTINCT FROM m.host
