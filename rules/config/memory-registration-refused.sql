/*
title    = "Memory for RDMA could not be registered"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.*", "crash.python", "crash.signal", "crash.cuda_error", "desync.rank_behind", "perf.transport_fallback"]
needs    = ["nccl_ib", "mpi_help"]
explanation = """
Registering (pinning) memory or creating a queue was refused on this host: not enough memory that may be locked, or no permission; or, with a bad address, GPU memory without the module that gives it to the adapter. That is a limit of the
way the processes were started there (container, service, login), not of the size of the machine.
"""
advice = """
On the host named, in the same launch path: `ulimit -l` must be unlimited (LimitMEMLOCK=infinity for slurmd or the container runtime, `--ulimit memlock=-1`, IPC_LOCK for pods); then `ls -l /dev/infiniband` and `lsmod | grep peermem`.
"""
false_positives = "A host that has really run out of memory; the kernel log tells."
references = ["NCCL documentation: troubleshooting, memlock", "libibverbs: ibv_reg_mr"]
[[test]]
fires = 1                       # Open MPI's word for it
expect = { hosts = ["cn07"] }
logs."mpi.err" = '''
A process failed to create a queue pair. This usually means either
the device has run out of queue pairs (too many connections) or
there are insufficient resources available to allocate a queue pair

Local host:             cn07
Local device:           mlx4_0
'''
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = '''
n2:10:20 [0] misc/ibvwrap.cc:115 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory
n2:11:20 [1] misc/ibvwrap.cc:115 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory
'''
[[test]]
fires = 1
expect = { hosts = ["n1"] }
logs."nccl.log" = "n1:10:20 [0] misc/ibvwrap.cc:190 NCCL WARN Call to ibv_create_cq failed with error Operation not permitted"
[[test]]
fires = 1                       # GPU memory that the adapter cannot be given
expect = { hosts = ["n2"], confidence = "possible" }
logs."nccl.log" = "n2:10:20 [0] misc/ibvwrap.cc:262 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Bad address"
[[test]]
fires = 1                       # older releases do not say why
expect = { hosts = ["n1"] }
logs."nccl.log" = '''
n1:10:20 [0] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_reg_mr failed
n1:10:20 [0] NCCL INFO transport/net_ib.cc:640 -> 2
'''
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] misc/ibvwrap.cc:90 NCCL WARN Call to ibv_open_device failed"
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] misc/ibvwrap.cc:190 NCCL WARN Call to ibv_query_port failed with error Invalid argument"
*/
WITH refused AS (
  SELECT attempt, coalesce(regexp_replace(nodes, '\..*$', ''), host) AS host, 'Open MPI' AS call, what AS error, ts, file_id, line, part FROM launcher_mpi_no_memory
  UNION ALL
  SELECT attempt, host, call, coalesce(error, 'errno ' || errno, 'refused') AS error, ts, file_id, line, part
  FROM   nccl_net_ib_verbs_failed
  WHERE  regexp_matches(call, 'reg_(dmabuf_)?mr|create_(qp|cq)|alloc_pd') AND (regexp_matches(error, '(?i)cannot allocate|not permitted|permission denied') OR errno IN (1, 12, 13)
         -- an address that the adapter's driver cannot translate: memory of a GPU without nvidia-peermem or DMA-BUF
         OR regexp_matches(call, 'reg_(dmabuf_)?mr') AND (error ILIKE 'bad address%' OR errno = 14)
         -- up to 2.18 only the call is named; a registration has hardly another reason to fail
         OR error IS NULL AND errno IS NULL AND regexp_matches(call, 'reg_(dmabuf_)?mr')))
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       CASE WHEN bool_and(error ILIKE 'bad address%' OR error = 'errno 14') THEN 'possible' ELSE 'likely' END AS confidence,
       printf('%s cannot register memory for RDMA (%s: %s), which is ' || CASE WHEN bool_and(error ILIKE 'bad address%' OR error = 'errno 14') THEN 'how a GPU''s memory fails without a matching nvidia-peermem or DMA-BUF' ELSE 'a limit of how its processes were started' END,
              CASE WHEN count(DISTINCT host) = 0 THEN 'A host' WHEN count(DISTINCT host) <= 3 THEN string_agg(DISTINCT host, ', ' ORDER BY host) ELSE printf('%d hosts', count(DISTINCT host)) END,
              min(call), lower(min(error))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   refused
GROUP  BY attempt
