"""Slow without a failure, failures of which nothing but the end is known, and evidence too thin for anything."""

from tests.generator import launcher
from tests.generator.faults_network import SLOW_SILENT
from tests.generator.faults_program import slow_place
from tests.generator.job import Job
from tests.generator.label import FOUND, Label
from tests.generator.story import Outcome, begin, fault, train


@fault("perf.straggler")
def low_clock(job: Job) -> Outcome:
    rank = job.rng.choice(job.ranks)
    state = {"sm": 1125, "power": 420.0, "reasons": 0}
    return slow_place(
        job, rank, state, 1.6, ["perf.straggler"], f"GPU {rank.local} of {rank.host.name} runs at 1125 MHz, nothing says why."
    )


@fault("perf.low_channels")
def few_channels(job: Job) -> Outcome:
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    job.quirks["env"] = {"NCCL_MAX_NCHANNELS": "2"}
    job.quirks["channels"] = {"coll": 2}
    at, _ = train(job)
    end = max(launcher.terminated(job, h, at) for h in job.hosts)
    label = Label(["perf.low_channels"], "NCCL_MAX_NCHANNELS=2 leaves two channels.", silent=SLOW_SILENT)
    return Outcome(label.host(job, *job.hosts), end, "CANCELLED by 10432", "0:15")


@fault("launcher.child_failed")
def only_the_end(job: Job) -> Outcome:
    job.options.restart = False
    at, _ = train(job)
    exits = {rank.rank: (at + job.rng.uniform(0, 0.4), 1) for rank in job.ranks}
    end = launcher.fail(job, exits)
    label = Label(
        ["launcher.child_failed"], "All processes ended with code 1 and wrote no reason.", status=["symptoms_only", "insufficient"]
    )
    return Outcome(label, end)


@fault("perf.low_busbw")
def slow_benchmark(job: Job) -> Outcome:
    """`all_reduce_perf` on one host alone, far below what its NVLinks give."""
    host = job.hosts[0]
    lines = [
        "# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803",
        "# Collective test starting: all_reduce_perf",
        "# nThread 1 nGpus 1 minBytes 67108864 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0",
        "#",
        "# Using devices",
    ]
    for rank in job.on(host):
        lines.append(
            f"#  Rank {rank.rank:2d} Group  0 Pid {rank.pid:6d} on {host.name:>10} device {rank.local:2d} [0000:{rank.gpu.bus}:00] NVIDIA H100 80GB HBM3"
        )
    lines += [
        "#",
        "#                                                              out-of-place                       in-place          ",
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong",
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       ",
    ]
    size, share = 67108864, 2 * (job.per_host - 1) / job.per_host
    while size <= 8589934592:
        busbw = 118.0 * size / (size + 40e6) * job.rng.uniform(0.99, 1.01)
        algbw = busbw / share
        cell = f"{size / algbw / 1e3:8.1f} {algbw:7.2f} {busbw:7.2f}      0"
        lines.append(f"{size:12d} {size // 4:13d}     float     sum      -1 {cell} {cell}")
        size *= 2
    lines += ["# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 101.3 ", "#", "# Collective test concluded: all_reduce_perf"]
    job.files.clear()
    job.write("all_reduce_perf.out", job.start, "\n".join(lines))
    job.quirks["only"]["all_reduce_perf.out"] = True
    label = Label(
        ["perf.low_busbw"], f"An all-reduce inside {host.name} reaches 118 GB/s of more than 400.", status=[*FOUND, "symptoms_only"]
    )
    return Outcome(label.host(job, host), job.start + 60, ok=True)


@fault("evidence.missing")
def one_rank(job: Job) -> Outcome:
    job.layout = "ranks"
    job.nccl_to = "stdout"
    begin(job)
    rank = job.rng.choice(job.ranks)
    keep = f"logs/rank_{rank.rank:03d}.log"
    for path in list(job.files):
        if path != keep:
            del job.files[path]
    job.files[keep] = sorted(job.files[keep])[:14]
    job.quirks["only"][keep] = True
    return Outcome(
        Label([], "One rank's log, which ends in start-up.", status=["insufficient"], silent=["hang.init", "desync.rank_behind"]),
        job.start + 30,
    )
