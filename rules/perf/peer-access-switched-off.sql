/*
title    = "A setting keeps GPUs of one host from talking directly"
kind     = "perf.p2p_off"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.*", "config.env"]
needs    = ["nccl"]
explanation = """
NCCL_P2P_DISABLE=1, or NCCL_P2P_LEVEL=LOC, forbids peer access, so traffic inside the host goes through host memory (SHM) although the GPUs are
connected. It works, several times slower than NVLink.
"""
advice = """
Unset NCCL_P2P_DISABLE and NCCL_P2P_LEVEL (launch script, /etc/nccl.conf, container image) unless the platform needs them: virtual machines and boards without working peer access.
"""
false_positives = "GeForce-class boards and VMs on which peer access hangs."
references = ["NCCL documentation: NCCL_P2P_DISABLE, NCCL_P2P_LEVEL"]
[[test]]
fires = 1
logs."nccl.log" = '''
a100n07:11:21 [0] NCCL INFO NCCL_P2P_LEVEL set by environment to LOC
a100n07:11:21 [0] NCCL INFO Channel 00 : 0[7000] -> 1[f000] via SHM/direct/direct
'''
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = '''
n1:11:21 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
n2:11:21 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.
n2:11:21 [0] NCCL INFO Channel 00 : 8[0] -> 9[1] via SHM/direct/direct
'''
[[test]]
fires = 0                       # it is on
logs."nccl.log" = '''
n2:11:21 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 0.
n2:11:21 [0] NCCL INFO Channel 00/0 : 8[0] -> 9[1] via P2P/CUMEM
'''
[[test]]
fires = 0                       # no traffic inside the host shown to suffer
logs."nccl.log" = '''
n2:11:21 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.
n2:11:21 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA
'''
*/
WITH setting AS (
  SELECT attempt, host, min(name || '=' || value) AS what, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_env
  WHERE  name = 'NCCL_P2P_DISABLE' AND value = '1' OR name = 'NCCL_P2P_LEVEL' AND upper(value) IN ('LOC', '0')
  GROUP  BY attempt, host),
slow AS (
  SELECT attempt, host, count(*) AS n, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   connections
  WHERE  transport LIKE 'SHM%' AND NOT duplicate
  GROUP  BY attempt, host),
hosts_seen AS (
  SELECT count(DISTINCT host) AS n FROM connections)
SELECT s.attempt, CASE WHEN (SELECT n FROM hosts_seen) > 1 AND s.host IS NOT NULL THEN [s.host] ELSE [] END AS hosts,
       printf('%s%s sends traffic inside the host through host memory (%d connections over SHM)', s.what, coalesce(' on ' || s.host, ''), c.n) AS summary,
       list_concat(s.evidence, c.evidence) AS evidence
FROM   setting s
JOIN   slow c ON c.attempt IS NOT DISTINCT FROM s.attempt AND c.host IS NOT DISTINCT FROM s.host
