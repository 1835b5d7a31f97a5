/*
title    = "The flight recorders show ranks in different collectives"
kind     = "desync.collective_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["flight_recorder"]
explanation = """
One number of one group stands for different operations, sizes or types on different ranks. The first such number counts: one missed call shifts
all later ones. The majority is taken to be right; without one nobody is.
"""
advice = """
Compare the stack of the ranks named at that number with the others' (the dump holds it): a branch that depends on data, an extra or a missing call before it.
"""
false_positives = "gather, scatter, all-to-all, send and receive may differ by rank and are left out."
references = ["PyTorch: FlightRecorder.hpp"]
[[test]]
fires = 1
expect = { ranks = [1] }
logs."trace_rank_0.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."trace_rank_1.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:broadcast", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."trace_rank_2.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
[[test]]
fires = 1
expect = { ranks = [0, 1], either = true }
logs."trace_rank_0.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."trace_rank_1.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[63]], "output_sizes": [[63]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
[[test]]
fires = 0                       # sizes of an all-to-all are the ranks' own
logs."trace_rank_0.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_to_all", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."trace_rank_1.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 8, "profiling_name": "nccl:all_to_all", "time_created_ns": 1796040031328748216, "input_sizes": [[60]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
[[test]]
fires = 0                       # equal numbers of different groups
logs."trace_rank_0.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 1, "process_group": ["1", "tp"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
logs."trace_rank_1.json" = '''{"version": "2.10", "pg_config": {}, "entries": [{"record_id": 1, "pg_id": 2, "process_group": ["2", "dp"], "collective_seq_id": 8, "profiling_name": "nccl:broadcast", "time_created_ns": 1796040031328748216, "input_sizes": [[64]], "output_sizes": [[64]], "input_dtypes": ["Float"], "state": "started", "retired": false, "is_p2p": false}]}'''
*/
WITH call AS (
  SELECT attempt, comm, seq, rank, op, shape, dtype, created, file_id, line, part
  FROM   collectives
  WHERE  seq IS NOT NULL AND rank IS NOT NULL AND created IS NOT NULL AND NOT duplicate
  AND    op NOT IN ('gather', 'scatter', 'all_to_all', 'alltoall', 'alltoall_base', 'send', 'recv', 'coalesced')
  QUALIFY row_number() OVER (PARTITION BY attempt, comm, seq, rank ORDER BY file_id, part DESC) = 1),
voice AS (
  SELECT attempt, comm, seq, op, shape, dtype, list(rank ORDER BY rank) AS ranks, min(created) AS began,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   call
  GROUP  BY attempt, comm, seq, op, shape, dtype),
vote AS (
  SELECT attempt, comm, seq, count(*) AS voices, sum(len(ranks)) AS members, max(len(ranks)) AS largest
  FROM   voice
  GROUP  BY attempt, comm, seq
  HAVING count(*) > 1
  QUALIFY row_number() OVER (PARTITION BY attempt, comm ORDER BY seq) = 1),
odd AS (
  SELECT v.*, t.largest, t.largest * 2 <= t.members AS open
  FROM   voice v
  JOIN   vote t ON t.attempt IS NOT DISTINCT FROM v.attempt AND t.comm = v.comm AND t.seq = v.seq
  WHERE  len(v.ranks) < t.largest OR t.largest * 2 <= t.members)
SELECT attempt, comm, list_sort(list_distinct(flatten(list(ranks ORDER BY ranks)))) AS ranks, bool_or(open) AS either,
       CASE WHEN bool_or(open) THEN 'possible' ELSE 'likely' END AS confidence, min(began) AS began,
       CASE WHEN bool_or(open) THEN printf('Ranks %s call different collectives at number %d of group %s, and no majority tells which is right',
                                           string_agg(list_aggregate(ranks, 'string_agg', ', ') || ' (' || op || ')', ' and ' ORDER BY ranks), seq, comm)
            ELSE printf('Rank%s %s where %d others call something else at number %d of group %s', CASE WHEN sum(len(ranks)) > 1 THEN 's' ELSE '' END,
                        string_agg(list_aggregate(ranks, 'string_agg', ', ') || ' called ' || op, '; ' ORDER BY ranks), CAST(min(largest) AS INTEGER), seq, comm) END AS summary,
       flatten(list(evidence ORDER BY ranks)) AS evidence
FROM   odd
GROUP  BY attempt, comm, seq
