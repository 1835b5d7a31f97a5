/*
title    = "One host shows NCCL fewer RDMA adapters than its siblings"
kind     = "perf.low_channels"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.straggler", "hang.*", "net.ib_error"]
needs    = ["nccl_net"]
explanation = """
Hosts of one job list the same adapters. This one lacks some of them: all traffic of its GPUs goes through the rest, the worst host sets the pace of the collective,
and some versions cannot even connect hosts with different counts. The adapter is down, gone from the bus, or not visible in the container.
"""
advice = """
On the host named: `ibstat`, `lspci | grep -i -e mellanox -e infiniband`, `dmesg -T | grep -i mlx5`, inside and outside the container; compare with a sibling and drain the host if the device is gone.
"""
false_positives = "Hosts of two builds in one job, or NCCL_IB_HCA set differently on purpose."
references = ["NCCL source: net_ib.cc, NET/IB : Using"]
[[test]]
fires = 1
expect = { hosts = ["n3"], devices = ["n3/mlx5_1"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>
n2:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.2<0>
n3:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.3<0>
'''
[[test]]
fires = 1                        # two hosts: the one that lacks some is the odd one
expect = { hosts = ["n2"], devices = ["n2/mlx5_2", "n2/mlx5_3"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [2]mlx5_2:1/RoCE [3]mlx5_3:1/RoCE [RO]; OOB eth0:10.0.0.1<0>
n2:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.2<0>
'''
[[test]]
fires = 0                        # other names
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>
n2:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_4:1/IB [1]mlx5_5:1/IB [RO]; OOB eth0:10.0.0.2<0>
'''
[[test]]
fires = 0                        # a line that was cut
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>
n2:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.2<0>
n2:11:21 [1] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]ml
'''
*/
WITH line AS (   -- the longest list of each process: lines are torn and cut
  SELECT u.attempt, u.host, u.pid, list_sort(list_distinct(regexp_extract_all(u.devices, '\[\d+\]=?\{?([A-Za-z][\w.-]*:\d+)', 1))) AS hcas, u.file_id, u.line, u.part
  FROM   nccl_net_ib_using u
  JOIN   job_hosts j ON j.attempt = u.attempt AND j.host = u.host
  WHERE  u.addr IS NOT NULL),
host AS (
  SELECT attempt, host, list_sort(list_distinct(flatten(list(hcas ORDER BY line, part)))) AS hcas,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   line
  WHERE  len(hcas) > 0
  GROUP  BY attempt, host),
fullest AS (
  SELECT attempt, hcas, count(*) AS hosts, sum(count(*)) OVER (PARTITION BY attempt) AS all_hosts
  FROM   host
  GROUP  BY attempt, hcas
  QUALIFY row_number() OVER (PARTITION BY attempt ORDER BY len(hcas) DESC, count(*) DESC, hcas) = 1)
SELECT h.attempt, [h.host] AS hosts, list_transform(list_filter(f.hcas, lambda d: NOT list_contains(h.hcas, d)), lambda d: h.host || '/' || split_part(d, ':', 1)) AS devices, h.evidence,
       printf('%s shows NCCL %d RDMA adapters, its siblings %d: it lacks %s', h.host, len(h.hcas), len(f.hcas),
              list_aggregate(list_transform(list_filter(f.hcas, lambda d: NOT list_contains(h.hcas, d)), lambda d: split_part(d, ':', 1)), 'string_agg', ', ')) AS summary
FROM   host h
JOIN   fullest f ON f.attempt = h.attempt
-- a subset of what the others have, and the exception among them
WHERE  len(h.hcas) < len(f.hcas) AND list_has_all(f.hcas, h.hcas) AND (f.hosts * 2 > f.all_hosts OR (f.all_hosts = 2 AND f.hosts = 1))
