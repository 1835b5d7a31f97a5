/*
title    = "The NVLink fabric of a host is not set up"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.*", "desync.rank_behind", "config.version_mismatch"]
needs    = ["nccl", "python"]
explanation = """
CUDA says that the system is not yet initialised (code 802): on hosts with NVSwitch no program can use CUDA until the fabric manager has set up the fabric.
It is absent, has failed, or is of another version than the driver. Every process of the host is concerned; no single GPU is at fault.
"""
advice = """
On the host named: `systemctl status nvidia-fabricmanager`, compare its version with the driver's (`nvidia-smi`), start it and run `nvidia-smi -q | grep -A3 Fabric`: the state must be Completed. In racks with multi-node NVLink check nvidia-imex too.
"""
false_positives = "The first seconds after boot."
references = ["CUDA: cudaErrorSystemNotReady (802)"]
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = '''
n2:10:20 [0] NCCL INFO cudaDriverVersion 12040
n2:10:20 [0] init.cc:211 NCCL WARN Cuda failure 802 'system not yet initialized'
'''
[[test]]
fires = 1
expect = { ranks = [0] }
logs."train.log" = '''
[rank0]: RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized
'''
[[test]]
fires = 0
logs."nccl.log" = "n2:10:20 [0] init.cc:211 NCCL WARN Cuda failure 2 'out of memory'"
[[test]]
fires = 0                        # routine of the fabric manager
logs."fabricmanager.log" = "[Feb 07 2024 05:09:11] [INFO] [tid 2867] multicast group 0 is allocated."
[[test]]
fires = 1                        # numbered tasks, and srun says where they ended
expect = { hosts = ["hgx-b07"] }
logs."slurm-9021.out" = '''
4: RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized
5: RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized
srun: error: hgx-b07: tasks 4-5: Exited with exit code 1
'''
*/
WITH refused AS (
  -- `srun -l` numbers the tasks, and says at their end where they were
  SELECT c.attempt, coalesce(c.host, t.host) AS host, c.rank, c.ts, c.file_id, c.line, c.part
  FROM   cuda_init_failed c
  LEFT JOIN (SELECT attempt, task, min(host) AS host FROM slurm_tasks WHERE host NOT LIKE '%[%' GROUP BY ALL HAVING count(DISTINCT host) = 1) t
         ON t.attempt IS NOT DISTINCT FROM c.attempt AND t.task = c.task
  WHERE code = 802 OR error LIKE '%system not yet initialized%'
  UNION ALL SELECT attempt, host, rank, ts, file_id, line, part FROM nccl_cuda_failure WHERE code = 802 OR error LIKE '%system not yet initialized%'
  UNION ALL SELECT attempt, host, rank, ts, file_id, line, part FROM cuda_error WHERE error LIKE '%system not yet initialized%'),
reason AS (
  SELECT DISTINCT host, 'the fabric manager failed' AS why FROM service_failed WHERE unit LIKE 'nvidia-fabricmanager%' AND host IS NOT NULL
  UNION SELECT DISTINCT host, 'an NVSwitch is missing' FROM gpu_fabric_manager_topology_mismatch WHERE host IS NOT NULL)
SELECT r.attempt, list(DISTINCT r.host ORDER BY r.host) FILTER (WHERE r.host IS NOT NULL) AS hosts, min(r.ts) AS began,
       CASE WHEN count(r.host) = 0 THEN list(DISTINCT r.rank ORDER BY r.rank) FILTER (WHERE r.rank IS NOT NULL) ELSE [] END AS ranks,
       printf('The NVLink fabric %s is not initialised (CUDA 802)%s',
              CASE WHEN count(DISTINCT r.host) BETWEEN 1 AND 3 THEN 'of ' || string_agg(DISTINCT r.host, ', ' ORDER BY r.host) WHEN count(DISTINCT r.host) > 3 THEN printf('of %d hosts', count(DISTINCT r.host))
                   WHEN count(DISTINCT r.rank) > 0 THEN 'where ' || CASE WHEN count(DISTINCT r.rank) = 1 THEN printf('rank %d runs', min(r.rank)) ELSE printf('%d ranks run', count(DISTINCT r.rank)) END
                   ELSE 'of a host' END, coalesce(': ' || min(w.why), '')) AS summary,
       list(DISTINCT {'file_id': r.file_id, 'line': r.line, 'part': r.part} ORDER BY {'file_id': r.file_id, 'line': r.line, 'part': r.part}) AS evidence
FROM   refused r
LEFT JOIN reason w ON w.host = r.host
GROUP  BY r.attempt
