/*
title    = "A setting switches RDMA off although adapters are there"
kind     = "config.env"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.transport_fallback", "perf.low_busbw", "perf.gdr_off"]
needs    = ["nccl_setup", "connections"]
explanation = """
NCCL_IB_DISABLE or NCCL_NET=Socket sends the traffic between hosts over TCP, while the snapshots of the hosts show RDMA adapters. Often it is a left-over of a search for
another fault.
"""
advice = """
Remove NCCL_IB_DISABLE=1 and NCCL_NET=Socket from the job's environment, /etc/nccl.conf and ~/.nccl.conf, and see whether `Using network IB` appears.
"""
false_positives = "Adapters that serve storage only."
references = ["NCCL documentation: NCCL_IB_DISABLE"]
[[test]]
fires = 1
expect = { devices = [] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.
n2:10:20 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.
n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0
n2:10:20 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [send] via NET/Socket/0
'''
logs."n1.ibstat" = """
CA 'mlx5_0'
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
"""
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_NET set by environment to Socket
n2:10:20 [0] NCCL INFO NCCL_NET set by environment to Socket
n1:10:20 [0] NCCL INFO Using network Socket
n2:10:20 [0] NCCL INFO Using network Socket
'''
logs."n2.ibstat" = """
CA 'mlx5_3'
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
"""
[[test]]
fires = 0                        # nothing shows an adapter
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.
n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0
'''
[[test]]
fires = 0                        # set to the default
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 0.
n1:10:20 [0] NCCL INFO Using network IB
n2:10:20 [0] NCCL INFO Using network IB
'''
logs."n1.ibstat" = """
CA 'mlx5_0'
	Port 1:
		State: Active
		Physical state: LinkUp
"""
*/
WITH setting AS (
  SELECT attempt, name, value, count(DISTINCT host) AS hosts, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_env
  WHERE  name = 'NCCL_IB_DISABLE' AND value = '1' OR name = 'NCCL_NET' AND lower(value) = 'socket'
  GROUP  BY attempt, name, value),
sockets AS (
  SELECT attempt FROM connections WHERE transport = 'NET/Socket' AND NOT duplicate
  UNION SELECT attempt FROM nccl_net_using WHERE network = 'Socket'),
rdma AS (
  SELECT attempt FROM connections WHERE transport LIKE 'NET/%' AND transport <> 'NET/Socket' AND NOT duplicate
  UNION SELECT attempt FROM nccl_net_using WHERE network <> 'Socket'),
several AS (
  SELECT attempt FROM job_hosts GROUP BY attempt HAVING count(*) > 1)
SELECT s.attempt, s.evidence,
       printf('%s=%s sends the traffic between hosts over TCP although RDMA ports are active', s.name, s.value) AS summary
FROM   setting s
WHERE  s.attempt IN (SELECT attempt FROM sockets) AND s.attempt NOT IN (SELECT attempt FROM rdma) AND s.attempt IN (SELECT attempt FROM several)
AND    EXISTS (SELECT 1 FROM nic_port_state p WHERE regexp_matches(p.state, '(?i)^(port_)?active') AND regexp_matches(coalesce(p.device, ''), '^(mlx|bnxt_re|irdma|rocep|rdma|hfi|ib)'))
