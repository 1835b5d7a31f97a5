/*
title    = "RDMA requests or calls failed, and their first error is not in the input"
kind     = "net.ib_error"
severity = "high"
role     = "symptom"
confidence = "possible"
unless   = ["net.*"]
needs    = ["nccl_ib"]
explanation = """
Flushed requests (status 5) follow a first error of the same queue pair; a failed verbs call without more tells that device, driver or address is not as it should be. Where it prints is
where it showed. A finding with a cause explains these lines; without one they only say that the RDMA transport failed.
"""
advice = """
Find the first completion whose status is not 5, on any rank; on the host named print `ibv_devinfo -v` and `show_gids`, and read `dmesg -T` for mlx5 and link lines.
"""
false_positives = "Requests that are flushed when a job is taken down."
references = ["libibverbs: IBV_WC_WR_FLUSH_ERR", "NCCL source: net_ib.cc, ibvwrap.cc"]
[[test]]
fires = 1
expect = { hosts = ["n1"] }
logs."nccl.log" = "n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=5 opcode=0 len=0 vendor err 249 (Recv)"
[[test]]
fires = 1
logs."nccl.log" = "h1:7:91 [0] misc/ibvwrap.cc:160 NCCL WARN Call to ibv_query_gid failed with error Invalid argument"
[[test]]
fires = 0                       # after a good end
logs."nccl.log" = '''
n1: training done after 40 steps
n1:10:20 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<47910> with status=5 opcode=0 len=0 vendor err 249 (Recv)
'''
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO NET/IB : No device found."
*/
WITH failed AS (
  SELECT attempt, host, ts, file_id, line, part FROM nccl_net_ib_completion WHERE status IS DISTINCT FROM 0
  UNION ALL SELECT attempt, host, ts, file_id, line, part FROM nccl_net_ib_verbs_failed
  UNION ALL SELECT attempt, host, ts, file_id, line, part FROM nccl_net_ib_device_failed)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(ts) AS began,
       'RDMA failed' || CASE WHEN count(DISTINCT host) = 1 THEN ' on ' || min(host) WHEN count(DISTINCT host) > 1 THEN printf(' on %d hosts', count(DISTINCT host)) ELSE '' END
         || '; the first error is not in these lines' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   failed f
WHERE  NOT EXISTS (SELECT 1 FROM train_done d WHERE d.attempt IS NOT DISTINCT FROM f.attempt)
GROUP  BY attempt
