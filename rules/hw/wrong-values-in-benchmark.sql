/*
title    = "A benchmark counted wrong values"
kind     = "hw.ecc.wrong_values"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["perf.low_busbw"]
needs    = ["nccl_tests"]
explanation = """
nccl-tests compares every result with what it must be, and some values were wrong: data was corrupted on the way through GPU memory, NVLink, PCIe or the network, and
no error was raised. A training job on these GPUs computes with such values too. The table does not say which GPU or link it was.
"""
advice = """
Take all hosts of this test out of use and run the test in halves (per host, per pair of GPUs) with `-c 1` until the pair that corrupts is found.
On that host run `dcgmi diag -r 4`, look for ECC, Xid and AER lines, and try with `NCCL_P2P_DISABLE=1` (a test, not a cure): peer access with ACS or IOMMU in the way corrupts data too.
"""
false_positives = "Tables of old versions print a difference (such as 2e-06) instead of a number of wrong values; it is not counted here."
references = ["github.com/NVIDIA/nccl-tests: doc/PERFORMANCE.md, -c"]
[[test]]
fires = 1
expect = { confidence = "possible", severity = "critical" }
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
    67108864      16777216     float     sum      -1    391.5  171.43  300.00      0    391.5  171.43  300.00      0
   134217728      33554432     float     sum      -1    652.4  205.71  360.00      0    652.4  205.71  360.00      0
   268435456      67108864     float     sum      -1   1067.6  251.43  440.00    113   1067.6  251.43  440.00      0
   536870912     134217728     float     sum      -1   1999.0  268.57  470.00      0   1999.0  268.57  470.00      0
# Out of bounds values : 1 FAILED
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
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
    67108864      16777216     float     sum      -1    391.5  171.43  300.00      0    391.5  171.43  300.00      0
   134217728      33554432     float     sum      -1    652.4  205.71  360.00      0    652.4  205.71  360.00      0
   268435456      67108864     float     sum      -1   1067.6  251.43  440.00      0   1067.6  251.43  440.00      0
   536870912     134217728     float     sum      -1   1999.0  268.57  470.00      0   1999.0  268.57  470.00      0
# Out of bounds values : 12 FAILED
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
    67108864      16777216     float     sum      -1    391.5  171.43  300.00      0    391.5  171.43  300.00      0
   134217728      33554432     float     sum      -1    652.4  205.71  360.00      0    652.4  205.71  360.00      0
   268435456      67108864     float     sum      -1   1067.6  251.43  440.00      0   1067.6  251.43  440.00      0
   536870912     134217728     float     sum      -1   1999.0  268.57  470.00      0   1999.0  268.57  470.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
[[test]]
# A difference of rounding, and no check.
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
    67108864      16777216     float     sum      -1    391.5  171.43  300.00      0    391.5  171.43  300.00      0
   134217728      33554432     float     sum      -1    652.4  205.71  360.00    N/A    652.4  205.71  360.00      0
   268435456      67108864     float     sum      -1   1067.6  251.43  440.00  2e-06   1067.6  251.43  440.00      0
   536870912     134217728     float     sum      -1   1999.0  268.57  470.00      0   1999.0  268.57  470.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
*/
WITH wrong AS (
  SELECT attempt, file_id, line, part, printf('%d wrong values at %d bytes', wrong_values, size_bytes) AS what, wrong_values, op, device_host, hosts
  FROM bench_rows
  WHERE wrong_values > 0
  UNION ALL
  SELECT attempt, file_id, line, part, printf('%d sizes with values out of bounds', CAST(value AS BIGINT)), 0, NULL, NULL, NULL
  FROM bench_nccl_tests_footer
  WHERE what = 'out_of_bounds' AND (verdict = 'FAILED' OR value > 0)),
worst AS (
  SELECT *, row_number() OVER (PARTITION BY attempt, file_id ORDER BY wrong_values DESC, line) AS nth FROM wrong)
SELECT attempt, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line, part) AS evidence,
       CASE WHEN max(hosts) = 1 THEN [max(device_host)] ELSE [] END AS hosts,
       CASE WHEN max(hosts) = 1 THEN max(device_host) || ': ' ELSE '' END
       || printf('%s returned wrong data (%s): something corrupts data without an error', coalesce(max(op), 'a collective of the benchmark'), min(what) FILTER (WHERE nth = 1)) AS summary
FROM worst
GROUP BY attempt, file_id
