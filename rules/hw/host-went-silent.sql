/*
title    = "A host went silent while its peers lost their connections to it"
kind     = "hw.host_lost"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "desync.*", "net.socket_error", "net.ib_error", "launcher.*", "crash.python", "crash.signal", "crash.cuda_error"]
needs    = ["torch_elastic"]
explanation = """
The log of one host, its launcher's included, just stops, without an error, an exit or a signal, while the ranks of the others meet reset or
closed connections. A launcher always writes down how its workers ended: that it does not means that it ended with them.
"""
advice = """
Look at that host: is it up, did it reboot (`last -x`), what does its kernel log or BMC event log say at this time?
Killed from outside together with its launcher (a container or cgroup that was removed) looks the same.
"""
false_positives = "A log that was collected or cut before the end. Several silent hosts name nobody."
references = ["torch.distributed.elastic: agent"]
[[test]]
fires = 1
expect = { hosts = ["h7"], confidence = "possible" }
logs."h7.log" = '''
I1130 11:58:47.201000 9890 torch/distributed/elastic/agent/server/api.py:912] [default] starting workers for entrypoint: python3
2026-11-30 11:58:58,083 | INFO | h7 | rank 0/4 | step 20/600 loss 0.00236 step_time_ms 53.4 data_ms 43.5 sync_ms 9.5
2026-11-30 11:59:00,630 | INFO | h7 | rank 0/4 | step 40/600 loss 0.00236 step_time_ms 53.4 data_ms 43.5 sync_ms 9.5
'''
logs."h8.log" = '''
I1130 11:58:47.201000 9891 torch/distributed/elastic/agent/server/api.py:912] [default] starting workers for entrypoint: python3
2026-11-30 11:58:58,083 | INFO | h8 | rank 2/4 | step 20/600 loss 0.00236 step_time_ms 53.4 data_ms 43.5 sync_ms 9.5
[rank2]: torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3690, remote process exited or there was a network error, NCCL version 2.27.7
E1130 11:59:01.866000 9891 torch/distributed/elastic/multiprocessing/api.py:984] failed (exitcode: 1) local_rank: 0 (pid: 9903) of binary: /usr/bin/python3
'''
[[test]]
fires = 1
expect = { hosts = ["h7"] }
logs."h7.log" = '''
I1130 11:58:47.201000 9890 torch/distributed/elastic/agent/server/api.py:912] [default] starting workers for entrypoint: python3
I1130 11:58:48.201000 9890 torch/distributed/elastic/agent/server/api.py:715] [default] Starting worker group
'''
logs."h8.log" = '''
I1130 11:58:47.201000 9891 torch/distributed/elastic/agent/server/api.py:912] [default] starting workers for entrypoint: python3
[W1130 11:59:01.200000000 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=4, addr=[h8]:57854, remote=[h7]:29781): Connection reset by peer
E1130 11:59:01.866000 9891 torch/distributed/elastic/multiprocessing/api.py:984] failed (exitcode: 1) local_rank: 0 (pid: 9903) of binary: /usr/bin/python3
'''
[[test]]
fires = 0                       # its launcher tells how its workers ended
logs."h7.log" = '''
I1130 11:58:47.201000 9890 torch/distributed/elastic/agent/server/api.py:912] [default] starting workers for entrypoint: python3
E1130 11:59:00.866000 9890 torch/distributed/elastic/multiprocessing/api.py:984] failed (exitcode: -11) local_rank: 0 (pid: 9902) of binary: /usr/bin/python3
'''
logs."h8.log" = '''
I1130 11:58:47.201000 9891 torch/distributed/elastic/agent/server/api.py:912] [default] starting workers for entrypoint: python3
[W1130 11:59:01.200000000 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=4, addr=[h8]:57854, remote=[h7]:29781): Connection reset by peer
E1130 11:59:01.866000 9891 torch/distributed/elastic/multiprocessing/api.py:984] failed (exitcode: 1) local_rank: 0 (pid: 9903) of binary: /usr/bin/python3
'''
[[test]]
fires = 0                       # only one host's log is here
logs."h8.log" = '''
I1130 11:58:47.201000 9891 torch/distributed/elastic/agent/server/api.py:912] [default] starting workers for entrypoint: python3
E1130 11:59:01.866000 9891 torch/distributed/elastic/multiprocessing/api.py:984] failed (exitcode: 1) local_rank: 0 (pid: 9903) of binary: /usr/bin/python3
'''
*/
WITH agent AS (                  -- hosts whose launcher speaks in a file of its own
  SELECT e.attempt, p.host, e.file_id, min(e.ts) AS began, max(e.ts) AS ended,
         bool_or(e.kind IN ('elastic.worker_failed', 'elastic.child_failed', 'elastic.death_signal', 'elastic.signal_sent', 'elastic.finished', 'elastic.failure_table',
                            'elastic.signal_exception', 'elastic.exit_barrier', 'elastic.restart')) AS told
  FROM   events e
  JOIN   (SELECT DISTINCT file_id, host FROM pieces WHERE host IS NOT NULL) p ON p.file_id = e.file_id
  WHERE  e.kind LIKE 'elastic.%' AND NOT e.duplicate
  GROUP  BY ALL),
