/*
title    = "Operations of a benchmark took seconds"
kind     = "perf.low_busbw"
severity = "medium"
role     = "cause"
confidence = "possible"
needs    = ["nccl_tests"]
explanation = """
An operation took more than two seconds. Where the same table shows that its bytes need a fraction of that, it waited for something that runs into timeouts, such as lost packets
that are sent again, connections that are set up anew, or a host that was stuck. Where every size is as slow, the path itself is: sockets over a slow network, or host memory.
"""
advice = """
Run the test again with only these sizes and more iterations (`-b SIZE -e SIZE -n 100`), with counters of all NICs before and after (`ethtool -S`, hw_counters).
"""
false_positives = "The first operation of a process includes the set-up of its connections where no warm-up was asked for."
references = ["nccl-tests doc/PERFORMANCE.md"]
[[test]]
fires = 1
expect = { confidence = "possible" }
logs."all_reduce.out" = '''
# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4121 on    node017 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   4122 on    node017 device  1 [0000:1c:00] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   4123 on    node017 device  2 [0000:1d:00] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid   4124 on    node017 device  3 [0000:1e:00] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid   4125 on    node017 device  4 [0000:1f:00] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid   4126 on    node017 device  5 [0000:20:00] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid   4127 on    node017 device  6 [0000:21:00] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid   4128 on    node017 device  7 [0000:22:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     1048576        262144     float     sum      -1     91.8   11.43   20.00      0     91.8   11.43   20.00      0
     4194304       1048576     float     sum      -1    183.5   22.86   40.00      0    183.5   22.86   40.00      0
    16777216       4194304     float     sum      -1 2936012.8    0.01    0.01      0 2936012.8    0.01    0.01      0
    67108864      16777216     float     sum      -1   1957.3   34.29   60.00      0   1957.3   34.29   60.00      0
   268435456      67108864     float     sum      -1   6710.9   40.00   70.00      0   6710.9   40.00   70.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
[[test]]
fires = 1
logs."all_reduce.out" = '''
# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4121 on    node017 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   4122 on    node017 device  1 [0000:1c:00] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   4123 on    node017 device  2 [0000:1d:00] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid   4124 on    node017 device  3 [0000:1e:00] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid   4125 on    node017 device  4 [0000:1f:00] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid   4126 on    node017 device  5 [0000:20:00] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid   4127 on    node017 device  6 [0000:21:00] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid   4128 on    node017 device  7 [0000:22:00] NVIDIA H100 80GB HBM3
#  Rank  8 Group  0 Pid   4129 on    node018 device  0 [0000:23:00] NVIDIA H100 80GB HBM3
#  Rank  9 Group  0 Pid   4130 on    node018 device  1 [0000:24:00] NVIDIA H100 80GB HBM3
#  Rank 10 Group  0 Pid   4131 on    node018 device  2 [0000:25:00] NVIDIA H100 80GB HBM3
#  Rank 11 Group  0 Pid   4132 on    node018 device  3 [0000:26:00] NVIDIA H100 80GB HBM3
#  Rank 12 Group  0 Pid   4133 on    node018 device  4 [0000:27:00] NVIDIA H100 80GB HBM3
#  Rank 13 Group  0 Pid   4134 on    node018 device  5 [0000:28:00] NVIDIA H100 80GB HBM3
#  Rank 14 Group  0 Pid   4135 on    node018 device  6 [0000:29:00] NVIDIA H100 80GB HBM3
#  Rank 15 Group  0 Pid   4136 on    node018 device  7 [0000:2a:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     1048576        262144     float     sum      -1     98.3   10.67   20.00      0     98.3   10.67   20.00      0
     4194304       1048576     float     sum      -1    196.6   21.33   40.00      0    196.6   21.33   40.00      0
    16777216       4194304     float     sum      -1    714.9   23.47   44.00      0    714.9   23.47   44.00      0
    67108864      16777216     float     sum      -1 4194304.0    0.02    0.03      0 4194304.0    0.02    0.03      0
   268435456      67108864     float     sum      -1 10066329.6    0.03    0.05      0 10066329.6    0.03    0.05      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
[[test]]
# Every size takes what it must on this path.
fires = 1
logs."all_reduce.out" = '''
# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4121 on    node017 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   4122 on    node017 device  1 [0000:1c:00] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   4123 on    node017 device  2 [0000:1d:00] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid   4124 on    node017 device  3 [0000:1e:00] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid   4125 on    node017 device  4 [0000:1f:00] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid   4126 on    node017 device  5 [0000:20:00] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid   4127 on    node017 device  6 [0000:21:00] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid   4128 on    node017 device  7 [0000:22:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
   268435456      67108864     float     sum      -1 469762.0    0.57    1.00      0 469762.0    0.57    1.00      0
  1073741824     268435456     float     sum      -1 1789569.7    0.60    1.05      0 1789569.7    0.60    1.05      0
  4294967296    1073741824     float     sum      -1 6832902.5    0.63    1.10      0 6832902.5    0.63    1.10      0
  8589934592    2147483648     float     sum      -1 13665805.0    0.63    1.10      0 13665805.0    0.63    1.10      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
[[test]]
fires = 0
logs."all_reduce.out" = '''
# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4121 on    node017 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   4122 on    node017 device  1 [0000:1c:00] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   4123 on    node017 device  2 [0000:1d:00] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid   4124 on    node017 device  3 [0000:1e:00] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid   4125 on    node017 device  4 [0000:1f:00] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid   4126 on    node017 device  5 [0000:20:00] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid   4127 on    node017 device  6 [0000:21:00] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid   4128 on    node017 device  7 [0000:22:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
    67108864      16777216     float     sum      -1    587.2  114.29  200.00      0    587.2  114.29  200.00      0
   134217728      33554432     float     sum      -1    711.8  188.57  330.00      0    711.8  188.57  330.00      0
   268435456      67108864     float     sum      -1   1174.4  228.57  400.00      0   1174.4  228.57  400.00      0
   536870912     134217728     float     sum      -1   2135.3  251.43  440.00      0   2135.3  251.43  440.00      0
  1073741824     268435456     float     sum      -1   4084.9  262.86  460.00      0   4084.9  262.86  460.00      0
  2147483648     536870912     float     sum      -1   7995.9  268.57  470.00      0   7995.9  268.57  470.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
*/
-- The test: more than 2 s, which no fabric for training needs for the sizes that are usual; `is_stall` where it is ten times what the best bandwidth of any
-- smaller or larger size would need.
WITH best AS (
  SELECT attempt, file_id, op, max(best_algbw) AS algbw FROM bench_rows GROUP BY ALL),
slow AS (
  SELECT b.*, b.size_bytes / (t.algbw * 1e3) AS needs_us, b.slowest_us > 10 * b.size_bytes / (t.algbw * 1e3) AS is_stall
  FROM bench_rows b
  JOIN best t ON t.file_id = b.file_id AND t.op IS NOT DISTINCT FROM b.op
  WHERE b.slowest_us > 2e6)
SELECT attempt, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line, part) AS evidence,
       CASE WHEN is_stall THEN printf('%s took %.1f s at %d bytes%s where its bandwidth needs %.1f ms', coalesce(max(op), 'An operation of the benchmark'), max(slowest_us) / 1e6,
              min(size_bytes), CASE WHEN count(*) > 1 THEN printf(' and %d more sizes', count(*) - 1) ELSE '' END, min(needs_us) / 1e3)
       ELSE printf('%s takes up to %.1f s an operation and never passes %.1f GB/s', coalesce(max(op), 'The benchmark'), max(slowest_us) / 1e6, max(best_busbw)) END AS summary
FROM slow
GROUP BY attempt, file_id, is_stall
