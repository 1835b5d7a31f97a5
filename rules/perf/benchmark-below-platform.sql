/*
title    = "A benchmark inside one host stays far below its platform"
kind     = "perf.low_busbw"
severity = "high"
role     = "cause"
confidence = "likely"
needs    = ["nccl_tests"]
explanation = """
At its largest sizes the bus bandwidth of the eight GPUs of a host is below 70 % of what such a host gives. A table cannot show the cause: NVLinks that are inactive, peer access
that is off, too few channels, a GPU that throttles, or a fabric manager that does not run.
"""
advice = """
On this host run `nvidia-smi nvlink -s` (all links at full speed?), `nvidia-smi topo -m` (NV between all pairs?), `systemctl status nvidia-fabricmanager`.
Run the test again with `NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,ENV,TUNING`: channels, P2P or SHM, NVLS, and variables that are set.
Watch clocks meanwhile: `nvidia-smi dmon -s pct`.
"""
false_positives = "Other work on the GPUs during the test; sizes too small to fill the links are not judged."
references = ["Azure node health checks; nccl-tests doc/PERFORMANCE.md"]
[[test]]
fires = 1
expect = { hosts = ["node017"], confidence = "likely" }
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
    67108864      16777216     float     sum      -1   1304.9   51.43   90.00      0   1304.9   51.43   90.00      0
   134217728      33554432     float     sum      -1   1957.3   68.57  120.00      0   1957.3   68.57  120.00      0
   268435456      67108864     float     sum      -1   3131.7   85.71  150.00      0   3131.7   85.71  150.00      0
   536870912     134217728     float     sum      -1   5835.6   92.00  161.00      0   5835.6   92.00  161.00      0
  1073741824     268435456     float     sum      -1  11388.2   94.29  165.00      0  11388.2   94.29  165.00      0
  2147483648     536870912     float     sum      -1  22369.6   96.00  168.00      0  22369.6   96.00  168.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
[[test]]
fires = 1
expect = { hosts = ["node017"] }
logs."all_gather.out" = '''
# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803
# Collective test starting: all_gather_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4121 on    node017 device  0 [0000:1b:00] NVIDIA A100-SXM4-80GB
#  Rank  1 Group  0 Pid   4122 on    node017 device  1 [0000:1c:00] NVIDIA A100-SXM4-80GB
#  Rank  2 Group  0 Pid   4123 on    node017 device  2 [0000:1d:00] NVIDIA A100-SXM4-80GB
#  Rank  3 Group  0 Pid   4124 on    node017 device  3 [0000:1e:00] NVIDIA A100-SXM4-80GB
#  Rank  4 Group  0 Pid   4125 on    node017 device  4 [0000:1f:00] NVIDIA A100-SXM4-80GB
#  Rank  5 Group  0 Pid   4126 on    node017 device  5 [0000:20:00] NVIDIA A100-SXM4-80GB
#  Rank  6 Group  0 Pid   4127 on    node017 device  6 [0000:21:00] NVIDIA A100-SXM4-80GB
#  Rank  7 Group  0 Pid   4128 on    node017 device  7 [0000:22:00] NVIDIA A100-SXM4-80GB
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
    67108864      16777216     float     sum      -1   1468.0   45.71   40.00      0   1468.0   45.71   40.00      0
   134217728      33554432     float     sum      -1   2348.8   57.14   50.00      0   2348.8   57.14   50.00      0
   268435456      67108864     float     sum      -1   4270.6   62.86   55.00      0   4270.6   62.86   55.00      0
   536870912     134217728     float     sum      -1   7829.4   68.57   60.00      0   7829.4   68.57   60.00      0
  1073741824     268435456     float     sum      -1  15402.0   69.71   61.00      0  15402.0   69.71   61.00      0
  2147483648     536870912     float     sum      -1  30804.1   69.71   61.00      0  30804.1   69.71   61.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_gather_perf
'''
[[test]]
# Healthy.
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
[[test]]
# Two hosts: the network decides, and it is not known.
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
    67108864      16777216     float     sum      -1   3145.7   21.33   40.00      0   3145.7   21.33   40.00      0
   134217728      33554432     float     sum      -1   5033.2   26.67   50.00      0   5033.2   26.67   50.00      0
   268435456      67108864     float     sum      -1   9151.2   29.33   55.00      0   9151.2   29.33   55.00      0
   536870912     134217728     float     sum      -1  16777.2   32.00   60.00      0  16777.2   32.00   60.00      0
  1073741824     268435456     float     sum      -1  33004.4   32.53   61.00      0  33004.4   32.53   61.00      0
  2147483648     536870912     float     sum      -1  66008.7   32.53   61.00      0  66008.7   32.53   61.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 212.4 
#
# Collective test concluded: all_reduce_perf
'''
[[test]]
# Small sizes only.
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
        1024           256     float     sum      -1     17.9    0.06    0.10      0     17.9    0.06    0.10      0
        2048           512     float     sum      -1     17.9    0.11    0.20      0     17.9    0.11    0.20      0
        4096          1024     float     sum      -1     17.9    0.23    0.40      0     17.9    0.23    0.40      0
        8192          2048     float     sum      -1     15.9    0.51    0.90      0     15.9    0.51    0.90      0
       16384          4096     float     sum      -1     14.3    1.14    2.00      0     14.3    1.14    2.00      0
       32768          8192     float     sum      -1     14.3    2.29    4.00      0     14.3    2.29    4.00      0
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
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
  1073741824     268435456     float     sum      -1  14295.0   75.11  112.67      0  14295.0   75.11  112.67      0
  2147483648     536870912     float     sum      -1  27829.2   77.11  115.67      0  27829.2   77.11  115.67      0
# Out of bounds values : 0 OK
'''
# Half of the board's GPUs, or a board of four, may reach somewhat less.
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
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
  1073741824     268435456     float     sum      -1  14295.0   160.00  240.00      0  14295.0   160.00  240.00      0
  2147483648     536870912     float     sum      -1  27829.2   162.00  243.00      0  27829.2   162.00  243.00      0
# Out of bounds values : 0 OK
'''
*/
-- What eight GPUs of a host give for large sizes, in GB/s of bus bandwidth: the lower end of good values (rings, without NVLS where it exists).
-- Four of them come near it on boards with switches or a full mesh; half of it is surely reached there.
WITH platform (model, good) AS (VALUES
  ('V100-SXM', 120), ('A100-SXM', 220), ('A800-SXM', 145), ('H100 80GB HBM3', 360), ('H200$', 360), ('H800', 150), ('H20$', 360),
  ('B200', 650), ('MI300X', 300), ('MI250X', 80)),
large AS (
  SELECT b.attempt, b.file_id, b.op, b.device_host, b.gpu_name, b.gpus, p.good, max(b.best_busbw) AS busbw, max(b.size_bytes) AS size_bytes,
         list({'file_id': b.file_id, 'line': b.line, 'part': b.part} ORDER BY b.line) AS evidence
  FROM bench_rows b
  JOIN platform p ON regexp_matches(b.gpu_name, p.model)
  WHERE (b.gpus = 8 OR b.gpus = 4 AND regexp_matches(b.gpu_name, 'A100-SXM|H100 80GB HBM3|H200$|B200')) AND b.hosts = 1 AND b.size_bytes >= 536870912 AND b.op IN ('all_reduce', 'all_gather', 'reduce_scatter')
  GROUP BY ALL)
SELECT attempt, [device_host] AS hosts, evidence,
       printf('%s: %s of %d x %s reaches %.0f GB/s at large sizes where at least %.0f are usual', device_host, op, gpus, gpu_name, busbw,
              CASE gpus WHEN 8 THEN good ELSE 0.7 * good END) AS summary
FROM large
WHERE busbw < CASE gpus WHEN 8 THEN 0.7 ELSE 0.5 END * good
