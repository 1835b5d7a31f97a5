/*
title    = "RAS: a process of the job gives no answer"
kind     = "launcher.child_failed.ras"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "desync.rank_behind", "net.socket_error"]
needs    = ["nccl_ras", "nccl_ras_json"]
explanation = """
NCCL's RAS threads watch each other. This process no longer answers, or is considered dead: it ended, its host is gone, or the network between them is. What ended it stands in its own log.
"""
advice = """
Look at the end of this process's own log and at its host's kernel log (`dmesg -T`); does the process still exist (`ps -p PID`), does its host answer?
"""
false_positives = "A process that ended in order while others still run; RAS answers are also lost when its socket network is filtered."
references = ["NCCL user guide, RAS"]
[[test]]
fires = 1
expect = { hosts = ["n2"], ranks = [3] }
logs."ras.json" = '''
{"nccl_version": "2.29.2", "timestamp": "2026-03-04 10:11:12", "communicators_count": 1, "communicators": [{"hash": "0x27a0", "size": 4, "ranks": [
  {"rank": 0, "host": "10.2.0.1", "pid": 4100, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 1, "host": "10.2.0.1", "pid": 4101, "cuda_dev": 1, "nvml_dev": 1, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}},
  {"rank": 2, "host": "10.2.0.2", "pid": 4102, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0}, "collective_counts": {"AllReduce": 120}}
], "missing_ranks": [
  {"rank": 3, "host": "10.2.0.2", "pid": 4103, "status": {"unresponsive": true, "considered_dead": true}}
]}], "ras": {"timeouts_count": 0}}
'''
logs."nccl.log" = '''
n1:4100:4100 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.1<0>
n1:4101:4101 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.1<0>
n2:4102:4102 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.2<0>
n2:4103:4103 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.2<0>
'''
[[test]]
fires = 1
expect = { hosts = ["n2"] }
logs."nccl.log" = '''
n1:4100:4100 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.1<0>
n1:4101:4101 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.1<0>
n2:4102:4102 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.2<0>
n2:4103:4103 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.2<0>
n1:4100:4200 [0] NCCL INFO RAS declaring peer 10.2.0.2<41023> as DEAD; it was last heard from 60s ago
'''
[[test]]
fires = 1                        # two processes get no answer from it
expect = { hosts = ["n3"] }
logs."nccl.log" = '''
n1:4100:4100 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.1<0>
n2:4102:4102 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.2<0>
n3:4103:4103 [0] NCCL INFO Bootstrap: Using ens9:10.2.0.3<0>
n1:4100:4200 [0] NCCL INFO RAS send stuck timeout error (8s) on socket connection with 10.2.0.3<41023>
n2:4102:4200 [0] NCCL INFO RAS keepalive timeout error (60s) on socket connection with 10.2.0.3<41023>
'''
[[test]]
fires = 0                        # one process: it may itself be cut off; and a warning is no error yet
logs."nccl.log" = '''
n1:4100:4200 [0] NCCL INFO RAS send stuck timeout error (8s) on socket connection with 10.2.0.3<41023>
n2:4102:4200 [0] NCCL INFO RAS keepalive timeout warning (20s) on socket connection with 10.2.0.3<41023>
'''
[[test]]
fires = 1                        # the monitor names the node by its address
expect = { hosts = ["172.16.64.213"] }
logs."monitor.txt" = '''
[2026-03-04 10:11:12] PEER_DEAD: Process 3487984 on node 172.16.64.213 managing GPU 5
'''
[[test]]
fires = 0
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
fires = 0                        # a peer that connects
logs."monitor.txt" = '''
[2026-03-04 10:11:12] PEER_CONNECTED: Process 3487984 on node 172.16.64.213 managing GPU 5
'''
[[test]]
fires = 1                        # the text for people
expect = { hosts = ["10.40.2.17"], ranks = [21] }
logs."ncclras.txt" = '''
NCCL version 2.27.3 compiled with CUDA 12.9

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          8            1         32       32

Communicators... (0.10s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4       7-8        32        32   RUNNING  INCOMPLETE

Errors
======

DEAD
  1 job process is considered dead (unreachable via the RAS network)
  Process 88123 on node 10.40.2.17 managing GPU 5

#0-0 (4c1e22a90a51) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank: 21
'''
[[test]]
fires = 1                        # an excerpt that has the rank and not its process; the communicator is that of the whole job
expect = { hosts = [], ranks = [21] }
logs."ncclras.txt" = '''
Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          8            1         32       32

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4       7-8        32        32   RUNNING  INCOMPLETE

#0-0 (4c1e22a90a51) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank: 21
'''
[[test]]
fires = 1                        # numbered in a communicator of some of the ranks: nobody is named
expect = { hosts = [], ranks = [] }
logs."ncclras.txt" = '''
Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         4         4         8         8        32   RUNNING  INCOMPLETE

#0-2 (4c1e22a90a51) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank: 5
'''
[[test]]
fires = 0                        # the text for people, all well
logs."ncclras.txt" = '''
NCCL version 2.27.3 compiled with CUDA 12.9

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         8         4         8        32        32   RUNNING      OK
'''
*/
WITH world AS (SELECT file_id, count(DISTINCT (addr, pid, cuda_dev)) AS n FROM nccl_ras_member GROUP BY ALL),
lone_missing AS (  -- one process and one number in a communicator: they are the same, and a communicator of all processes numbers them globally
  SELECT r.file_id, min(TRY_CAST(r.ranks AS INTEGER)) AS who, max(g.ranks) AS members FROM nccl_ras_missing_ranks r
  JOIN   nccl_ras_group g ON g.file_id = r.file_id
  WHERE  (SELECT count(DISTINCT (p.peer_addr, p.process)) FROM nccl_ras_process p WHERE p.file_id = r.file_id) = 1
  GROUP  BY r.file_id HAVING count(DISTINCT r.ranks) = 1 AND min(TRY_CAST(r.ranks AS INTEGER)) IS NOT NULL AND count(DISTINCT g."group") = 1),
