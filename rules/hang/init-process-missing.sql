/*
title    = "One process of a host never came to NCCL's set-up"
kind     = "hang.init"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.signal", "crash.python", "sched.cancelled"]
needs    = ["nccl_setup"]
explanation = """
All processes of the job but these printed the first lines of NCCL's set-up (the interface that they bind), and no communicator came about: the others wait for them. Every
other process is accounted for, host by host, so the silence of this one is not a missing file.
"""
advice = """
Take a stack of the process named (`py-spy dump --pid PID`) or read its own output: it failed, is blocked before its first collective (import, data, file system, GPU that does not answer), or was never started.
Compare with the launcher's list of processes on that host; then `dmesg -T` and `nvidia-smi` there.
"""
false_positives = "A lost log file of one process: NCCL_DEBUG_FILE without %p lets processes overwrite each other."
references = ["NCCL source: bootstrap.cc, Bootstrap : Using"]
[[test]]
fires = 1
expect = { hosts = ["n1"], gpus = ["n1:1"], ranks = [1] }
logs."nccl.n1.10.log" = '''
n1:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n1:10:10 [0] NCCL INFO NCCL version 2.18.5+cuda12.2
'''
logs."job.log" = '''
torch.distributed: world_size= 4
n2:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n2:11:11 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
W0421 03:54:49.517000 139 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default
W0421 04:33:55.112000 139 torch/distributed/elastic/agent/server/api.py:741] Received Signals.SIGTERM death signal, shutting down workers
'''
[[test]]
fires = 1                        # all print device 0: the host is known, not the process
expect = { hosts = ["n2"], gpus = [], ranks = [] }
logs."job.log" = '''
torch.distributed: world_size= 6
n1:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n1:11:11 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n1:12:12 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n2:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n2:11:11 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
W0421 03:54:49.517000 139 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default
W0421 04:33:55.112000 139 torch/distributed/elastic/agent/server/api.py:741] Received Signals.SIGTERM death signal, shutting down workers
'''
[[test]]
fires = 0                        # a whole host without lines: perhaps its log is not here
logs."job.log" = '''
torch.distributed: world_size= 4
n1:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n1:11:11 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
W0421 03:54:49.517000 139 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default
W0421 04:33:55.112000 139 torch/distributed/elastic/agent/server/api.py:741] Received Signals.SIGTERM death signal, shutting down workers
'''
[[test]]
fires = 0                        # it came about
logs."job.log" = '''
torch.distributed: world_size= 4
n1:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n2:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n2:11:11 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n2:11:11 [1] NCCL INFO comm 0x5501 rank 3 nranks 4 cudaDev 1 busId 18000 - Init COMPLETE
W0421 03:54:49.517000 139 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default
W0421 04:33:55.112000 139 torch/distributed/elastic/agent/server/api.py:741] Received Signals.SIGTERM death signal, shutting down workers
'''
[[test]]
fires = 0                        # the excerpt ends in the middle of a start
logs."job.log" = '''
torch.distributed: world_size= 4
n1:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n2:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n2:11:11 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
'''
[[test]]
# Nothing tells how many there should be, but three other hosts have one more.
fires = 1
expect = { hosts = ["n3"], gpus = ["n3:1"] }
logs."job.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n1:10:20 [0] NCCL INFO Using network IB
n1:11:21 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n1:11:21 [1] NCCL INFO Using network IB
n2:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n2:10:20 [0] NCCL INFO Using network IB
n2:11:21 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n2:11:21 [1] NCCL INFO Using network IB
n3:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>
n3:10:20 [0] NCCL INFO Using network IB
n4:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.4<0>
n4:10:20 [0] NCCL INFO Using network IB
n4:11:21 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.4<0>
n4:11:21 [1] NCCL INFO Using network IB
W1130 03:52:54.686000 1422806 torch/distributed/elastic/agent/server/api.py:947] Received 15 death signal, shutting down workers
'''
[[test]]
fires = 0
logs."job.log" = '''
n1:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n1:10:20 [0] NCCL INFO Using network IB
n1:11:21 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n1:11:21 [1] NCCL INFO Using network IB
n2:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n2:10:20 [0] NCCL INFO Using network IB
n2:11:21 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
n2:11:21 [1] NCCL INFO Using network IB
n3:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>
n3:10:20 [0] NCCL INFO Using network IB
n3:11:21 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>
n3:11:21 [1] NCCL INFO Using network IB
n4:10:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.4<0>
n4:10:20 [0] NCCL INFO Using network IB
n4:11:21 [1] NCCL INFO Bootstrap : Using eth0:10.0.0.4<0>
n4:11:21 [1] NCCL INFO Using network IB
W1130 03:52:54.686000 1422806 torch/distributed/elastic/agent/server/api.py:947] Received 15 death signal, shutting down workers
'''
*/
WITH process AS (
  SELECT b.attempt, b.host, b.pid, min(b.dev) AS dev, list({'file_id': b.file_id, 'line': b.line, 'part': b.part} ORDER BY b.file_id, b.line, b.part) AS evidence
  FROM   nccl_bootstrap_using b
  JOIN   job_hosts j ON j.attempt = b.attempt AND j.host = b.host
  WHERE  b.pid IS NOT NULL
  GROUP  BY b.attempt, b.host, b.pid),
