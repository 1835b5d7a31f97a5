/*
title    = "One rank computes longer than the others"
kind     = "perf.straggler"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "net.congestion", "sched.cancelled"]
needs    = ["step_parts"]
explanation = """
The parts of the step times tell: this rank spends more time in its own work and hardly waits, everybody else does the reverse. The rank that logs a
long `sync` is a victim. Why it is slow the step times do not say: clock, power, a slow PCIe link, CPU, or more work given to it.
"""
advice = """
Look at this rank's GPU under load beside its neighbours: `nvidia-smi --query-gpu=index,clocks.sm,temperature.gpu,power.draw,clocks_event_reasons.active,pcie.link.gen.current,pcie.link.width.current --format=csv -l 5`.
If its GPU looks like the others, compare CPU load, NUMA binding and the amount of work (sequence lengths, experts, pipeline stage) of this rank.
Move the rank to another GPU: if the slowness stays with the GPU, drain the host.
"""
false_positives = "Pipeline stages and expert ranks may have more work by design: then it is so from the first step."
references = ["hand-written step timers; Megatron-LM timers"]
[[test]]
# Parts in the program's own words.
fires = 1
expect = { ranks = [2] }
logs."train.log" = '''
[rank0] 2025-09-09T10:10:00.1 step 100 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:10:00.1 step 100 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:10:00.1 step 100 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:10:00.1 step 100 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank0] 2025-09-09T10:11:00.1 step 110 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:11:00.1 step 110 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:11:00.1 step 110 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:11:00.1 step 110 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank0] 2025-09-09T10:12:00.1 step 120 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:12:00.1 step 120 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:12:00.1 step 120 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:12:00.1 step 120 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank0] 2025-09-09T10:13:00.1 step 130 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:13:00.1 step 130 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:13:00.1 step 130 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:13:00.1 step 130 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank0] 2025-09-09T10:14:00.1 step 140 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:14:00.1 step 140 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:14:00.1 step 140 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:14:00.1 step 140 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank0] 2025-09-09T10:15:00.1 step 150 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:15:00.1 step 150 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:15:00.1 step 150 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:15:00.1 step 150 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank0] 2025-09-09T10:16:00.1 step 160 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:16:00.1 step 160 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:16:00.1 step 160 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:16:00.1 step 160 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank0] 2025-09-09T10:17:00.1 step 170 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:17:00.1 step 170 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:17:00.1 step 170 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:17:00.1 step 170 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank0] 2025-09-09T10:18:00.1 step 180 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:18:00.1 step 180 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:18:00.1 step 180 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:18:00.1 step 180 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank0] 2025-09-09T10:19:00.1 step 190 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank1] 2025-09-09T10:19:00.1 step 190 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
[rank2] 2025-09-09T10:19:00.1 step 190 | fwd_bwd 661.2ms | allreduce 51.0ms | data 12.9ms
[rank3] 2025-09-09T10:19:00.1 step 190 | fwd_bwd 310.2ms | allreduce 402.0ms | data 12.9ms
'''
[[test]]
fires = 1
expect = { ranks = [2], confidence = "likely" }
logs."train.log" = '''
rank=0 step=10 data_ms=40.1 compute_ms=300.0 sync_ms=60.2
rank=1 step=10 data_ms=40.1 compute_ms=302.1 sync_ms=58.2
rank=2 step=10 data_ms=40.1 compute_ms=352.2 sync_ms=5.2
rank=3 step=10 data_ms=41.1 compute_ms=300.3 sync_ms=60.2
rank=0 step=20 data_ms=40.2 compute_ms=300.0 sync_ms=60.4
rank=1 step=20 data_ms=40.2 compute_ms=302.1 sync_ms=58.4
rank=2 step=20 data_ms=40.2 compute_ms=352.2 sync_ms=5.4
rank=3 step=20 data_ms=41.2 compute_ms=300.3 sync_ms=60.4
rank=0 step=30 data_ms=40.3 compute_ms=300.0 sync_ms=60.6
rank=1 step=30 data_ms=40.3 compute_ms=302.1 sync_ms=58.6
rank=2 step=30 data_ms=40.3 compute_ms=352.2 sync_ms=5.6
rank=3 step=30 data_ms=41.3 compute_ms=300.3 sync_ms=60.6
rank=0 step=40 data_ms=40.4 compute_ms=300.0 sync_ms=60.8
rank=1 step=40 data_ms=40.4 compute_ms=302.1 sync_ms=58.8
rank=2 step=40 data_ms=40.4 compute_ms=352.2 sync_ms=5.8
rank=3 step=40 data_ms=41.4 compute_ms=300.3 sync_ms=60.8
rank=0 step=50 data_ms=40.5 compute_ms=300.0 sync_ms=61.0
rank=1 step=50 data_ms=40.5 compute_ms=302.1 sync_ms=59.0
rank=2 step=50 data_ms=40.5 compute_ms=352.2 sync_ms=6.0
rank=3 step=50 data_ms=41.5 compute_ms=300.3 sync_ms=61.0
rank=0 step=60 data_ms=40.6 compute_ms=300.0 sync_ms=61.2
rank=1 step=60 data_ms=40.6 compute_ms=302.1 sync_ms=59.2
rank=2 step=60 data_ms=40.6 compute_ms=352.2 sync_ms=6.2
rank=3 step=60 data_ms=41.6 compute_ms=300.3 sync_ms=61.2
'''
[[test]]
fires = 1
expect = { ranks = [1] }
logs."train.log" = '''
rank=0 step=10 data_ms=40.1 compute_ms=300.0 sync_ms=160.2
rank=1 step=10 data_ms=40.1 compute_ms=442.1 sync_ms=8.2
rank=2 step=10 data_ms=40.1 compute_ms=300.2 sync_ms=160.2
rank=0 step=20 data_ms=40.2 compute_ms=300.0 sync_ms=160.4
rank=1 step=20 data_ms=40.2 compute_ms=442.1 sync_ms=8.4
rank=2 step=20 data_ms=40.2 compute_ms=300.2 sync_ms=160.4
rank=0 step=30 data_ms=40.3 compute_ms=300.0 sync_ms=160.6
rank=1 step=30 data_ms=40.3 compute_ms=442.1 sync_ms=8.6
rank=2 step=30 data_ms=40.3 compute_ms=300.2 sync_ms=160.6
rank=0 step=40 data_ms=40.4 compute_ms=300.0 sync_ms=160.8
rank=1 step=40 data_ms=40.4 compute_ms=442.1 sync_ms=8.8
rank=2 step=40 data_ms=40.4 compute_ms=300.2 sync_ms=160.8
rank=0 step=50 data_ms=40.5 compute_ms=300.0 sync_ms=161.0
rank=1 step=50 data_ms=40.5 compute_ms=442.1 sync_ms=9.0
rank=2 step=50 data_ms=40.5 compute_ms=300.2 sync_ms=161.0
rank=0 step=60 data_ms=40.6 compute_ms=300.0 sync_ms=161.2
rank=1 step=60 data_ms=40.6 compute_ms=442.1 sync_ms=9.2
rank=2 step=60 data_ms=40.6 compute_ms=300.2 sync_ms=161.2
'''
[[test]]
# A spread below the noise.
fires = 0
logs."train.log" = '''
rank=0 step=10 data_ms=40.1 compute_ms=300.0 sync_ms=60.2
rank=1 step=10 data_ms=40.1 compute_ms=303.1 sync_ms=58.2
rank=2 step=10 data_ms=40.1 compute_ms=306.2 sync_ms=56.2
rank=3 step=10 data_ms=41.1 compute_ms=300.3 sync_ms=60.2
rank=0 step=20 data_ms=40.2 compute_ms=300.0 sync_ms=60.4
rank=1 step=20 data_ms=40.2 compute_ms=303.1 sync_ms=58.4
rank=2 step=20 data_ms=40.2 compute_ms=306.2 sync_ms=56.4
rank=3 step=20 data_ms=41.2 compute_ms=300.3 sync_ms=60.4
rank=0 step=30 data_ms=40.3 compute_ms=300.0 sync_ms=60.6
rank=1 step=30 data_ms=40.3 compute_ms=303.1 sync_ms=58.6
rank=2 step=30 data_ms=40.3 compute_ms=306.2 sync_ms=56.6
rank=3 step=30 data_ms=41.3 compute_ms=300.3 sync_ms=60.6
rank=0 step=40 data_ms=40.4 compute_ms=300.0 sync_ms=60.8
rank=1 step=40 data_ms=40.4 compute_ms=303.1 sync_ms=58.8
rank=2 step=40 data_ms=40.4 compute_ms=306.2 sync_ms=56.8
rank=3 step=40 data_ms=41.4 compute_ms=300.3 sync_ms=60.8
rank=0 step=50 data_ms=40.5 compute_ms=300.0 sync_ms=61.0
rank=1 step=50 data_ms=40.5 compute_ms=303.1 sync_ms=59.0
rank=2 step=50 data_ms=40.5 compute_ms=306.2 sync_ms=57.0
rank=3 step=50 data_ms=41.5 compute_ms=300.3 sync_ms=61.0
rank=0 step=60 data_ms=40.6 compute_ms=300.0 sync_ms=61.2
rank=1 step=60 data_ms=40.6 compute_ms=303.1 sync_ms=59.2
rank=2 step=60 data_ms=40.6 compute_ms=306.2 sync_ms=57.2
rank=3 step=60 data_ms=41.6 compute_ms=300.3 sync_ms=61.2
'''
[[test]]
# It loads long: the input is to blame, another finding.
fires = 0
logs."train.log" = '''
2026-11-30 11:54:10,155 | INFO | rank 0/4 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:10,155 | INFO | rank 1/4 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:10,155 | INFO | rank 2/4 | step 10/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:10,155 | INFO | rank 3/4 | step 10/600 loss 0.00236 step_time_ms 235.0 data_ms 40.0 sync_ms 165.0
2026-11-30 11:54:17,155 | INFO | rank 0/4 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:17,155 | INFO | rank 1/4 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:17,155 | INFO | rank 2/4 | step 20/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:17,155 | INFO | rank 3/4 | step 20/600 loss 0.00236 step_time_ms 235.0 data_ms 40.0 sync_ms 165.0
2026-11-30 11:54:24,155 | INFO | rank 0/4 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:24,155 | INFO | rank 1/4 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:24,155 | INFO | rank 2/4 | step 30/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:24,155 | INFO | rank 3/4 | step 30/600 loss 0.00236 step_time_ms 235.0 data_ms 40.0 sync_ms 165.0
2026-11-30 11:54:31,155 | INFO | rank 0/4 | step 40/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:31,155 | INFO | rank 1/4 | step 40/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:31,155 | INFO | rank 2/4 | step 40/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:31,155 | INFO | rank 3/4 | step 40/600 loss 0.00236 step_time_ms 235.0 data_ms 40.0 sync_ms 165.0
2026-11-30 11:54:38,155 | INFO | rank 0/4 | step 50/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:38,155 | INFO | rank 1/4 | step 50/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:38,155 | INFO | rank 2/4 | step 50/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:38,155 | INFO | rank 3/4 | step 50/600 loss 0.00236 step_time_ms 235.0 data_ms 40.0 sync_ms 165.0
2026-11-30 11:54:45,155 | INFO | rank 0/4 | step 60/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:45,155 | INFO | rank 1/4 | step 60/600 loss 0.00236 step_time_ms 236.0 data_ms 40.0 sync_ms 166.0
2026-11-30 11:54:45,155 | INFO | rank 2/4 | step 60/600 loss 0.00236 step_time_ms 236.0 data_ms 200.0 sync_ms 6.0
2026-11-30 11:54:45,155 | INFO | rank 3/4 | step 60/600 loss 0.00236 step_time_ms 235.0 data_ms 40.0 sync_ms 165.0
'''
*/
SELECT attempt, ranks, [host] AS hosts, began, ended, evidence,
       said || printf(': its own work takes %.0f ms where the others take %.0f', own_ms, others_own_ms) || waits AS summary
FROM   slow_rank_groups
WHERE  why = 'compute'
