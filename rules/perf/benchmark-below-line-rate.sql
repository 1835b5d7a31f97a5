/*
title    = "A benchmark over the network stays far below the line rate"
kind     = "perf.low_busbw"
severity = "high"
role     = "cause"
confidence = "likely"
needs    = ["nccl_tests"]
explanation = """
At its largest sizes the bus bandwidth between hosts is below 70 % of what the adapters of a host carry together. A table cannot show the cause: GPUDirect RDMA that is off, adapters that
NCCL does not use, a link at a lower rate, too few queue pairs or channels, PCIe back-pressure, a congested or badly spread fabric.
"""
advice = """
Run the test again with `NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,NET`: is every adapter used, do channels say `/GDRDMA`, how many channels are there?
Halve the hosts until one pair is slow alone; then `ib_write_bw --use_cuda=0 --report_gbits` on each rail of it, and counters of both ends before and after.
"""
false_positives = "Adapters that NCCL was told not to use; sizes too small to fill the links are not judged; more hosts than a fabric of less than full bisection carries."
references = ["nccl-tests doc/PERFORMANCE.md: bus bandwidth is comparable with the hardware's"]
[[test]]
fires = 1
expect = { confidence = "likely", hosts = [] }
logs."allreduce.log" = '''
hx01:4100:4100 [0] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [1] mlx5_1:uverbs1:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [2] mlx5_2:uverbs2:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [3] mlx5_3:uverbs3:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [4] mlx5_4:uverbs4:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [5] mlx5_5:uverbs5:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [6] mlx5_6:uverbs6:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [7] mlx5_7:uverbs7:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [1] mlx5_1:uverbs1:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [2] mlx5_2:uverbs2:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [3] mlx5_3:uverbs3:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [4] mlx5_4:uverbs4:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [5] mlx5_5:uverbs5:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [6] mlx5_6:uverbs6:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [7] mlx5_7:uverbs7:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 4100 on       hx01 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 4101 on       hx01 device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid 4102 on       hx01 device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid 4103 on       hx01 device  3 [0x1e] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid 4104 on       hx01 device  4 [0x1f] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid 4105 on       hx01 device  5 [0x20] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid 4106 on       hx01 device  6 [0x21] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid 4107 on       hx01 device  7 [0x22] NVIDIA H100 80GB HBM3
#  Rank  8 Group  0 Pid 4108 on       hx02 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  9 Group  0 Pid 4109 on       hx02 device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank 10 Group  0 Pid 4110 on       hx02 device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank 11 Group  0 Pid 4111 on       hx02 device  3 [0x1e] NVIDIA H100 80GB HBM3
#  Rank 12 Group  0 Pid 4112 on       hx02 device  4 [0x1f] NVIDIA H100 80GB HBM3
#  Rank 13 Group  0 Pid 4113 on       hx02 device  5 [0x20] NVIDIA H100 80GB HBM3
#  Rank 14 Group  0 Pid 4114 on       hx02 device  6 [0x21] NVIDIA H100 80GB HBM3
#  Rank 15 Group  0 Pid 4115 on       hx02 device  7 [0x22] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
   268435456      67108864     float     sum      -1    5298.1   50.67   95.00      0    5351.0   50.16   94.05      0
  1073741824     268435456     float     sum      -1   19933.3   53.87  101.00      0   20132.7   53.33   99.99      0
  4294967296    1073741824     float     sum      -1   78951.6   54.40  102.00      0   79741.1   53.86  100.98      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 99.9 
#
'''
[[test]]
fires = 1                        # one adapter of 200 Gb/s in each host
logs."ibstat-qa01.txt" = """
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
"""
logs."ibstat-qa02.txt" = """
CA 'mlx5_0'
	CA type: MT4123
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
"""
logs."all_reduce_perf.txt" = '''
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 4100 on       qa01 device  0 [0x1b] NVIDIA A100-SXM4-80GB
#  Rank  1 Group  0 Pid 4101 on       qa01 device  1 [0x1c] NVIDIA A100-SXM4-80GB
#  Rank  2 Group  0 Pid 4102 on       qa01 device  2 [0x1d] NVIDIA A100-SXM4-80GB
#  Rank  3 Group  0 Pid 4103 on       qa01 device  3 [0x1e] NVIDIA A100-SXM4-80GB
#  Rank  4 Group  0 Pid 4104 on       qa02 device  0 [0x1b] NVIDIA A100-SXM4-80GB
#  Rank  5 Group  0 Pid 4105 on       qa02 device  1 [0x1c] NVIDIA A100-SXM4-80GB
#  Rank  6 Group  0 Pid 4106 on       qa02 device  2 [0x1d] NVIDIA A100-SXM4-80GB
#  Rank  7 Group  0 Pid 4107 on       qa02 device  3 [0x1e] NVIDIA A100-SXM4-80GB
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
   268435456      67108864     float     sum      -1   62634.9    4.29    7.50      0   63261.3    4.24    7.42      0
  1073741824     268435456     float     sum      -1  234881.0    4.57    8.00      0  237229.8    4.53    7.92      0
  4294967296    1073741824     float     sum      -1  939524.1    4.57    8.00      0  948919.3    4.53    7.92      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 99.9 
#
'''
[[test]]
fires = 0                        # 374 of 400 GB/s
logs."allreduce.log" = '''
hx01:4100:4100 [0] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [1] mlx5_1:uverbs1:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [2] mlx5_2:uverbs2:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [3] mlx5_3:uverbs3:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [4] mlx5_4:uverbs4:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [5] mlx5_5:uverbs5:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [6] mlx5_6:uverbs6:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [7] mlx5_7:uverbs7:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [1] mlx5_1:uverbs1:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [2] mlx5_2:uverbs2:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [3] mlx5_3:uverbs3:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [4] mlx5_4:uverbs4:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [5] mlx5_5:uverbs5:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [6] mlx5_6:uverbs6:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [7] mlx5_7:uverbs7:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 4100 on       hx01 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 4101 on       hx01 device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid 4102 on       hx01 device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid 4103 on       hx01 device  3 [0x1e] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid 4104 on       hx01 device  4 [0x1f] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid 4105 on       hx01 device  5 [0x20] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid 4106 on       hx01 device  6 [0x21] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid 4107 on       hx01 device  7 [0x22] NVIDIA H100 80GB HBM3
#  Rank  8 Group  0 Pid 4108 on       hx02 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  9 Group  0 Pid 4109 on       hx02 device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank 10 Group  0 Pid 4110 on       hx02 device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank 11 Group  0 Pid 4111 on       hx02 device  3 [0x1e] NVIDIA H100 80GB HBM3
#  Rank 12 Group  0 Pid 4112 on       hx02 device  4 [0x1f] NVIDIA H100 80GB HBM3
#  Rank 13 Group  0 Pid 4113 on       hx02 device  5 [0x20] NVIDIA H100 80GB HBM3
#  Rank 14 Group  0 Pid 4114 on       hx02 device  6 [0x21] NVIDIA H100 80GB HBM3
#  Rank 15 Group  0 Pid 4115 on       hx02 device  7 [0x22] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
   268435456      67108864     float     sum      -1    1706.2  157.33  295.00      0    1723.2  155.76  292.05      0
  1073741824     268435456     float     sum      -1    5576.9  192.53  361.00      0    5632.7  190.61  357.39      0
  4294967296    1073741824     float     sum      -1   21532.3  199.47  374.00      0   21747.6  197.47  370.26      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 99.9 
#
'''
[[test]]
fires = 0                        # inside one host the network does not count
logs."allreduce.log" = '''
hx01:4100:4100 [0] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [1] mlx5_1:uverbs1:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [2] mlx5_2:uverbs2:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [3] mlx5_3:uverbs3:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [4] mlx5_4:uverbs4:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [5] mlx5_5:uverbs5:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [6] mlx5_6:uverbs6:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [7] mlx5_7:uverbs7:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 4100 on       hx01 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 4101 on       hx01 device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid 4102 on       hx01 device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid 4103 on       hx01 device  3 [0x1e] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid 4104 on       hx01 device  4 [0x1f] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid 4105 on       hx01 device  5 [0x20] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid 4106 on       hx01 device  6 [0x21] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid 4107 on       hx01 device  7 [0x22] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
   268435456      67108864     float     sum      -1    4944.9   54.29   95.00      0    4994.3   53.74   94.05      0
  1073741824     268435456     float     sum      -1   18604.4   57.71  101.00      0   18790.5   57.14   99.99      0
  4294967296    1073741824     float     sum      -1   73688.2   58.29  102.00      0   74425.0   57.70  100.98      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 99.9 
#
'''
[[test]]
fires = 0                        # small sizes
logs."allreduce.log" = '''
hx01:4100:4100 [0] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [1] mlx5_1:uverbs1:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [2] mlx5_2:uverbs2:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [3] mlx5_3:uverbs3:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [4] mlx5_4:uverbs4:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [5] mlx5_5:uverbs5:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [6] mlx5_6:uverbs6:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx01:4100:4100 [0] NCCL INFO NET/IB: [7] mlx5_7:uverbs7:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [1] mlx5_1:uverbs1:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [2] mlx5_2:uverbs2:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [3] mlx5_3:uverbs3:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [4] mlx5_4:uverbs4:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [5] mlx5_5:uverbs5:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [6] mlx5_6:uverbs6:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
hx02:4100:4100 [0] NCCL INFO NET/IB: [7] mlx5_7:uverbs7:1/IB provider=Mlx5 speed=400000 context=0x55d pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:17:00.0 ar=1
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 4100 on       hx01 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 4101 on       hx01 device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid 4102 on       hx01 device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid 4103 on       hx01 device  3 [0x1e] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid 4104 on       hx01 device  4 [0x1f] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid 4105 on       hx01 device  5 [0x20] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid 4106 on       hx01 device  6 [0x21] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid 4107 on       hx01 device  7 [0x22] NVIDIA H100 80GB HBM3
#  Rank  8 Group  0 Pid 4108 on       hx02 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  9 Group  0 Pid 4109 on       hx02 device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank 10 Group  0 Pid 4110 on       hx02 device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank 11 Group  0 Pid 4111 on       hx02 device  3 [0x1e] NVIDIA H100 80GB HBM3
#  Rank 12 Group  0 Pid 4112 on       hx02 device  4 [0x1f] NVIDIA H100 80GB HBM3
#  Rank 13 Group  0 Pid 4113 on       hx02 device  5 [0x20] NVIDIA H100 80GB HBM3
#  Rank 14 Group  0 Pid 4114 on       hx02 device  6 [0x21] NVIDIA H100 80GB HBM3
#  Rank 15 Group  0 Pid 4115 on       hx02 device  7 [0x22] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
     1048576        262144     float     sum      -1     218.5    4.80    9.00      0     220.6    4.75    8.91      0
    16777216       4194304     float     sum      -1     786.4   21.33   40.00      0     794.3   21.12   39.60      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 99.9 
#
'''
[[test]]
fires = 0                        # nobody says how fast the links are
logs."allreduce.log" = '''
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 4100 on       hx01 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 4101 on       hx01 device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid 4102 on       hx01 device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid 4103 on       hx01 device  3 [0x1e] NVIDIA H100 80GB HBM3
#  Rank  4 Group  0 Pid 4104 on       hx01 device  4 [0x1f] NVIDIA H100 80GB HBM3
#  Rank  5 Group  0 Pid 4105 on       hx01 device  5 [0x20] NVIDIA H100 80GB HBM3
#  Rank  6 Group  0 Pid 4106 on       hx01 device  6 [0x21] NVIDIA H100 80GB HBM3
#  Rank  7 Group  0 Pid 4107 on       hx01 device  7 [0x22] NVIDIA H100 80GB HBM3
#  Rank  8 Group  0 Pid 4108 on       hx02 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  9 Group  0 Pid 4109 on       hx02 device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank 10 Group  0 Pid 4110 on       hx02 device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank 11 Group  0 Pid 4111 on       hx02 device  3 [0x1e] NVIDIA H100 80GB HBM3
#  Rank 12 Group  0 Pid 4112 on       hx02 device  4 [0x1f] NVIDIA H100 80GB HBM3
#  Rank 13 Group  0 Pid 4113 on       hx02 device  5 [0x20] NVIDIA H100 80GB HBM3
#  Rank 14 Group  0 Pid 4114 on       hx02 device  6 [0x21] NVIDIA H100 80GB HBM3
#  Rank 15 Group  0 Pid 4115 on       hx02 device  7 [0x22] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
   268435456      67108864     float     sum      -1    5298.1   50.67   95.00      0    5351.0   50.16   94.05      0
  1073741824     268435456     float     sum      -1   19933.3   53.87  101.00      0   20132.7   53.33   99.99      0
  4294967296    1073741824     float     sum      -1   78951.6   54.40  102.00      0   79741.1   53.86  100.98      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 99.9 
#
'''
*/
WITH reached AS (
  SELECT attempt, file_id, op, max(hosts) AS hosts, max(best_busbw) AS busbw, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line) AS evidence
  FROM   bench_rows
  -- all-to-all and pairs count other bytes as their bus bandwidth
  WHERE  hosts >= 2 AND size_bytes >= 536870912 AND op IN ('all_reduce', 'all_gather', 'reduce_scatter')
  GROUP  BY attempt, file_id, op),
slowest AS (     -- the host that carries least bounds the ring
  SELECT r.file_id, l.gbs, l.adapters, l.host, l.evidence[:1] AS evidence
  FROM   (SELECT DISTINCT file_id FROM reached) r
  JOIN   (SELECT DISTINCT file_id, split_part(device_host, '.', 1) AS host FROM bench_nccl_tests_device) d ON d.file_id = r.file_id
  JOIN   line_rates l ON l.host = d.host
  QUALIFY row_number() OVER (PARTITION BY r.file_id ORDER BY l.gbs, l.host) = 1)
SELECT r.attempt, list_concat(r.evidence, s.evidence) AS evidence,
       printf('%s over %d hosts reaches %.0f GB/s at large sizes where the %s carry %.0f', r.op, r.hosts, r.busbw,
              CASE WHEN s.adapters = 1 THEN 'adapter of a host can' ELSE printf('%d adapters of a host can', s.adapters) END, s.gbs) AS summary
FROM   reached r
JOIN   slowest s ON s.file_id = r.file_id
WHERE  r.busbw < 0.7 * s.gbs
