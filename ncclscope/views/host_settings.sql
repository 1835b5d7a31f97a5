-- What each host of a job runs with: NCCL's version (kind nccl), the GPU driver (driver) and the CUDA that it runs (cuda), and NCCL's variables on which all
-- ranks must agree (setting). A host whose processes differ among themselves is left out.
WITH place AS (  -- the hosts of the job; of telemetry alone all that it was taken on
  SELECT attempt, host FROM job_hosts
  UNION ALL
  SELECT 0, host FROM gpu_drivers WHERE NOT EXISTS (SELECT 1 FROM job_hosts)),
said AS (
  SELECT attempt, host, 'nccl' AS kind, 'NCCL' AS name, version AS value, file_id, line, part FROM nccl_version WHERE host IS NOT NULL AND version IS NOT NULL
  UNION ALL
  SELECT j.attempt, d.host, 'driver', 'driver', d.driver, d.file_id, d.line, d.part
  FROM gpu_drivers d
  JOIN place j ON j.host = d.host
  UNION ALL
  SELECT d.attempt, d.host, 'cuda', 'CUDA driver', printf('%d.%d', d.driver // 1000, d.driver // 10 % 100), d.file_id, d.line, d.part
  FROM nccl_cuda_driver d
  JOIN place j ON j.attempt = d.attempt AND j.host = d.host
  UNION ALL
  SELECT e.attempt, e.host, 'setting', e.name,
         -- of adapters only how many: their names may differ
         CASE WHEN e.name <> 'NCCL_IB_HCA' THEN e.value ELSE printf('%d adapters', len(list_filter(string_split(e.value, ','), lambda v: v <> ''))) END, e.file_id, e.line, e.part
  FROM nccl_env e
  JOIN job_hosts j ON j.attempt = e.attempt AND j.host = e.host
  WHERE regexp_matches(e.name, '^NCCL_(ALGO|PROTO|MIN_NCHANNELS|MAX_NCHANNELS|MIN_CTAS|MAX_CTAS|NTHREADS|BUFFSIZE|LL_BUFFSIZE|LL128_BUFFSIZE|P2P_NET_CHUNKSIZE|NET|NET_PLUGIN'
                             || '|IB_DISABLE|IB_GID_INDEX|IB_TC|IB_SL|IB_QPS_PER_CONNECTION|IB_SPLIT_DATA_ON_QPS|IB_ADAPTIVE_ROUTING|IB_MERGE_NICS|CROSS_NIC|COLLNET_ENABLE'
                             || '|P2P_DISABLE|P2P_LEVEL|SHM_DISABLE|NET_GDR_LEVEL|CUMEM_ENABLE|NVLS_ENABLE|PXN_DISABLE|TUNER_PLUGIN|RUNTIME_CONNECT)$')
  -- a prefix that matches many, an exclusion
  OR (e.name = 'NCCL_IB_HCA' AND regexp_matches(e.value, '^=?\w+_\d+(:\d+)?(,\w+_\d+(:\d+)?)*$')))
SELECT attempt, host, kind, name, min(value) AS value, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM said
GROUP BY attempt, host, kind, name
HAVING count(DISTINCT value) = 1
