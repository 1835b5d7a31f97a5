/*
title    = "A process was ended by a signal"
kind     = "crash.signal"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "net.socket_error", "desync.rank_behind"]
needs    = ["torch_elastic", "launchers", "launchers_mpi", "python"]
explanation = """
The launcher saw this process end by a signal that it had not sent: SIGSEGV, SIGBUS, SIGILL and SIGFPE come from the process itself, SIGKILL
from outside, most often the kernel's memory killer. SIGABRT is not counted: the watchdog ends waiting ranks that way.
"""
advice = """
Read `dmesg -T` of the host at that time: out of memory (SIGKILL), segfault with its library (SIGSEGV), a full /dev/shm (SIGBUS).
For SIGKILL also look at the scheduler's accounting: a memory limit or an administrator leaves its word there.
"""
false_positives = "SIGKILL that the launcher sends to a process that ignored SIGTERM; such pids are left out."
references = ["torch.distributed.elastic: ChildFailedError"]
[[test]]
fires = 1
expect = { ranks = [1], hosts = ["n2207"] }
logs."train.log" = '''
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-30_11:57:33
  host      : n2207
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 7835)  (SIGTERM)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 7835
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_11:57:32
  host      : n2207
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 7837)  (SIGKILL)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 7837
============================================================
'''
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = '''
  time      : 2026-11-30_11:57:32
  host      : n2207
  rank      : 3 (local_rank: 3)
  exitcode  : -11 (pid: 7837)  (SIGSEGV)
  error_file: <N/A>
  traceback : Signal 11 (SIGSEGV) received by PID 7837
'''
[[test]]
fires = 1                       # DeepSpeed counts processes of one host
expect = { ranks = [] }
logs."train.log" = "[2023-10-09 13:44:09,301] [ERROR] [launch.py:321:sigkill_handler] ['/usr/bin/python', '-u', 'train.py', '--local_rank=2'] exits with return code = -9"
[[test]]
fires = 1                       # unless its launcher told which global ranks the host has
expect = { ranks = [3] }
logs."train.log" = '''
worker-0: [2026-11-30 12:09:02,315] [INFO] [launch.py:158:main] nnodes=2, num_local_procs=2, node_rank=0
worker-0: [2026-11-30 12:09:02,315] [INFO] [launch.py:169:main] global_rank_mapping=defaultdict(<class 'list'>, {'worker-0': [0, 1], 'worker-1': [2, 3]})
worker-1: [2026-11-30 12:09:02,415] [INFO] [launch.py:158:main] nnodes=2, num_local_procs=2, node_rank=1
worker-1: [2026-11-30 12:09:02,415] [INFO] [launch.py:169:main] global_rank_mapping=defaultdict(<class 'list'>, {'worker-0': [0, 1], 'worker-1': [2, 3]})
worker-1: [2026-11-30 13:44:09,301] [ERROR] [launch.py:259:sigkill_handler] ['/usr/bin/python', '-u', 'train.py', '--local_rank=1'] exits with return code = -9
'''
[[test]]
fires = 1                       # two launchers in one file that no label tells apart
expect = { ranks = [] }
logs."train.log" = '''
[2026-11-30 12:09:02,315] [INFO] [launch.py:158:main] nnodes=2, num_local_procs=2, node_rank=0
[2026-11-30 12:09:02,315] [INFO] [launch.py:169:main] global_rank_mapping=defaultdict(<class 'list'>, {'worker-0': [0, 1], 'worker-1': [2, 3]})
[2026-11-30 12:09:02,415] [INFO] [launch.py:158:main] nnodes=2, num_local_procs=2, node_rank=1
[2026-11-30 13:44:09,301] [ERROR] [launch.py:259:sigkill_handler] ['/usr/bin/python', '-u', 'train.py', '--local_rank=1'] exits with return code = -9
'''
[[test]]
fires = 1                       # MPI's rank is the job's
expect = { ranks = [5], hosts = ["cn22"] }
logs."mpi.log" = "mpirun noticed that process rank 5 with PID 0 on node cn22 exited on signal 9 (Killed)."
[[test]]
fires = 1
logs."train.log" = "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal SIGSEGV"
[[test]]
fires = 0                       # it ended what was left after an error
logs."train.log" = "[2023-10-09 13:44:09,301] [ERROR] [launch.py:321:sigkill_handler] ['/usr/bin/python', '-u', 'train.py', '--local_rank=2'] exits with return code = 1"
[[test]]
fires = 0                       # the launcher killed what ignored SIGTERM
logs."train.log" = '''
W1130 11:57:32.860000 7801 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 7837 closing signal SIGTERM
W1130 11:58:02.860000 7801 torch/distributed/elastic/multiprocessing/api.py:1049] Unable to shutdown process 7837 via Signals.SIGTERM, forcefully exiting via Signals.SIGKILL
  time      : 2026-11-30_11:58:03
  host      : n2207
  rank      : 3 (local_rank: 3)
  exitcode  : -9 (pid: 7837)  (SIGKILL)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 7837
'''
[[test]]
fires = 0                       # abort and termination are the usual end of victims
logs."train.log" = '''
  time      : 2026-11-30_11:57:32
  host      : n2207
  rank      : 3 (local_rank: 3)
  exitcode  : -6 (pid: 7837)  (SIGABRT)
  error_file: <N/A>
  traceback : Signal 6 (SIGABRT) received by PID 7837
'''
[[test]]
fires = 1                        # the process's own words and mpirun's are one end
expect = { ranks = [3], hosts = ["node-c03"] }
logs."mpirun.log" = '''
[node-c03:2231417] *** Process received signal ***
[node-c03:2231417] Signal: Segmentation fault (11)
[node-c03:2231417] *** End of error message ***
mpirun noticed that process rank 3 with PID 2231417 on node node-c03 exited on signal 11 (Segmentation fault).
'''
[[test]]
fires = 0                        # a server ends its own processes after its watchdog gave up
logs."sglang.log" = '''
[2025-08-02 03:19:09 TP3] Watchdog timeout (self.watchdog_timeout=300)
[2025-08-02 03:19:14] Received sigquit from a child process. It usually means the child failed.
Killed
'''
*/
WITH ended AS (
  SELECT e.attempt, e.rank, e.host, e.pid, e.signal, e.ts, e.file_id, e.line, e.part
  FROM   exits_of_ranks e
  WHERE  e.signal IN (4, 7, 8, 9, 11)
  AND    NOT EXISTS (SELECT 1 FROM elastic_force_kill k WHERE k.child_pid = e.pid)
         -- a server whose own watchdog gave up kills its processes
  AND    NOT (e.signal = 9 AND EXISTS (SELECT 1 FROM launcher_sglang_watchdog w WHERE w.file_id = e.file_id AND w.line < e.line))),
named AS (
  SELECT *, CASE signal WHEN 4 THEN 'SIGILL' WHEN 7 THEN 'SIGBUS' WHEN 8 THEN 'SIGFPE' WHEN 9 THEN 'SIGKILL' ELSE 'SIGSEGV' END AS name
  FROM   ended)
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       min(ts) AS began,
       coalesce(printf('Rank %d', rank), 'A process') || coalesce(' on ' || host, '') || ' was ended by ' || name
         || CASE WHEN name = 'SIGKILL' THEN ' from outside, perhaps for memory; no line here says by whom' ELSE '' END AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named
GROUP  BY attempt, rank, host, name
