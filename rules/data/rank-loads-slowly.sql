/*
title    = "One rank's input is slower than the others'"
kind     = "data.stall"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "net.congestion", "sched.cancelled"]
needs    = ["step_parts", "steps"]
explanation = """
The parts of the step times tell: this rank waits for its input while the others wait for this rank. If it is always the same rank, its host, its
shard or its loader is slow; the shared source would hit changing ranks.
"""
advice = """
On the host of this rank look at the CPUs and the reads of the loader: `py-spy dump --pid PID` of its workers, `iostat -x 1`, `nfsiostat 1`, CPU quota of the container.
Compare its shard (file system, size of samples, cache) and the number of loader workers with those of the other ranks; run once with synthetic data.
Give the rank another shard or another host: what the slowness follows is the cause.
"""
false_positives = "Steps in which the shard changes or an epoch begins are slow on changing ranks and few."
references = ["hand-written step timers; torch.utils.data.DataLoader"]
[[test]]
fires = 1
expect = { ranks = [3], confidence = "likely" }
logs."train.log" = '''
2026-11-30 11:54:10,155 | INFO | rank 0/4 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:10,155 | INFO | rank 1/4 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:10,155 | INFO | rank 2/4 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:10,155 | INFO | rank 3/4 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:17,155 | INFO | rank 0/4 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:17,155 | INFO | rank 1/4 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:17,155 | INFO | rank 2/4 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:17,155 | INFO | rank 3/4 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:24,155 | INFO | rank 0/4 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:24,155 | INFO | rank 1/4 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:24,155 | INFO | rank 2/4 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:24,155 | INFO | rank 3/4 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:31,155 | INFO | rank 0/4 | step 40/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:31,155 | INFO | rank 1/4 | step 40/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:31,155 | INFO | rank 2/4 | step 40/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:31,155 | INFO | rank 3/4 | step 40/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:38,155 | INFO | rank 0/4 | step 50/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:38,155 | INFO | rank 1/4 | step 50/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:38,155 | INFO | rank 2/4 | step 50/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:38,155 | INFO | rank 3/4 | step 50/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:45,155 | INFO | rank 0/4 | step 60/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:45,155 | INFO | rank 1/4 | step 60/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:45,155 | INFO | rank 2/4 | step 60/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:45,155 | INFO | rank 3/4 | step 60/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
'''
[[test]]
fires = 1
expect = { ranks = [1] }
logs."train.log" = '''
rank=0 step=10 data_ms=40.1 compute_ms=300.0 sync_ms=160.2
rank=1 step=10 data_ms=230.1 compute_ms=300.1 sync_ms=8.2
rank=2 step=10 data_ms=41.1 compute_ms=300.2 sync_ms=160.2
rank=0 step=20 data_ms=40.2 compute_ms=300.0 sync_ms=160.4
rank=1 step=20 data_ms=230.2 compute_ms=300.1 sync_ms=8.4
rank=2 step=20 data_ms=41.2 compute_ms=300.2 sync_ms=160.4
rank=0 step=30 data_ms=40.3 compute_ms=300.0 sync_ms=160.6
rank=1 step=30 data_ms=230.3 compute_ms=300.1 sync_ms=8.6
rank=2 step=30 data_ms=41.3 compute_ms=300.2 sync_ms=160.6
rank=0 step=40 data_ms=40.4 compute_ms=300.0 sync_ms=160.8
rank=1 step=40 data_ms=230.4 compute_ms=300.1 sync_ms=8.8
rank=2 step=40 data_ms=41.4 compute_ms=300.2 sync_ms=160.8
rank=0 step=50 data_ms=40.5 compute_ms=300.0 sync_ms=161.0
rank=1 step=50 data_ms=230.5 compute_ms=300.1 sync_ms=9.0
rank=2 step=50 data_ms=41.5 compute_ms=300.2 sync_ms=161.0
rank=0 step=60 data_ms=40.6 compute_ms=300.0 sync_ms=161.2
rank=1 step=60 data_ms=230.6 compute_ms=300.1 sync_ms=9.2
rank=2 step=60 data_ms=41.6 compute_ms=300.2 sync_ms=161.2
'''
[[test]]
# As even as it gets.
fires = 0
logs."train.log" = '''
2026-11-30 11:54:10,155 | INFO | rank 0/4 | step 10/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:10,155 | INFO | rank 1/4 | step 10/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:10,155 | INFO | rank 2/4 | step 10/600 loss 0.00236 step_time_ms 82.0 data_ms 42.0 sync_ms 10.0
2026-11-30 11:54:10,155 | INFO | rank 3/4 | step 10/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:17,155 | INFO | rank 0/4 | step 20/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:17,155 | INFO | rank 1/4 | step 20/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:17,155 | INFO | rank 2/4 | step 20/600 loss 0.00236 step_time_ms 82.0 data_ms 42.0 sync_ms 10.0
2026-11-30 11:54:17,155 | INFO | rank 3/4 | step 20/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:24,155 | INFO | rank 0/4 | step 30/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:24,155 | INFO | rank 1/4 | step 30/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:24,155 | INFO | rank 2/4 | step 30/600 loss 0.00236 step_time_ms 82.0 data_ms 42.0 sync_ms 10.0
2026-11-30 11:54:24,155 | INFO | rank 3/4 | step 30/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:31,155 | INFO | rank 0/4 | step 40/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:31,155 | INFO | rank 1/4 | step 40/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:31,155 | INFO | rank 2/4 | step 40/600 loss 0.00236 step_time_ms 82.0 data_ms 42.0 sync_ms 10.0
2026-11-30 11:54:31,155 | INFO | rank 3/4 | step 40/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:38,155 | INFO | rank 0/4 | step 50/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:38,155 | INFO | rank 1/4 | step 50/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:38,155 | INFO | rank 2/4 | step 50/600 loss 0.00236 step_time_ms 82.0 data_ms 42.0 sync_ms 10.0
2026-11-30 11:54:38,155 | INFO | rank 3/4 | step 50/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:45,155 | INFO | rank 0/4 | step 60/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:45,155 | INFO | rank 1/4 | step 60/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
2026-11-30 11:54:45,155 | INFO | rank 2/4 | step 60/600 loss 0.00236 step_time_ms 82.0 data_ms 42.0 sync_ms 10.0
2026-11-30 11:54:45,155 | INFO | rank 3/4 | step 60/600 loss 0.00236 step_time_ms 82.0 data_ms 40.0 sync_ms 12.0
'''
[[test]]
# Three steps are no pattern.
fires = 0
logs."train.log" = '''
2026-11-30 11:54:10,155 | INFO | rank 0/3 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:10,155 | INFO | rank 1/3 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:10,155 | INFO | rank 2/3 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:17,155 | INFO | rank 0/3 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:17,155 | INFO | rank 1/3 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:17,155 | INFO | rank 2/3 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:24,155 | INFO | rank 0/3 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:24,155 | INFO | rank 1/3 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:24,155 | INFO | rank 2/3 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
'''
[[test]]
# Step lines with the parts of a step.
fires = 1
expect = { ranks = [2] }
logs."train.log" = '''
2025-03-18 02:00:06,628 INFO    [rank 0] step      0 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:00:06,628 INFO    [rank 1] step      0 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:00:06,628 INFO    [rank 2] step      0 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:00:06,628 INFO    [rank 3] step      0 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:01:06,628 INFO    [rank 0] step    100 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:01:06,628 INFO    [rank 1] step    100 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:01:06,628 INFO    [rank 2] step    100 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:01:06,628 INFO    [rank 3] step    100 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:02:06,628 INFO    [rank 0] step    200 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:02:06,628 INFO    [rank 1] step    200 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:02:06,628 INFO    [rank 2] step    200 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:02:06,628 INFO    [rank 3] step    200 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:03:06,628 INFO    [rank 0] step    300 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:03:06,628 INFO    [rank 1] step    300 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:03:06,628 INFO    [rank 2] step    300 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:03:06,628 INFO    [rank 3] step    300 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:04:06,628 INFO    [rank 0] step    400 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:04:06,628 INFO    [rank 1] step    400 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:04:06,628 INFO    [rank 2] step    400 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:04:06,628 INFO    [rank 3] step    400 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:05:06,628 INFO    [rank 0] step    500 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:05:06,628 INFO    [rank 1] step    500 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:05:06,628 INFO    [rank 2] step    500 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:05:06,628 INFO    [rank 3] step    500 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:06:06,628 INFO    [rank 0] step    600 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:06:06,628 INFO    [rank 1] step    600 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:06:06,628 INFO    [rank 2] step    600 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:06:06,628 INFO    [rank 3] step    600 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:07:06,628 INFO    [rank 0] step    700 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:07:06,628 INFO    [rank 1] step    700 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:07:06,628 INFO    [rank 2] step    700 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:07:06,628 INFO    [rank 3] step    700 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:08:06,628 INFO    [rank 0] step    800 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:08:06,628 INFO    [rank 1] step    800 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:08:06,628 INFO    [rank 2] step    800 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:08:06,628 INFO    [rank 3] step    800 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:09:06,628 INFO    [rank 0] step    900 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:09:06,628 INFO    [rank 1] step    900 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:09:06,628 INFO    [rank 2] step    900 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:09:06,628 INFO    [rank 3] step    900 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:10:06,628 INFO    [rank 0] step   1000 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:10:06,628 INFO    [rank 1] step   1000 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:10:06,628 INFO    [rank 2] step   1000 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:10:06,628 INFO    [rank 3] step   1000 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:11:06,628 INFO    [rank 0] step   1100 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:11:06,628 INFO    [rank 1] step   1100 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:11:06,628 INFO    [rank 2] step   1100 loss 2.6238 lr 1.80e-04 data 600.5 ms fwd_bwd 580.2 ms opt 24.7 ms
2025-03-18 02:11:06,628 INFO    [rank 3] step   1100 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
'''
[[test]]
# A little slower at times.
fires = 0
logs."train.log" = '''
2025-03-18 02:00:06,628 INFO    [rank 0] step      0 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:00:06,628 INFO    [rank 1] step      0 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:00:06,628 INFO    [rank 2] step      0 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:00:06,628 INFO    [rank 3] step      0 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:01:06,628 INFO    [rank 0] step    100 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:01:06,628 INFO    [rank 1] step    100 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:01:06,628 INFO    [rank 2] step    100 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:01:06,628 INFO    [rank 3] step    100 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:02:06,628 INFO    [rank 0] step    200 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:02:06,628 INFO    [rank 1] step    200 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:02:06,628 INFO    [rank 2] step    200 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:02:06,628 INFO    [rank 3] step    200 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:03:06,628 INFO    [rank 0] step    300 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:03:06,628 INFO    [rank 1] step    300 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:03:06,628 INFO    [rank 2] step    300 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:03:06,628 INFO    [rank 3] step    300 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:04:06,628 INFO    [rank 0] step    400 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:04:06,628 INFO    [rank 1] step    400 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:04:06,628 INFO    [rank 2] step    400 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:04:06,628 INFO    [rank 3] step    400 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:05:06,628 INFO    [rank 0] step    500 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:05:06,628 INFO    [rank 1] step    500 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:05:06,628 INFO    [rank 2] step    500 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:05:06,628 INFO    [rank 3] step    500 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:06:06,628 INFO    [rank 0] step    600 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:06:06,628 INFO    [rank 1] step    600 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:06:06,628 INFO    [rank 2] step    600 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:06:06,628 INFO    [rank 3] step    600 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:07:06,628 INFO    [rank 0] step    700 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:07:06,628 INFO    [rank 1] step    700 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:07:06,628 INFO    [rank 2] step    700 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:07:06,628 INFO    [rank 3] step    700 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:08:06,628 INFO    [rank 0] step    800 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:08:06,628 INFO    [rank 1] step    800 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:08:06,628 INFO    [rank 2] step    800 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:08:06,628 INFO    [rank 3] step    800 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:09:06,628 INFO    [rank 0] step    900 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:09:06,628 INFO    [rank 1] step    900 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:09:06,628 INFO    [rank 2] step    900 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:09:06,628 INFO    [rank 3] step    900 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:10:06,628 INFO    [rank 0] step   1000 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:10:06,628 INFO    [rank 1] step   1000 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:10:06,628 INFO    [rank 2] step   1000 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:10:06,628 INFO    [rank 3] step   1000 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:11:06,628 INFO    [rank 0] step   1100 loss 2.6238 lr 1.80e-04 data 9.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:11:06,628 INFO    [rank 1] step   1100 loss 2.6238 lr 1.80e-04 data 10.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
2025-03-18 02:11:06,628 INFO    [rank 2] step   1100 loss 2.6238 lr 1.80e-04 data 16.5 ms fwd_bwd 1160.2 ms opt 24.7 ms
2025-03-18 02:11:06,628 INFO    [rank 3] step   1100 loss 2.6238 lr 1.80e-04 data 12.1 ms fwd_bwd 1168.3 ms opt 24.7 ms
'''
*/
SELECT attempt, ranks, [host] AS hosts, began, ended, evidence,
       said || printf(': its input takes %.0f ms where the others take %.0f', data_ms, others_data_ms) || waits AS summary
FROM   slow_rank_groups
WHERE  why = 'data'
