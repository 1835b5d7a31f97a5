/*
title    = "An NCCL variable has another value on one host"
kind     = "config.env"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.collective_mismatch", "crash.python", "crash.signal", "perf.*"]
needs    = ["nccl_setup"]
explanation = """
Every rank of a communicator must agree on algorithm, protocol, channels, buffer sizes and network. Hosts that echo different values of such a variable
hang at the first collective, report truncated messages, or run at the pace of the slowest. A variable that one host does not echo is not counted here.
"""
advice = """
Set the variable alike on all hosts through the launcher (`mpirun -x`, `srun --export`, the pod's environment), and see what sets it on the host named: /etc/nccl.conf, ~/.nccl.conf, a shell profile, the image.
"""
false_positives = "Names of interfaces, adapters and files may differ and are not compared; of a list of adapters only the length is."
references = ["NCCL documentation: environment variables"]
[[test]]
fires = 1
expect = { hosts = ["n3"], role = "cause", devices = [] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_PROTO set by environment to Simple
n2:10:20 [0] NCCL INFO NCCL_PROTO set by environment to Simple
n3:10:20 [0] NCCL INFO NCCL_PROTO set by environment to LL128
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 1                        # nothing failed so far: worth knowing
expect = { hosts = ["n1", "n2"], role = "context" }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_IB_TC set by environment to 106.
n2:10:20 [0] NCCL INFO NCCL_IB_TC set by environment to 0.
'''
[[test]]
fires = 1                        # half the adapters on one of four
expect = { hosts = ["n3"], devices = [], role = "cause", confidence = "possible" }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_IB_HCA set to mlx5_0,mlx5_1
n2:10:20 [0] NCCL INFO NCCL_IB_HCA set to mlx5_0,mlx5_1
n3:10:20 [0] NCCL INFO NCCL_IB_HCA set to mlx5_0
n4:10:20 [0] NCCL INFO NCCL_IB_HCA set to mlx5_2,mlx5_3
'''
[[test]]
fires = 1                        # steps went on all the same
expect = { hosts = ["n3"], role = "context" }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_IB_TC set by environment to 106.
n2:10:20 [0] NCCL INFO NCCL_IB_TC set by environment to 106.
n3:10:20 [0] NCCL INFO NCCL_IB_TC set by environment to 0.
iter 1: loss 2.4901, time 4207.08ms
'''
[[test]]
fires = 0                        # names of interfaces and adapters may differ
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0
n2:10:20 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to enp1s0
n1:10:20 [0] NCCL INFO NCCL_IB_HCA set to mlx5_0
n2:10:20 [0] NCCL INFO NCCL_IB_HCA set to mlx5_1
'''
[[test]]
fires = 0                        # one host's log has no such line: that proves nothing
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_IB_TC set by environment to 106.
n2:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.17.0.32<0>
'''
*/
WITH trouble AS (
  SELECT attempt FROM peer_faults UNION SELECT attempt FROM nccl_socket_connect_failed UNION SELECT attempt FROM nccl_op_size_mismatch
  UNION SELECT attempt FROM unfinished_inits UNION SELECT attempt FROM nccl_bootstrap_truncated)
SELECT o.attempt, bool_or(o.open) AS either,
       -- of many hosts in many camps none is the odd one
       CASE WHEN sum(o.n) <= 8 THEN list_sort(flatten(list(o.hosts ORDER BY o.value))) ELSE [] END AS hosts,
       CASE WHEN bool_or(o.open) OR NOT h.trouble THEN 'possible' ELSE 'likely' END AS confidence,
       CASE WHEN h.trouble OR h.exception THEN 'cause' ELSE 'context' END AS role,
       CASE WHEN h.trouble THEN 'high' WHEN h.exception THEN 'medium' ELSE 'info' END AS severity,
       string_agg(CASE WHEN o.n <= 3 THEN list_aggregate(o.hosts, 'string_agg', ', ') ELSE printf('%d hosts', o.n) END || CASE WHEN o.n = 1 THEN ' has ' ELSE ' have ' END
                  || o.name || '=' || o.value, ', ' ORDER BY o.value)
         || CASE WHEN bool_or(o.open) THEN '' ELSE printf(', %d other hosts another value', CAST(min(o.largest) AS INTEGER)) END AS summary,
       flatten(list(o.evidence ORDER BY o.value)) AS evidence
FROM   odd_hosts o
-- nothing failed so far: where work was seen, or there is no clear exception, the difference is only worth knowing
CROSS JOIN LATERAL (SELECT o.attempt IN (SELECT attempt FROM trouble) AS trouble,
                           NOT o.open AND o.largest >= 2 AND o.attempt NOT IN (SELECT attempt FROM work_seen WHERE attempt IS NOT NULL) AS exception) h
WHERE  o.kind = 'setting'
GROUP  BY o.attempt, o.name, h.trouble, h.exception
