/*
title    = "The monitored barrier names who did not come"
kind     = "desync.rank_behind"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["torch_gloo"]
explanation = """
Rank 0 of a monitored barrier asks each rank in turn and says who did not answer in time. Everybody else is a victim, rank 0 included.
"""
advice = """
Look at the ranks named: their application log and a stack (`py-spy dump --pid PID`) from the beginning of the wait.
"""
false_positives = "Without wait_all_ranks=True only the first absent rank is named; there may be more."
references = ["PyTorch: ProcessGroupGloo::monitoredBarrier"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = '''
[rank0]:[E1130 11:52:28.817001520 ProcessGroupGloo.cpp:2791] [Rank 0]: Rank 3 failed to pass monitoredBarrier in 6000 ms
[rank1]:[E1130 11:52:28.817001520 ProcessGroupGloo.cpp:67] Rank 1 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0. Please check rank 0 logs for faulty rank.
'''
[[test]]
fires = 1
expect = { ranks = [2, 4] }
logs."train.log" = '''
[E ProcessGroupGloo.cpp:2791] [Rank 0]: Ranks 2, 4 failed to pass monitoredBarrier in 1000 ms
'''
[[test]]
fires = 0                       # victims only
logs."train.log" = '''
[rank1]:[E1130 11:52:28.817001520 ProcessGroupGloo.cpp:67] Rank 1 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0. Please check rank 0 logs for faulty rank.
'''
[[test]]
fires = 0
logs."train.log" = "INFO:root:monitored_barrier passed on all ranks"
*/
WITH named AS (
  SELECT attempt, ts - to_milliseconds(timeout_ms) AS began, file_id, line, part, CAST(unnest(string_split(missing, ',')) AS INTEGER) AS absent
  FROM   torch_monitored_barrier_missing
  UNION ALL      -- rank 0 collects the others: who does not hear from it waits for it
  SELECT attempt, ts - to_milliseconds(timeout_ms), file_id, line, part, 0
  FROM   torch_monitored_barrier_rank0_missing
  WHERE  NOT EXISTS (SELECT 1 FROM torch_monitored_barrier_missing))
SELECT attempt, list(DISTINCT absent ORDER BY absent) AS ranks, min(began) AS began,
       printf('Rank%s %s did not come to a barrier at which the others waited', CASE WHEN count(DISTINCT absent) > 1 THEN 's' ELSE '' END,
              string_agg(DISTINCT CAST(absent AS VARCHAR), ', ' ORDER BY CAST(absent AS VARCHAR))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named
GROUP  BY attempt
