"""Makes whole job directories with a known fault, to judge the product on cases nobody has written by hand.

The texts come from what the software is documented to print, never from the parsers: the two share no code and no
template, so a mistake in one shows against the other. Same fault, options and seed: same bytes.

    python -m tests.generator --list
    python -m tests.generator hw.gpu_lost --ranks 64 --hosts 8 --seed 3 --skew 40 -o /tmp/case

One job runs like this: the launcher starts it (`launcher`), ranks set up communicators (`nccl`) and train (`steps`), hosts
go about their business (`system`), pollers measure (`telemetry`, `counters`), the scheduler keeps books (`scheduler`). A
fault (`faults_*`) breaks it at a moment and `victims` lets everybody else notice. `noise` then damages the evidence.
"""
