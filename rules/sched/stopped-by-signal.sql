/*
title    = "The launcher was stopped from outside by a signal"
kind     = "sched.cancelled"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["crash.signal", "crash.python", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "hw.xid.program", "hw.host_lost", "data.stall"]
needs    = ["torch_elastic", "launchers"]
explanation = """
The launcher received SIGTERM (a scheduler, a platform or a script), SIGINT (a person) or SIGHUP (its terminal or session was closed)
while nothing had failed, and stopped its workers. The number in the line is the signal, the traceback after it is the launcher's own.
"""
advice = """
Ask the scheduler or platform who ended it (`sacct -j JOB`, `kubectl get events`); for SIGHUP start it under tmux, nohup or as a batch job.
Save a checkpoint on SIGTERM.
"""
false_positives = "An agent that is stopped because a worker elsewhere failed, or a job that was ended because it hung: both are told apart."
references = ["torch.distributed.elastic: death signal", "signal(7)"]
[[test]]
fires = 1                       # only what the launcher raised is left
logs."run.err" = '''
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/torch/distributed/elastic/multiprocessing/api.py", line 76, in _terminate_process_handler
    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)
torch.distributed.elastic.multiprocessing.api.SignalException: Process 3310 got signal: 2
'''
[[test]]
fires = 1
expect = { role = "cause", hosts = [], ranks = [] }
logs."launcher.log" = '''
W1009 14:17:32.512000 61307 site-packages/torch/distributed/elastic/agent/server/api.py:719] Received 1 death signal, shutting down workers
W1009 14:17:32.513000 61307 site-packages/torch/distributed/elastic/multiprocessing/api.py:900] Sending process 61384 closing signal SIGHUP
'''
[[test]]
fires = 1                       # it had hung: the stop is only how it ended
expect = { role = "context" }
logs."train.log" = '''
W1009 13:10:32.512000 61307 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default
2026-10-09 13:13:09,136 | INFO | rank 0/4 | step 50/600 loss 0.00236 step_time_ms 53.4 data_ms 43.5 sync_ms 9.5
2026-10-09 13:14:46,136 | INFO | rank 0/4 | step 100/600 loss 0.00236 step_time_ms 53.4 data_ms 43.5 sync_ms 9.5
W1009 14:17:32.512000 61307 torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers
'''
[[test]]
fires = 1                       # it made steps, but they carry no time
expect = { role = "cause" }
logs."train.log" = '''
W1009 13:10:32.512000 61307 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default
rank 0/4 | step 50/600 loss 0.00236 step_time_ms 53.4 data_ms 43.5 sync_ms 9.5
W1009 14:17:32.512000 61307 torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers
'''
[[test]]
fires = 1
logs."train.log" = '''
Traceback (most recent call last):
  File "train.py", line 80, in <module>
    loss.backward()
KeyboardInterrupt
'''
[[test]]
fires = 0                       # a worker failed on the other node
logs."node1.log" = '''
E1009 14:17:30.512000 71307 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 2 (pid: 71384) of binary: /usr/bin/python3
'''
logs."node2.log" = '''
W1009 14:17:32.512000 61307 torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers
'''
[[test]]
fires = 0                       # the launcher itself sends signals after a timeout
logs."train.log" = '''
[rank0]:[E1009 14:17:30.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
W1009 14:17:32.512000 61307 torch/distributed/elastic/multiprocessing/api.py:900] Sending process 61384 closing signal SIGTERM
'''
*/
WITH said AS (
  SELECT attempt, file_id, line, part, CASE WHEN ts_from = 'line' THEN ts END AS ts, CAST(signal AS VARCHAR) AS signal FROM elastic_death_signal
  UNION ALL
  SELECT attempt, file_id, line, part, CASE WHEN ts_from = 'line' THEN ts END, '15' FROM launcher_sigterm
  UNION ALL      -- what the launcher raises then, where the line before is cut away
  SELECT attempt, file_id, line, part, CASE WHEN ts_from = 'line' THEN ts END, CAST(signal AS VARCHAR) FROM elastic_signal_exception e
  WHERE  NOT EXISTS (SELECT 1 FROM elastic_death_signal d WHERE d.attempt IS NOT DISTINCT FROM e.attempt)
  UNION ALL      -- Python's word for it; the traceback before it only shows where the program stood
  SELECT attempt, file_id, line, part, CASE WHEN ts_from = 'line' THEN ts END, '2' FROM events
  WHERE  kind IN ('python.traceback', 'python.exception') AND NOT duplicate AND fields['exception'] = 'KeyboardInterrupt'),
clean AS (
  SELECT s.*
  FROM   said s
  WHERE  NOT EXISTS (SELECT 1 FROM job_faults f WHERE f.attempt = s.attempt AND (f.ts IS NULL AND f.file_id <> s.file_id OR f.ts <= s.ts + INTERVAL 1 SECOND OR (f.file_id = s.file_id AND f.line < s.line))))
SELECT c.attempt, CASE WHEN NOT coalesce(bool_or(t.scattered), false) THEN min(c.ts) END AS began, CASE WHEN bool_or(t.hung) THEN 'context' ELSE 'cause' END AS role,
       printf('%s%s%s', CASE WHEN min(signal) IN ('1', 'SIGHUP') THEN 'The terminal or session of the launcher was closed (SIGHUP)'
                             WHEN min(signal) IN ('2', 'SIGINT') THEN 'A person interrupted the job (SIGINT)'
                             ELSE 'The job was stopped from outside (SIGTERM)' END, coalesce(strftime(min(c.ts), ' at %H:%M:%S'), ''),
              CASE WHEN bool_or(t.hung) THEN printf(' after it had made no progress for %d min', CAST(max(t.idle_s) // 60 AS BIGINT)) ELSE '; nothing of it had failed' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   clean c
LEFT   JOIN standstills t ON t.attempt = c.attempt
-- the scheduler's own word is better
WHERE  NOT EXISTS (SELECT 1 FROM slurm_cancelled x WHERE x.attempt = c.attempt AND regexp_matches(upper(x.reason), 'PREEMPT|REQUEUE|TIME LIMIT|NODE FAILURE'))
GROUP  BY c.attempt