gone AS (
  SELECT m.attempt, m.addr, m.pid AS process, CASE WHEN m.size >= w.n THEN CAST(m.comm_rank AS INTEGER) END AS who, m.considered_dead = 1 AS dead, m.ts, m.file_id, m.line, m.part
  FROM   nccl_ras_lost m LEFT JOIN world w ON w.file_id = m.file_id
  UNION ALL
  SELECT attempt, peer_addr, NULL, NULL, true, ts, file_id, line, part FROM nccl_ras_peer_dead
  UNION ALL      -- one process that gets no answer may itself be cut off; two of them name who is
  SELECT attempt, peer, NULL, NULL, false, ts, file_id, line, part
  FROM  (SELECT *, regexp_extract(detail, 'timeout error .*with ([\w.:-]+)<', 1) AS peer FROM nccl_ras_timeout WHERE host IS NOT NULL)
  WHERE  peer <> ''
  QUALIFY min(host || ':' || pid) OVER (PARTITION BY attempt, peer) <> max(host || ':' || pid) OVER (PARTITION BY attempt, peer)
  UNION ALL      -- the text for people: a heading says dead or missing, processes follow it
  SELECT p.attempt, p.peer_addr, p.process, CASE WHEN h.members = (SELECT max(processes) FROM nccl_ras_summary z WHERE z.file_id = p.file_id) THEN h.who END, h.dead, p.ts, p.file_id, p.line, p.part
  FROM   nccl_ras_process p
  ASOF JOIN (SELECT d.file_id, d.line, d.dead, m.who, m.members FROM (
               SELECT file_id, line, true AS dead FROM nccl_ras_dead UNION ALL SELECT file_id, line, false FROM nccl_ras_missing) d
             LEFT JOIN lone_missing m ON m.file_id = d.file_id) h ON h.file_id = p.file_id AND h.line <= p.line
  WHERE  p.peer_addr IS NOT NULL
  UNION ALL      -- an excerpt may have the rank without its process
  SELECT m.attempt, NULL, NULL, CASE WHEN a.members = a.gpus AND a.communicators = 1 THEN TRY_CAST(m.ranks AS INTEGER) END, false, m.ts, m.file_id, m.line, m.part
  FROM   nccl_ras_missing_ranks m
  LEFT JOIN (SELECT g.file_id, max(g.ranks) AS members, sum(g.comms) AS communicators, max(z.gpus) AS gpus
             FROM nccl_ras_group g LEFT JOIN nccl_ras_summary z ON z.file_id = g.file_id GROUP BY g.file_id) a ON a.file_id = m.file_id
  WHERE  NOT EXISTS (SELECT 1 FROM nccl_ras_process p WHERE p.file_id = m.file_id)
  UNION ALL
  SELECT attempt, coalesce(peer_addr, addr), process, NULL, event LIKE '%DEAD', ts, file_id, line, part FROM nccl_ras_monitor
  WHERE  event IN ('PEER_DEAD', 'PEER_UNRESPONSIVE', 'PEER_TIMEOUT_DEAD', 'PEER_KEEPALIVE_TIMEOUT'))
SELECT g.attempt, list(DISTINCT coalesce(a.host, g.node) ORDER BY coalesce(a.host, g.node)) FILTER (WHERE coalesce(a.host, g.node) IS NOT NULL) AS hosts, list(DISTINCT g.who ORDER BY g.who) FILTER (WHERE g.who IS NOT NULL) AS ranks, min(g.ts) AS began,
       printf('%s %s%s', CASE WHEN count(g.who) > 0 THEN printf('Rank %s', array_to_string(list_sort(list(DISTINCT g.who ORDER BY g.who) FILTER (WHERE g.who IS NOT NULL))[:8], ', ')) ELSE 'A process' END,
              coalesce('on ' || min(coalesce(a.host, g.addr)) || ' ', ''), CASE WHEN bool_or(g.dead) THEN 'is considered dead by RAS' ELSE 'gives RAS no answer' END) AS summary,
       list({'file_id': g.file_id, 'line': g.line, 'part': g.part} ORDER BY g.file_id, g.line, g.part) AS evidence
FROM   (SELECT *, CASE WHEN process IS NOT NULL THEN addr END AS node FROM gone) g
LEFT JOIN address_hosts a ON a.addr = g.addr
GROUP  BY g.attempt, g.addr
-- many at once are a network or the end of the job, and one row each would say less
HAVING (SELECT count(DISTINCT addr) FROM gone) <= 4