host AS (
  SELECT attempt, host, count(*) AS n, list(DISTINCT dev ORDER BY dev) AS devs, flatten(list(evidence ORDER BY pid)) AS evidence FROM process GROUP BY attempt, host),
size AS (
  SELECT attempt, max(size) AS world FROM world_sizes GROUP BY attempt),
job AS (         -- hosts that hold equally many processes, if the world can be split so
  SELECT h.attempt, s.world // count(*) AS per_host
  FROM   host h JOIN size s ON s.attempt = h.attempt
  GROUP  BY h.attempt, s.world
  HAVING count(*) > 1 AND s.world % count(*) = 0
  UNION ALL      -- nothing tells the world: as many as three hosts or more have, all but one
  SELECT attempt, max(n) FROM host
  WHERE  attempt NOT IN (SELECT attempt FROM size WHERE world IS NOT NULL)
  GROUP  BY attempt
  HAVING count(*) FILTER (WHERE n < (SELECT max(o.n) FROM host o WHERE o.attempt = host.attempt)) = 1 AND count(*) > 3),
short AS (       -- one host alone may lack some, and fewer than half: more is a log that is not here
  SELECT h.*, j.per_host, CAST(j.per_host - h.n AS INTEGER) AS lacking
  FROM   host h JOIN job j ON j.attempt = h.attempt
  WHERE  h.n < j.per_host AND h.n * 2 >= j.per_host
  AND    NOT EXISTS (SELECT 1 FROM host o WHERE o.attempt = h.attempt AND o.host <> h.host AND o.n <> j.per_host)),
first_host AS (  -- up to 2.21 only rank 0 prints the version, so it tells where the numbering begins
  SELECT attempt, min(host) AS host FROM nccl_version WHERE host IS NOT NULL GROUP BY attempt HAVING count(*) = 1),
stopped AS (     -- two minutes are more than any set-up takes; or somebody gave up
  SELECT attempt FROM job_spans WHERE ended - began > INTERVAL 120 SECOND
  UNION SELECT attempt FROM elastic_death_signal UNION SELECT attempt FROM peer_faults),
placed AS (
  SELECT s.*, CASE WHEN len(s.devs) = s.n THEN list_filter(range(0, s.per_host), lambda d: NOT list_contains(s.devs, d)) ELSE [] END AS absent, f.host = s.host AS is_first,
         (SELECT count(*) FROM host h WHERE h.attempt = s.attempt) AS hosts
  FROM   short s
  LEFT JOIN first_host f ON f.attempt = s.attempt
  WHERE  s.attempt IN (SELECT attempt FROM stopped)
  AND    s.attempt NOT IN (SELECT attempt FROM nccl_comm_init UNION SELECT attempt FROM nccl_connected UNION SELECT attempt FROM nccl_channels)
  AND    s.attempt NOT IN (SELECT attempt FROM steps)),
named AS (
  SELECT *, CASE WHEN is_first THEN absent WHEN NOT is_first AND hosts = 2 THEN list_transform(absent, lambda d: d + per_host) ELSE [] END AS missing_ranks
  FROM   placed)
SELECT attempt, [host] AS hosts, CAST(missing_ranks AS INTEGER[]) AS ranks, list_transform(absent, lambda d: host || ':' || d) AS gpus, evidence,
       CASE WHEN len(missing_ranks) = 1 THEN printf('Rank %d on %s', missing_ranks[1], host) WHEN lacking = 1 THEN 'A process on ' || host ELSE printf('%d processes on %s', lacking, host) END
         || CASE WHEN len(absent) = 1 THEN printf(' (GPU %d)', absent[1]) ELSE '' END || ' never came to NCCL''s set-up, for which all others wait' AS summary
FROM   named
