/*
title    = "NCCL reports a system error without its reason"
kind     = "net.socket_error"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["torch_nccl"]
explanation = """
The class says that a call of the system, a socket, shared memory or the RDMA library failed in this process, or that NCCL's own check failed. Which call it was stands in the line after
`Last error:` or in NCCL's own log; neither is in the input, or it is not known. Older releases print it on ranks whose peer had gone away, too.
"""
advice = """
Rerun with NCCL_DEBUG=WARN (or INFO) and NCCL_DEBUG_FILE=/tmp/nccl.%h.%p on all ranks: the WARN line before this error names the call and the peer.
"""
false_positives = "A rank that was taken down while it was still connecting."
references = ["NCCL manual: ncclSystemError, ncclInternalError"]
[[test]]
fires = 1
logs."train.log" = "RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:784, unhandled system error, NCCL version 2.7.8"
[[test]]
fires = 1
expect = { ranks = [0] }
logs."train.log" = '''
[rank0]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, internal error - please report this issue to the NCCL developers, NCCL version 2.20.5
[rank0]: ncclInternalError: Internal check failed.
[rank0]: Last error:
[rank0]: Attribute arch of node cpu not found
'''
[[test]]
fires = 0                       # a local CUDA fault
logs."train.log" = "[rank6]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5"
[[test]]
fires = 0
logs."train.log" = "[rank2]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:268, invalid argument (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5"
*/
WITH failed AS (
  SELECT attempt, rank, nccl_error, ts, file_id, line, part FROM torch_nccl_error
  UNION ALL SELECT attempt, rank, nccl_error, ts, file_id, line, part FROM torch_watchdog_async_error
  UNION ALL SELECT attempt, rank, nccl_error, ts, file_id, line, part FROM torch_watchdog_terminated
  UNION ALL SELECT attempt, rank, CASE class WHEN 'ncclSystemError' THEN 'unhandled system error' ELSE 'internal error' END, ts, file_id, line, part
  FROM   torch_nccl_last_error
  WHERE  class IN ('ncclSystemError', 'ncclInternalError')),
kept AS (
  SELECT *, CASE WHEN lower(nccl_error) LIKE '%system error%' THEN 'a system call failed' ELSE 'an internal check failed' END AS what
  FROM   failed
  WHERE  regexp_matches(nccl_error, '(?i)system error|internal error'))
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, min(ts) AS began,
       CASE WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d', min(rank)) WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks', count(DISTINCT rank)) ELSE 'A process' END
         || ' ended with an NCCL error (' || min(what) || '); these lines do not say why' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   kept
GROUP  BY attempt
