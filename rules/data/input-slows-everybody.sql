/*
title    = "The input became slow for the whole job"
kind     = "data.stall"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "sched.cancelled"]
needs    = ["step_parts"]
explanation = """
From some step on most ranks, or another rank each time, wait for data much longer than before, and the steps take longer by about that. What they share is slow: the file
server, the object store, a limit of bandwidth or requests. No rank and no host is to blame.
"""
advice = """
Look at the shared source at that time: throughput and latency of the file server or object store, throttling answers (429, 503), other jobs that read there.
Run once with synthetic data to confirm; more loader workers and prefetch, or a local cache, carry over short dips.
"""
false_positives = "Input that is slow from the first step is how the job is built and has no earlier pace to compare with."
references = ["hand-written step timers; torch.utils.data.DataLoader"]
[[test]]
fires = 1
expect = { ranks = [], hosts = [], confidence = "likely" }
logs."train.log" = '''
rank=0 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=80 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=80 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=80 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=80 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=90 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=90 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=90 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=90 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=100 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=100 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=100 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=100 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=110 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=110 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=110 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=110 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=120 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=120 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=120 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=120 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=130 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=130 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=130 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=130 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=140 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=140 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=140 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=140 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=150 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=150 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=150 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=150 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=160 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=160 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=160 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=160 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=170 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=170 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=170 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=170 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=180 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=180 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=180 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=180 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=190 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=190 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=190 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=190 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
rank=0 step=200 data_ms=320.0 compute_ms=400.0 sync_ms=45.0
rank=1 step=200 data_ms=321.0 compute_ms=400.0 sync_ms=45.0
rank=2 step=200 data_ms=322.0 compute_ms=400.0 sync_ms=45.0
rank=3 step=200 data_ms=323.0 compute_ms=400.0 sync_ms=45.0
'''
[[test]]
# Another rank each time.
fires = 1
expect = { ranks = [] }
logs."train.log" = '''
rank=0 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=80 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=1 step=80 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=80 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=80 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=90 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=90 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=2 step=90 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=90 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=100 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=100 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=100 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=100 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=110 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=110 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=110 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=110 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=0 step=120 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=1 step=120 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=120 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=120 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=130 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=130 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=2 step=130 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=130 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=140 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=140 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=140 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=140 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=150 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=150 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=150 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=150 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=0 step=160 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=1 step=160 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=160 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=160 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=170 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=170 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=2 step=170 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=170 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=180 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=180 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=180 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=180 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=190 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=190 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=190 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=190 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=0 step=200 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=1 step=200 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=200 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=3 step=200 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
'''
[[test]]
# Slow from the beginning, evenly.
fires = 0
logs."train.log" = '''
rank=0 step=10 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=10 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=10 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=10 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=20 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=20 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=20 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=20 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=30 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=30 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=30 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=30 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=40 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=40 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=40 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=40 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=50 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=50 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=50 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=50 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=60 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=60 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=60 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=60 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=70 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=70 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=70 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=70 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=80 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=80 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=80 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=80 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=90 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=90 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=90 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=90 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=100 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=100 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=100 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=100 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=110 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=110 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=110 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=110 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=120 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=120 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=120 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=120 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=130 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=130 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=130 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=130 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=140 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=140 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=140 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=140 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=150 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=150 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=150 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=150 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=160 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=160 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=160 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=160 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=170 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=170 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=170 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=170 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=180 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=180 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=180 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=180 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=190 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=190 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=190 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=190 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=200 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=200 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=200 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=200 data_ms=300.0 compute_ms=400.0 sync_ms=40.0
'''
[[test]]
# One rank: another finding.
fires = 0
logs."train.log" = '''
rank=0 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=80 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=80 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=80 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=80 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=90 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=90 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=90 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=90 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=100 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=100 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=100 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=100 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=110 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=110 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=110 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=110 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=120 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=120 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=120 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=120 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=130 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=130 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=130 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=130 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=140 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=140 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=140 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=140 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=150 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=150 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=150 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=150 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=160 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=160 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=160 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=160 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=170 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=170 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=170 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=170 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=180 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=180 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=180 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=180 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=190 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=190 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=190 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=190 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=0 step=200 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=1 step=200 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
rank=2 step=200 data_ms=500.0 compute_ms=400.0 sync_ms=10.0
rank=3 step=200 data_ms=25.0 compute_ms=400.0 sync_ms=470.0
'''
[[test]]
# Once, as at an epoch.
fires = 0
logs."train.log" = '''
rank=0 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=10 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=20 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=30 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=40 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=50 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=60 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=70 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=80 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=80 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=80 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=80 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=90 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=90 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=90 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=90 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=100 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=100 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=100 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=100 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=110 data_ms=320.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=110 data_ms=320.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=110 data_ms=320.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=110 data_ms=320.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=120 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=120 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=120 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=120 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=130 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=130 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=130 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=130 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=140 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=140 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=140 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=140 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=150 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=150 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=150 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=150 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=160 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=160 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=160 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=160 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=170 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=170 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=170 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=170 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=180 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=180 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=180 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=180 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=190 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=190 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=190 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=190 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=0 step=200 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=1 step=200 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=2 step=200 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
rank=3 step=200 data_ms=20.0 compute_ms=400.0 sync_ms=40.0
'''
*/
-- The test: the longest wait for data of a step, compared with the median of the first quarter of the logged steps (the first one is warm-up): three times as
-- long and by 10 % of the step longer in at least five steps and in most of the later ones, and no rank is the slowest in more than 60 % of them.
WITH part AS (
  SELECT attempt, rank, iteration, avg(data_ms) AS data_ms, avg(coalesce(step_ms, data_ms + coalesce(compute_ms, 0) + coalesce(sync_ms, 0))) AS step_ms,
         min(ts) AS ts, min(file_id) AS file_id, min(line) AS line, min(part) AS part
  FROM train_step_parts
  WHERE rank IS NOT NULL AND data_ms IS NOT NULL
  GROUP BY ALL),
