/*
title    = "The flight recorders show who had not called the collective"
kind     = "desync.rank_behind"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["flight_recorder"]
explanation = """
Each rank's flight recorder lists the collectives it called, numbered per group. A rank whose list ends before a number that others have called, and in
which they wait, is behind. Its stack says where its last call was, not where it is now.
"""
advice = """
Look at the ranks named: `py-spy dump --native --pid PID`, application log, `dmesg -T` of their host.
"""
false_positives = "Dumps taken at different moments of a healthy job; a difference of one is normal there. It counts only where the job failed."
references = ["PyTorch: FlightRecorder.hpp"]
[[test]]
fires = 1
expect = { ranks = [1] }
logs."trace_rank_0.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 0, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 7, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040030328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "completed", "retired": true, "is_p2p": false}, {"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."trace_rank_1.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 0, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 7, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040030328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "completed", "retired": true, "is_p2p": false}]}'''
logs."trace_rank_2.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."train.log" = '''
[rank0]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 1
expect = { ranks = [0] }
logs."ranks/nccl_trace_rank_0" = '''{"version": "2.4", "pg_config": {}, "entries": [{"record_id": 0, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 3, "profiling_name": "nccl:_all_gather_base", "time_created_ns": 1796040030328748216, "input_sizes": [[64]], "output_sizes": [[128]], "input_dtypes": ["Float"], "state": "completed", "retired": true, "is_p2p": false}]}'''
logs."ranks/nccl_trace_rank_1" = '''{"version": "2.4", "pg_config": {}, "entries": [{"record_id": 0, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 4, "profiling_name": "nccl:_all_gather_base", "time_created_ns": 1796040030328748216, "input_sizes": [[64]], "output_sizes": [[128]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."ranks/nccl_trace_rank_2" = '''{"version": "2.4", "pg_config": {}, "entries": [{"record_id": 0, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 4, "profiling_name": "nccl:_all_gather_base", "time_created_ns": 1796040030328748216, "input_sizes": [[64]], "output_sizes": [[128]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."train.log" = "[rank1]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=_ALLGATHER_BASE, NumelIn=64, NumelOut=128, Timeout(ms)=600000) ran for 600060 milliseconds before timing out."
[[test]]
fires = 0                       # nothing failed: the dumps were taken while it ran
logs."trace_rank_0.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."trace_rank_1.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 0, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 7, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040030328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "completed", "retired": true, "is_p2p": false}]}'''
[[test]]
fires = 0                       # all are in the same one
logs."trace_rank_0.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."trace_rank_1.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "scheduled", "retired": false, "is_p2p": false}]}'''
logs."train.log" = "[rank1]:[E416 08:01:41.625912168 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600060 milliseconds before timing out."
*/
WITH front AS (
  SELECT attempt, grp, max(enqueued) AS seq, count(*) AS members, min(last_created) AS began
  FROM   recorded_positions
  GROUP  BY attempt, grp),
behind AS (
  SELECT p.*, f.seq, f.members,
         (SELECT count(*) FROM recorded_positions q WHERE q.attempt IS NOT DISTINCT FROM p.attempt AND q.grp = p.grp AND q.enqueued = f.seq) AS ahead
  FROM   recorded_positions p
  JOIN   front f ON f.attempt IS NOT DISTINCT FROM p.attempt AND f.grp = p.grp
  WHERE  p.enqueued < f.seq),
failed AS (SELECT DISTINCT attempt FROM peer_faults)
SELECT b.attempt, list(b.rank ORDER BY b.rank) AS ranks, list(DISTINCT b.host ORDER BY b.host) FILTER (WHERE b.host IS NOT NULL) AS hosts, min(b.last_created) AS began, b.grp AS comm,
       printf('Rank%s %s stopped at collective %d of group %s while %d other%s waited in %d', CASE WHEN count(*) > 1 THEN 's' ELSE '' END,
              string_agg(CAST(b.rank AS VARCHAR), ', ' ORDER BY b.rank), max(b.enqueued), b.grp, min(b.ahead), CASE WHEN min(b.ahead) > 1 THEN 's' ELSE '' END, min(b.seq)) AS summary,
       list({'file_id': b.file_id, 'line': b.line, 'part': b.part} ORDER BY b.file_id, b.line, b.part) AS evidence
FROM   behind b
JOIN   failed f ON f.attempt IS NOT DISTINCT FROM b.attempt
GROUP  BY b.attempt, b.grp
-- The majority of those with a dump must be ahead, or nobody can tell who left whom.
HAVING min(b.ahead) > count(*)
