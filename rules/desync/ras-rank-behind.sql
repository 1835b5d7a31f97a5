/*
title    = "RAS: a rank launched fewer operations than the others"
kind     = "desync.rank_behind"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal"]
needs    = ["nccl_ras", "nccl_ras_json"]
explanation = """
When NCCL's RAS was asked, this rank had launched fewer operations of a communicator than most others. Between two answers it did not move, or a process says that it waits:
the others wait in an operation that this rank never entered. Counts are of launches, so a rank may also be ahead and its kernel stuck.
"""
advice = """
Take the stack of the process named on its host (`py-spy dump --pid PID --native`), and ask RAS again a minute later (`ncclras -f json`): counts that moved mean slow, not stuck.
"""
false_positives = "A single answer of a job that runs: ranks are never at quite the same operation."
references = ["NCCL user guide, RAS: a mismatch matters if repeated queries do not move"]
[[test]]
fires = 1                        # asked twice, nobody moved
expect = { ranks = [3], hosts = ["n2"], confidence = "likely" }
logs."ras.json" = '''
{"nccl_version": "2.29.2", "timestamp": "2026-03-04 10:11:12", "communicators_count": 1, "communicators": [{"hash": "0x27a0", "size": 4, "ranks": [
  {"rank": 0, "host": "10.2.0.1", "pid": 4100, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 1, "host": "10.2.0.1", "pid": 4101, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 2, "host": "10.2.0.2", "pid": 4102, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 3, "host": "10.2.0.2", "pid": 4103, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 119}}
], "missing_ranks": [

]}], "ras": {"timeouts_count": 0}}
{"nccl_version": "2.29.2", "timestamp": "2026-03-04 10:13:12", "communicators_count": 1, "communicators": [{"hash": "0x27a0", "size": 4, "ranks": [
  {"rank": 0, "host": "10.2.0.1", "pid": 4100, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 1, "host": "10.2.0.1", "pid": 4101, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 2, "host": "10.2.0.2", "pid": 4102, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 3, "host": "10.2.0.2", "pid": 4103, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 119}}
], "missing_ranks": [

]}], "ras": {"timeouts_count": 0}}
'''
logs."nccl.log" = '''
n1:4100:4100 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.1<0>
n1:4101:4101 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.1<0>
n2:4102:4102 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.2<0>
n2:4103:4103 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.2<0>
'''
[[test]]
fires = 1                        # asked once, and the job is over
expect = { ranks = [1], confidence = "likely" }
logs."ras.json" = '''
{"nccl_version": "2.29.2", "timestamp": "2026-03-04 10:11:12", "communicators_count": 1, "communicators": [{"hash": "0x27a0", "size": 4, "ranks": [
  {"rank": 0, "host": "10.2.0.1", "pid": 4100, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 1, "host": "10.2.0.1", "pid": 4101, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 99}},
  {"rank": 2, "host": "10.2.0.2", "pid": 4102, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 3, "host": "10.2.0.2", "pid": 4103, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}}
], "missing_ranks": [

]}], "ras": {"timeouts_count": 0}}
'''
logs."rank0.log" = '''
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=120, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 1                        # the text form; it alone is a moment
expect = { ranks = [0], confidence = "possible" }
logs."ras.txt" = '''
Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          8            1         32       32

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different AllReduce operation counts
  31 ranks have launched up to operation 6650
  1 rank has launched up to operation 6640
  Rank 0 -- GPU 0 managed by process 483072 on node 172.16.64.210
'''
[[test]]
fires = 0                        # they move: all is well
logs."ras.json" = '''
{"nccl_version": "2.29.2", "timestamp": "2026-03-04 10:11:12", "communicators_count": 1, "communicators": [{"hash": "0x27a0", "size": 4, "ranks": [
  {"rank": 0, "host": "10.2.0.1", "pid": 4100, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 1, "host": "10.2.0.1", "pid": 4101, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 2, "host": "10.2.0.2", "pid": 4102, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 3, "host": "10.2.0.2", "pid": 4103, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 119}}
], "missing_ranks": [

]}], "ras": {"timeouts_count": 0}}
{"nccl_version": "2.29.2", "timestamp": "2026-03-04 10:13:12", "communicators_count": 1, "communicators": [{"hash": "0x27a0", "size": 4, "ranks": [
  {"rank": 0, "host": "10.2.0.1", "pid": 4100, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 220}},
  {"rank": 1, "host": "10.2.0.1", "pid": 4101, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 221}},
  {"rank": 2, "host": "10.2.0.2", "pid": 4102, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 221}},
  {"rank": 3, "host": "10.2.0.2", "pid": 4103, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 221}}
], "missing_ranks": [

]}], "ras": {"timeouts_count": 0}}
'''
[[test]]
fires = 0                        # alike
logs."ras.json" = '''
{"nccl_version": "2.29.2", "timestamp": "2026-03-04 10:11:12", "communicators_count": 1, "communicators": [{"hash": "0x27a0", "size": 4, "ranks": [
  {"rank": 0, "host": "10.2.0.1", "pid": 4100, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 1, "host": "10.2.0.1", "pid": 4101, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 2, "host": "10.2.0.2", "pid": 4102, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 3, "host": "10.2.0.2", "pid": 4103, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}}
], "missing_ranks": [

]}], "ras": {"timeouts_count": 0}}
'''
[[test]]
fires = 0                        # half and half: nobody can tell who left whom
logs."ras.json" = '''
{"nccl_version": "2.29.2", "timestamp": "2026-03-04 10:11:12", "communicators_count": 1, "communicators": [{"hash": "0x27a0", "size": 4, "ranks": [
  {"rank": 0, "host": "10.2.0.1", "pid": 4100, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 1, "host": "10.2.0.1", "pid": 4101, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 2, "host": "10.2.0.2", "pid": 4102, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 119}},
  {"rank": 3, "host": "10.2.0.2", "pid": 4103, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 119}}
], "missing_ranks": [

]}], "ras": {"timeouts_count": 0}}
'''
*/
WITH lag AS (
  SELECT c.*, last_value(c.query) OVER (PARTITION BY c.file_id, c.comm, c.op ORDER BY c.query ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_query,
         lag(c.count) OVER (PARTITION BY c.file_id, c.comm, c.op, c.comm_rank, c.addr, c.pid ORDER BY c.query) AS count_before,
         lag(c.ahead) OVER (PARTITION BY c.file_id, c.comm, c.op, c.comm_rank, c.addr, c.pid ORDER BY c.query) AS ahead_before
  FROM   ras_counts c),
late AS (
  SELECT * FROM lag
  WHERE  query IS NOT DISTINCT FROM last_query
  -- behind, with at least two thirds of the members before it
  AND    count < ahead AND before * 3 >= members * 2
  AND    (count_before IS NULL OR count_before = count)),
stuck AS (SELECT DISTINCT attempt FROM waits)
SELECT l.attempt, CASE WHEN bool_and(l.is_world) THEN list(DISTINCT CAST(l.comm_rank AS INTEGER) ORDER BY CAST(l.comm_rank AS INTEGER)) ELSE [] END AS ranks,
       list(DISTINCT a.host ORDER BY a.host) FILTER (WHERE a.host IS NOT NULL) AS hosts, l.comm,
       CASE WHEN bool_and(l.count_before = l.count) OR bool_or(s.attempt IS NOT NULL) THEN 'likely' ELSE 'possible' END AS confidence,
       -- one moment of a job that nobody says hangs: a lag of one or two is how every job looks
       CASE WHEN bool_and(l.count_before = l.count) OR bool_or(s.attempt IS NOT NULL) OR max(l.ahead - l.count) > 2 THEN 'high' ELSE 'info' END AS severity,
       CASE WHEN bool_and(l.count_before = l.count) OR bool_or(s.attempt IS NOT NULL) OR max(l.ahead - l.count) > 2 THEN 'cause' ELSE 'context' END AS role,
       printf('%s of communicator %s launched %d %s operation%s where others launched %d%s',
              CASE WHEN count(DISTINCT l.comm_rank) = 1 THEN printf('Rank %d', min(l.comm_rank)) ELSE printf('Ranks %s', array_to_string(list(DISTINCT l.comm_rank ORDER BY l.comm_rank)[:8], ', ')) END,
              l.comm, min(l.count), min(l.op), CASE WHEN min(l.count) = 1 THEN '' ELSE 's' END, max(l.ahead),
              CASE WHEN bool_and(l.count_before = l.count) THEN ', and did not move between two answers' ELSE '' END) AS summary,
       list({'file_id': l.file_id, 'line': l.line, 'part': l.part} ORDER BY l.file_id, l.line, l.part) AS evidence
FROM   late l
LEFT JOIN address_hosts a ON a.addr = l.addr
LEFT JOIN stuck s ON s.attempt IS NOT DISTINCT FROM l.attempt
GROUP  BY l.attempt, l.comm
