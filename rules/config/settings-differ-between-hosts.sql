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
WITH echo AS (
  SELECT e.attempt, e.host, e.name,
         -- of adapters only how many: their names may differ
         CASE WHEN e.name <> 'NCCL_IB_HCA' THEN e.value ELSE printf('%d adapters', len(list_filter(string_split(e.value, ','), lambda v: v <> ''))) END AS value, list({'file_id': e.file_id, 'line': e.line, 'part': e.part} ORDER BY e.file_id, e.line, e.part) AS evidence
  FROM   nccl_env e
  JOIN   job_hosts j ON j.attempt = e.attempt AND j.host = e.host
  WHERE  regexp_matches(e.name, '^NCCL_(ALGO|PROTO|MIN_NCHANNELS|MAX_NCHANNELS|MIN_CTAS|MAX_CTAS|NTHREADS|BUFFSIZE|LL_BUFFSIZE|LL128_BUFFSIZE|P2P_NET_CHUNKSIZE|NET|NET_PLUGIN'
                              || '|IB_DISABLE|IB_GID_INDEX|IB_TC|IB_SL|IB_QPS_PER_CONNECTION|IB_SPLIT_DATA_ON_QPS|IB_ADAPTIVE_ROUTING|IB_MERGE_NICS|CROSS_NIC|COLLNET_ENABLE'
                              || '|P2P_DISABLE|P2P_LEVEL|SHM_DISABLE|NET_GDR_LEVEL|CUMEM_ENABLE|NVLS_ENABLE|PXN_DISABLE|TUNER_PLUGIN|RUNTIME_CONNECT)$')
  -- a prefix that matches many, an exclusion
  OR     (e.name = 'NCCL_IB_HCA' AND regexp_matches(e.value, '^=?\w+_\d+(:\d+)?(,\w+_\d+(:\d+)?)*$'))
  GROUP  BY ALL),
steady AS (      -- a host whose processes differ among themselves is not a camp
  SELECT * FROM echo QUALIFY count(*) OVER (PARTITION BY attempt, host, name) = 1),
camp AS (
  SELECT attempt, name, value, count(*) AS n, list(host ORDER BY host) AS hosts, flatten(list(evidence ORDER BY host)) AS evidence FROM steady GROUP BY attempt, name, value),
total AS (
  SELECT attempt, name, sum(n) AS hosts, max(n) AS largest FROM camp GROUP BY attempt, name HAVING count(*) > 1),
trouble AS (
  SELECT attempt FROM peer_faults UNION SELECT attempt FROM nccl_socket_connect_failed UNION SELECT attempt FROM nccl_op_size_mismatch
  UNION SELECT attempt FROM unfinished_inits UNION SELECT attempt FROM nccl_bootstrap_truncated),
odd AS (
  SELECT c.*, t.largest, t.largest * 2 <= t.hosts AS open
  FROM   camp c JOIN total t ON t.attempt = c.attempt AND t.name = c.name
  WHERE  c.n < t.largest OR t.largest * 2 <= t.hosts)
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
FROM   odd o
-- nothing failed so far: where work was seen, or there is no clear exception, the difference is only worth knowing
CROSS JOIN LATERAL (SELECT o.attempt IN (SELECT attempt FROM trouble) AS trouble,
                           NOT o.open AND o.largest >= 2 AND o.attempt NOT IN (SELECT attempt FROM work_seen WHERE attempt IS NOT NULL) AS exception) h
GROUP  BY o.attempt, o.name, h.trouble, h.exception
