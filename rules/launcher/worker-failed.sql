/*
title    = "Workers failed and their reason is not in the input"
kind     = "launcher.child_failed"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["torch_elastic", "launchers"]
explanation = """
The launcher reports processes that ended with an error. Its "root cause" is only the first exit that it polled; why a process ended is in that
process's own output.
"""
advice = """
Fetch the output of the workers (torchrun `--log-dir`, `--redirects 3`, or the scheduler's per-task files) and decorate the entry point with torch.distributed.elastic's `record`, so that the table carries the traceback.
"""
false_positives = "After a failure that another finding explains this is its consequence."
references = ["torch.distributed.elastic: ChildFailedError"]
[[test]]
fires = 1
logs."elastic.err" = '''
  time      : 2024-05-21_11:43:57
  host      : gn07
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 184913)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
'''
[[test]]
fires = 1
logs."train.log" = "E1130 11:57:33.057000 7801 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 2 (pid: 7837) of binary: /usr/bin/python3"
[[test]]
fires = 0                       # ended by the launcher itself
logs."elastic.err" = '''
  time      : 2024-05-21_11:43:57
  host      : gn07
  rank      : 1 (local_rank: 1)
  exitcode  : -15 (pid: 184913)  (SIGTERM)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 184913
'''
[[test]]
fires = 0
logs."train.log" = "I1130 11:57:33.057000 7801 torch/distributed/elastic/agent/server/api.py:1002] [default] worker group successfully finished."
*/
WITH ended AS (
  SELECT attempt, rank, ts, file_id, line, part FROM elastic_child_failed WHERE exitcode <> -15
  UNION ALL SELECT attempt, rank, ts, file_id, line, part FROM elastic_worker_failed WHERE exitcode <> -15
  UNION ALL SELECT attempt, NULL, ts, file_id, line, part FROM launcher_lightning_child_terminated
  UNION ALL SELECT attempt, rank, ts, file_id, line, part FROM deepspeed_exits)
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, min(ts) AS began,
       CASE WHEN count(DISTINCT rank) > 1 THEN printf('%d workers', count(DISTINCT rank)) ELSE 'A worker' END
         || ' ended with an error; why is not in this log' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   ended
GROUP  BY attempt