lost AS (                        -- peers that met a closed connection
  SELECT e.attempt, p.host, min(e.ts) AS ts
  FROM   events e
  JOIN   (SELECT DISTINCT file_id, host FROM pieces WHERE host IS NOT NULL) p ON p.file_id = e.file_id
  WHERE  (e.kind IN ('torch.store.lost', 'torch.nccl.error', 'torch.nccl.last_error', 'torch.nccl.remote_error', 'torch.gloo.peer_gone', 'torch.watchdog.async_error')
          OR (e.kind LIKE 'nccl.socket%' AND e.severity >= 2)) AND NOT e.duplicate
  GROUP  BY ALL),
silent AS (
  SELECT a.attempt, a.host, a.file_id, w.ended
  FROM   agent a
  JOIN   job_window w ON w.attempt = a.attempt AND w.host = a.host
  WHERE  NOT a.told AND w.broke IS NULL
  AND    NOT EXISTS (SELECT 1 FROM agent o WHERE o.attempt = a.attempt AND o.host = a.host AND o.told)
  AND    NOT EXISTS (SELECT 1 FROM lost l WHERE l.attempt = a.attempt AND l.host = a.host)
  -- it stopped before the others failed; half an hour covers sparse logs
  AND    EXISTS (SELECT 1 FROM lost l JOIN agent o ON o.attempt = l.attempt AND o.host = l.host AND o.told
                 WHERE l.attempt = a.attempt AND l.host <> a.host AND (l.ts IS NULL OR w.ended IS NULL OR l.ts BETWEEN w.ended - INTERVAL 5 SECOND AND w.ended + INTERVAL 30 MINUTE))),
one AS (
  SELECT attempt FROM silent GROUP BY attempt HAVING count(DISTINCT host) = 1),
final AS (                       -- the last line of that file that anybody recognised
  SELECT e.file_id, max(e.line) AS line FROM events e JOIN silent s ON s.file_id = e.file_id GROUP BY ALL)
SELECT s.attempt, [s.host] AS hosts, list(DISTINCT r.rank ORDER BY r.rank) FILTER (WHERE r.rank IS NOT NULL) AS ranks, min(s.ended) AS began,
       printf('%s went silent%s without an error or an exit, and its peers lost their connections; its own log does not say why', s.host,
              coalesce(strftime(min(s.ended), ' at %H:%M:%S'), '')) AS summary,
       list_distinct(list({'file_id': f.file_id, 'line': f.line, 'part': CAST(0 AS UINTEGER)} ORDER BY f.file_id, f.line)) AS evidence
FROM   silent s
JOIN   one o ON o.attempt = s.attempt
JOIN   final f ON f.file_id = s.file_id
LEFT   JOIN ranks r ON r.attempt = s.attempt AND r.host = s.host
GROUP  BY s.attempt, s.host
