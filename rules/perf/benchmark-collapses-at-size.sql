/*
title    = "The bandwidth of a benchmark collapses from some size on"
kind     = "perf.low_busbw"
severity = "medium"
role     = "cause"
confidence = "possible"
needs    = ["nccl_tests"]
explanation = """
Bandwidth rises with size and then stays. Here it falls to less than half from some size on and does not come back: another algorithm or protocol that does not work well here, or
a fabric that loses packets once it is full.
"""
advice = """
Run the sizes on both sides of the edge with `NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING` and with `NCCL_PROTO=Simple`, and compare the counters of the NICs before and after (drops, retransmissions, pause).
"""
false_positives = "One slow row between good ones is jitter."
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
    67108864      16777216     float     sum      -1   1572.9   42.67   80.00      0   1572.9   42.67   80.00      0
   134217728      33554432     float     sum      -1   1677.7   80.00  150.00      0   1677.7   80.00  150.00      0
   268435456      67108864     float     sum      -1   2796.2   96.00  180.00      0   2796.2   96.00  180.00      0
   536870912     134217728     float     sum      -1  25165.8   21.33   40.00      0  25165.8   21.33   40.00      0
  1073741824     268435456     float     sum      -1  52980.7   20.27   38.00      0  52980.7   20.27   38.00      0
  2147483648     536870912     float     sum      -1  98208.1   21.87   41.00      0  98208.1   21.87   41.00      0
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
#  Rank  0 Group  0 Pid   4121 on         a1 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   4122 on         a1 device  1 [0000:1c:00] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   4123 on         a1 device  2 [0000:1d:00] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid   4124 on         a1 device  3 [0000:1e:00] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid   4125 on         a1 device  4 [0000:1f:00] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid   4126 on         a1 device  5 [0000:20:00] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid   4127 on         a1 device  6 [0000:21:00] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid   4128 on         a1 device  7 [0000:22:00] NVIDIA H100 80GB HBM3
#  Rank  8 Group  0 Pid   4129 on         a2 device  0 [0000:23:00] NVIDIA H100 80GB HBM3
#  Rank  9 Group  0 Pid   4130 on         a2 device  1 [0000:24:00] NVIDIA H100 80GB HBM3
#  Rank 10 Group  0 Pid   4131 on         a2 device  2 [0000:25:00] NVIDIA H100 80GB HBM3
#  Rank 11 Group  0 Pid   4132 on         a2 device  3 [0000:26:00] NVIDIA H100 80GB HBM3
#  Rank 12 Group  0 Pid   4133 on         a2 device  4 [0000:27:00] NVIDIA H100 80GB HBM3
#  Rank 13 Group  0 Pid   4134 on         a2 device  5 [0000:28:00] NVIDIA H100 80GB HBM3
#  Rank 14 Group  0 Pid   4135 on         a2 device  6 [0000:29:00] NVIDIA H100 80GB HBM3
#  Rank 15 Group  0 Pid   4136 on         a2 device  7 [0000:2a:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     1048576        262144     float     sum      -1    655.4    1.60    3.00      0    655.4    1.60    3.00      0
     4194304       1048576     float     sum      -1    873.8    4.80    9.00      0    873.8    4.80    9.00      0
    16777216       4194304     float     sum      -1   1572.9   10.67   20.00      0   1572.9   10.67   20.00      0
    67108864      16777216     float     sum      -1   5719.5   11.73   22.00      0   5719.5   11.73   22.00      0
   268435456      67108864     float     sum      -1  83886.1    3.20    6.00      0  83886.1    3.20    6.00      0
  1073741824     268435456     float     sum      -1 402653.2    2.67    5.00      0 402653.2    2.67    5.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
[[test]]
# One bad row.
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
    67108864      16777216     float     sum      -1   1572.9   42.67   80.00      0   1572.9   42.67   80.00      0
   134217728      33554432     float     sum      -1   1677.7   80.00  150.00      0   1677.7   80.00  150.00      0
   268435456      67108864     float     sum      -1   8388.6   32.00   60.00      0   8388.6   32.00   60.00      0
   536870912     134217728     float     sum      -1   5531.0   97.07  182.00      0   5531.0   97.07  182.00      0
  1073741824     268435456     float     sum      -1  11001.5   97.60  183.00      0  11001.5   97.60  183.00      0
  2147483648     536870912     float     sum      -1  21765.0   98.67  185.00      0  21765.0   98.67  185.00      0
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
    67108864      16777216     float     sum      -1   1572.9   42.67   80.00      0   1572.9   42.67   80.00      0
   134217728      33554432     float     sum      -1   1677.7   80.00  150.00      0   1677.7   80.00  150.00      0
   268435456      67108864     float     sum      -1   2796.2   96.00  180.00      0   2796.2   96.00  180.00      0
   536870912     134217728     float     sum      -1   5531.0   97.07  182.00      0   5531.0   97.07  182.00      0
  1073741824     268435456     float     sum      -1  11001.5   97.60  183.00      0  11001.5   97.60  183.00      0
  2147483648     536870912     float     sum      -1  26843.5   80.00  150.00      0  26843.5   80.00  150.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
*/
-- The test: the best of the last two and more sizes is below half of the best of the smaller ones; at least 1 MiB, where latency no longer counts.
WITH sized AS (
  SELECT *, max(best_busbw) OVER (PARTITION BY file_id, op ORDER BY size_bytes, line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS best_before,
         max(best_busbw) OVER (PARTITION BY file_id, op ORDER BY size_bytes, line ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS best_from_here,
         count(*) OVER (PARTITION BY file_id, op ORDER BY size_bytes, line ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS sizes_from_here
  FROM bench_rows
  WHERE size_bytes >= 1048576),
edge AS (
  SELECT * FROM sized
  WHERE best_from_here < 0.5 * best_before AND sizes_from_here >= 2
  QUALIFY row_number() OVER (PARTITION BY file_id, op ORDER BY size_bytes, line) = 1)
SELECT attempt, [{'file_id': file_id, 'line': line, 'part': part}] AS evidence,
       printf('%s falls from %.0f to %.0f GB/s at %d bytes and does not recover', coalesce(op, 'The benchmark'), best_before, best_from_here, size_bytes) AS summary
FROM edge