step AS (
  SELECT attempt, iteration, count(*) AS ranks, max(data_ms) AS data_ms, max(step_ms) AS step_ms, min(ts) AS ts,
         row_number() OVER (PARTITION BY attempt ORDER BY iteration) AS nth, count(*) OVER (PARTITION BY attempt) AS n
  FROM part
  GROUP BY attempt, iteration
  HAVING count(*) >= 2),
usual AS (
  SELECT attempt, median(data_ms) AS data_ms, median(step_ms) AS step_ms FROM step WHERE nth > 1 AND nth <= greatest(4, n // 4) GROUP BY attempt),
slow AS (
  SELECT s.*, u.data_ms AS usual_data_ms, u.step_ms AS usual_step_ms,
         s.data_ms > 3 * u.data_ms AND s.data_ms - u.data_ms > 0.1 * u.step_ms AND s.step_ms > 1.1 * u.step_ms AS is_slow
  FROM step s
  JOIN usual u ON u.attempt IS NOT DISTINCT FROM s.attempt
  WHERE s.n >= 12),
since AS (
  SELECT attempt, min(iteration) AS iteration FROM slow WHERE is_slow GROUP BY attempt),
worst AS (      -- who waited longest in each slow step
  SELECT p.attempt, p.iteration, p.rank, p.file_id, p.line, p.part, row_number() OVER (PARTITION BY p.attempt, p.iteration ORDER BY p.data_ms DESC, p.rank) AS nth,
         p.data_ms > 2 * s.usual_data_ms AS is_long
  FROM part p
  JOIN slow s ON s.attempt IS NOT DISTINCT FROM p.attempt AND s.iteration = p.iteration AND s.is_slow),
blame AS (
  SELECT attempt, max(times) / sum(times) AS largest_share
  FROM (SELECT attempt, rank, count(*) AS times FROM worst WHERE is_long GROUP BY ALL)
  GROUP BY attempt),
lines AS (
  SELECT attempt, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY iteration) AS evidence FROM worst WHERE nth = 1 GROUP BY attempt)
SELECT s.attempt, l.evidence, min(s.ts) FILTER (WHERE s.is_slow) AS began, max(s.ts) FILTER (WHERE s.is_slow) AS ended,
       printf('The input became slow for the whole job at step %d: %.0f ms instead of %.0f, in %d logged steps', min(s.iteration) FILTER (WHERE s.is_slow),
              median(s.data_ms) FILTER (WHERE s.is_slow), min(s.usual_data_ms), count(*) FILTER (WHERE s.is_slow)) AS summary
FROM slow s
JOIN since f ON f.attempt IS NOT DISTINCT FROM s.attempt AND s.iteration >= f.iteration
JOIN blame b ON b.attempt IS NOT DISTINCT FROM s.attempt
JOIN lines l ON l.attempt IS NOT DISTINCT FROM s.attempt
GROUP BY s.attempt, l.evidence, b.largest_share
HAVING count(*) FILTER (WHERE s.is_slow) >= 5 AND count(*) FILTER (WHERE s.is_slow) >= 0.6 * count(*) AND b.largest_share <= 0.6
