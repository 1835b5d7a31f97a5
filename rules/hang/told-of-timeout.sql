/*
title    = "A process was told that a collective had timed out"
kind     = "hang.watchdog_timeout"
severity = "medium"
role     = "symptom"
confidence = "possible"
unless   = ["hang.*", "desync.*", "crash.*", "hw.*", "net.*", "data.*", "storage.*", "config.*", "sched.*"]
needs    = ["torch_dump"]
explanation = """
The rank whose watchdog gives up first tells all others to write their flight records, and each of them prints from whom it heard. That rank is one that waited: neither it nor the ranks that were told need be late.
"""
advice = """
The log of the rank that the line names has the timed-out operation itself; the dumps written now (TORCH_NCCL_DEBUG_INFO_TEMP_FILE, /tmp/nccl_trace_rank_*) show who never called it. Fetch both, for all ranks.
"""
false_positives = "Dumps that somebody asks for by hand (TORCH_NCCL_DEBUG_INFO_PIPE_FILE) name no time-out and are not counted."
references = ["pytorch: ProcessGroupNCCL::heartbeatMonitor"]
[[test]]
fires = 1
expect = { ranks = [] }
logs."train.log" = '''
[rank5]:[E1107 03:12:44.180213377 ProcessGroupNCCL.cpp:1294] [PG ID 0 PG GUID 0(default_pg) Rank 5] Received a dump signal due to a collective timeout from  rank 3 and we will try our best to dump the debug info. Last enqueued NCCL work: 41532, last completed NCCL work: 41531.This is most likely caused by incorrect usages of collectives
[rank5]:[E1107 03:12:44.180391265 ProcessGroupNCCL.cpp:1029] [PG ID 0 PG GUID 0(default_pg) Rank 5] ProcessGroupNCCL preparing to dump debug info.
'''
[[test]]
fires = 1
logs."train.log" = "[rank3]:[E1114 05:46:22.377964162 ProcessGroupNCCL.cpp:1685] [PG ID 5 PG GUID 33(TENSOR_MODEL_PARALLEL_GROUP) Rank 3] Observed flight recorder dump signal from another rank via TCPStore."
[[test]]
fires = 0                       # work goes on after it
logs."train.log" = '''
[rank3]:[E1114 05:46:22.377964162 ProcessGroupNCCL.cpp:1685] [PG ID 5 PG GUID 33(TENSOR_MODEL_PARALLEL_GROUP) Rank 3] Observed flight recorder dump signal from another rank via TCPStore.
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
'''
[[test]]
fires = 0                       # an exception was the reason to dump
logs."train.log" = "[rank3]:[E1114 05:46:22.388971090 ProcessGroupNCCL.cpp:1746] [PG ID 0 PG GUID 0(default_pg) Rank 3] Received a dump signal due to a detected exception from  rank 1 and we will try our best to dump the debug info. Last enqueued NCCL work: 3223, last completed NCCL work: 3222.This is most likely"
*/
SELECT attempt, min(ts) AS began,
       CASE WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d was', min(rank)) WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks were', count(DISTINCT rank)) ELSE 'A process was' END
         || CASE WHEN bool_or(cause IS NOT NULL OR seen) THEN ' told that a collective had timed out' ELSE ' told by another one to write its flight record, as after a time-out' END || CASE WHEN count(DISTINCT peer_rank) = 1 THEN printf(' on rank %d, which waited', min(peer_rank)) ELSE '' END
         || '; these lines do not show who was late' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM  (SELECT *, last_enqueued IS NOT NULL AS seen FROM torch_dump_signal) t
WHERE  (t.cause IS NULL OR t.cause LIKE '%timeout%')
AND    NOT EXISTS (SELECT 1 FROM steps s WHERE s.file_id = t.file_id AND s.line > t.line)
AND    NOT EXISTS (SELECT 1 FROM train_done d WHERE d.attempt IS NOT DISTINCT FROM t.attempt)
GROUP  BY attempt
