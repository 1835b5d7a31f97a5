/*
title    = "Rank numbers or world size are computed wrongly"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.*", "desync.*"]
needs    = ["nccl_setup", "nccl_comm"]
explanation = """
Two processes claimed one rank, a rank is not smaller than the number of ranks, or processes disagree on that number. It is the start script: one launcher for each task where one
for each node was meant, variables expanded at submission instead of on the node, or every node taking itself for the first.
"""
advice = """
Print RANK, LOCAL_RANK, WORLD_SIZE, NODE_RANK and the host in every process before init_process_group; start one launcher for each node, and expand node variables there.
"""
false_positives = "A left-over process of an attempt before that joins the new one."
references = ["NCCL source: bootstrap.cc, init.cc"]
[[test]]
fires = 1
logs."nccl.log" = "n1:10:20 [0] bootstrap.cc:130 NCCL WARN Bootstrap Root : rank 3 of 16 ranks has already checked in"
[[test]]
fires = 1
logs."nccl.log" = "n1:10:20 [0] init.cc:1790 NCCL WARN Invalid rank requested : 8/8"
[[test]]
fires = 1
logs."nccl.log" = "n1:10:20 [0] bootstrap.cc:176 NCCL WARN Bootstrap Root : mismatch in rank count from procs 16 : 8"
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 4 cudaDev 0 busId 18000 - Init COMPLETE"
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] init.cc:900 NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 3000"
*/
WITH wrong AS (
  SELECT attempt, printf('two processes claim rank %d of %d', comm_rank, nranks) AS what, ts, file_id, line, part FROM nccl_bootstrap_duplicate_rank
  UNION ALL SELECT attempt, printf('a process wants rank %d of %d', comm_rank, nranks), ts, file_id, line, part FROM nccl_comm_invalid_rank
  UNION ALL SELECT attempt, printf('processes disagree on the number of ranks (%d and %d)', nranks_a, nranks_b), ts, file_id, line, part FROM nccl_bootstrap_mismatch WHERE nranks_a <> nranks_b)
SELECT attempt, min(ts) AS began, 'The ranks are numbered wrongly: ' || min(what) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   wrong
GROUP  BY attempt
