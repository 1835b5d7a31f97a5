"""The program, its data, its settings or one slow place holds the job up; and jobs in which nothing is wrong."""

from tests.generator import launcher, nccl, output, recorder, steps, system, torch_log, victims
from tests.generator.faults_network import SLOW_SILENT
from tests.generator.job import Job, Rank, version
from tests.generator.label import Label
from tests.generator.story import Outcome, begin, fault, hang_states, own_error, train

FAULTS_SEEN = ["crash.python", "crash.signal", "hw.xid", "net.ib_error", "net.link_flap"]


@fault("hang.watchdog_timeout")
def nobody_finishes(job: Job) -> Outcome:
    at, step = train(job)
    end = victims.time_out(job, at, step + 1, [])
    hang_states(job, at, end, [])
    recorder.dump(job, at, step, {})
    return Outcome(
        Label(["hang.watchdog_timeout"], "Every rank entered the collective and none finished it.", status=["symptoms_only", "suspect"]),
        end,
    )


@fault("desync.rank_behind")
def rank_silent(job: Job) -> Outcome:
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    end = victims.time_out(job, at, step + 1, [rank], stuck=[rank] if job.id % 2 else [])
    hang_states(job, at, end, [rank])
    recorder.dump(job, at, step, {rank.rank: -2})
    return Outcome(
        Label(
            ["desync.rank_behind", "data.stall", "hang.watchdog_timeout"],
            f"Rank {rank.rank} never entered the collective; nothing says why.",
            status=["suspect", "cause_found"],
            level="rank",
        ).rank(rank),
        end,
    )


@fault("desync.collective_mismatch")
def mismatch(job: Job) -> Outcome:
    at, step = train(job)
    rank, work = job.rng.choice(job.ranks), victims.work_of(job, step + 1)
    other = torch_log.Work(work.seq, *job.rng.choice([("BROADCAST", 4, 4), (work.op, work.numel * 3 + 1, work.numel_out * 3 + job.world)]))
    if version(job.torch) < (2, 1):
        other = torch_log.Work(work.seq, "BROADCAST", 4)
    span, exits = victims.limit(job), {}
    for one in job.ranks:
        t = at + span + job.rng.uniform(0.1, 0.9)
        torch_log.timed_out(job, one, t, other if one is rank else work, span, at + 0.02)
        exits[one.rank] = (t + 1, -6)
    end = launcher.fail(job, exits)
    hang_states(job, at, end, [])
    return Outcome(
        Label(["desync.collective_mismatch"], f"Rank {rank.rank} called {other.op} where the others called {work.op}.", level="rank").rank(
            rank
        ),
        end,
    )


@fault("desync.uneven_input")
def uneven(job: Job) -> Outcome:
    at, step = train(job)
    early = sorted(job.rng.sample(job.ranks, max(1, job.world // 4)), key=lambda r: r.rank)
    for rank in early:
        output.say(job, rank, at, f"[rank {rank.rank}] epoch 0 finished after {step} steps, entering barrier")
    work, end_work, span, exits = (
        victims.work_of(job, step + 1),
        torch_log.Work(victims.work_of(job, step + 1).seq, "ALLREDUCE", 1),
        victims.limit(job),
        {},
    )
    if job.framework == "megatron":
        work = torch_log.Work(work.seq, "_REDUCE_SCATTER_BASE", 262144000, 262144000 // job.world)
    for one in job.ranks:
        t = at + span + job.rng.uniform(0.1, 0.9)
        torch_log.timed_out(job, one, t, end_work if one in early else work, span, at + 0.02)
        exits[one.rank] = (t + 1, -6)
    end = launcher.fail(job, exits)
    return Outcome(
        Label(["desync.uneven_input", "desync.collective_mismatch"], "Some ranks ran out of data and wait in a barrier.").rank(*early), end
    )


@fault("hang.init")
def init_missing(job: Job) -> Outcome:
    job.options.restart = False
    job.nccl_to = job.nccl_to if job.nccl_to != "none" else "stdout"
    rank = job.rng.choice(job.ranks[1:])
    job.quirks["absent"] = {rank.rank: True}
    after = version(job.nccl) < (2, 23)
    for host in job.hosts:
        job.quirks[host.name]["stop"] = "bootstrap" if after else "init"
    begin(job)
    end = max(launcher.terminated(job, h, job.start + 2400) for h in job.hosts)
    return Outcome(
        Label(
            ["hang.init", "desync.rank_behind", "launcher.rendezvous"],
            f"Rank {rank.rank} never entered the set-up of NCCL; everybody waits.",
            level="rank",
        ).rank(rank),
        end,
        "CANCELLED by 10432",
        "0:15",
    )


@fault("hang.heartbeat")
def heartbeat(job: Job) -> Outcome:
    job.torch, job.nccl = ("2.6", "2.21.5") if version(job.torch) < (2, 3) else (job.torch, job.nccl)
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    text = (
        "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives. This typically indicates a NCCL/CUDA "
        "API (e.g., CudaEventDestroy) hang blocking the watchdog, and could be triggered by another thread holding the GIL inside a CUDA api (for example, "
        "CudaEventDestroy), or other deadlock-prone behaviors."
    )
    torch_log.native(job, rank, at + 480, "E", "ProcessGroupNCCL.cpp:1423", text)
    torch_log.native(
        job, rank, at + 481, "E", "ProcessGroupNCCL.cpp:1216", "Could not acquire GIL within 300 ms on exit, possible GIL induced hang"
    )
    torch_log.native(
        job,
        rank,
        at + 490,
        "F",
        "ProcessGroupNCCL.cpp:1557",
        f"[PG ID 0 PG GUID 0(default_pg) Rank {rank.rank}] Terminating the process after attempting to dump "
        "debug info, due to ProcessGroupNCCL watchdog hang.",
    )
    end = victims.lose_peer(job, at + 491, rank, {rank.rank: (at + 490.5, -6)})
    hang_states(job, at, end, [rank])
    return Outcome(
        Label(["hang.heartbeat"], f"The host side of rank {rank.rank} was stuck.", status=["suspect", "cause_found"], level="rank").rank(
            rank
        ),
        end,
    )


@fault("data.stall")
def object_store(job: Job) -> Outcome:
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    for n in range(9):
        when = job.clock(rank.host, at - 20 + n * 60)
        output.say(
            job,
            rank,
            at - 20 + n * 60,
            f"{when:%Y-%m-%d %H:%M:%S} WARNING dataloader: GET s3://corpus/shard-{job.id % 9000:05d}.tar failed: 503 Slow Down, retry "
            f"{n + 1}/20 in 60 s",
        )
    end = victims.time_out(job, at, step + 1, [rank], stuck=[rank])
    hang_states(job, at, end, [rank])
    return Outcome(
        Label(["data.stall", "storage.stall", "desync.rank_behind"], f"Rank {rank.rank} waits for its object store.", level="rank").rank(
            rank
        ),
        end,
    )


@fault("storage.stall")
def nfs(job: Job) -> Outcome:
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    host = rank.host
    system.kernel(job, host, at - 15, "nfs: server 10.9.0.7 not responding, still trying")
    system.kernel(job, host, at + 110, "nfs: server 10.9.0.7 not responding, still trying")
    pid = rank.pid if not job.kubernetes else rank.pid + 400_000
    system.kernel(job, host, at + 130, f"INFO: task python3:{pid} blocked for more than 122 seconds.")
    system.kernel(job, host, at + 130.1, f"task:python3 state:D stack:    0 pid:{pid} ppid:     1 flags:0x00000002")
    system.kernel(job, host, at + 130.2, "Call Trace:")
    for frame in (
        "__schedule+0x2cd/0x890",
        "rpc_wait_bit_killable+0x1e/0xb0 [sunrpc]",
        "nfs4_proc_getattr+0x7a/0x110 [nfsv4]",
        "vfs_statx+0x9e/0x120",
    ):
        system.kernel(job, host, at + 130.3, f" {frame}")
    end = victims.time_out(job, at, step + 1, [rank], stuck=[rank])
    hang_states(job, at, end, [rank])
    return Outcome(
        Label(
            ["storage.stall", "data.stall", "host.hung_task", "desync.rank_behind"],
            f"Rank {rank.rank} is blocked on the file server.",
            level="host",
        ).rank(rank),
        end,
    )


@fault("storage.stall.save")
def slow_save(job: Job) -> Outcome:
    job.framework = "megatron"
    at, step = train(job)
    rank = job.ranks[0]
    output.say(job, job.ranks[-1], at, f"saving checkpoint at iteration {step:7d} to /lustre/ckpt in torch format")
    for n in range(8):
        system.kernel(
            job,
            rank.host,
            at + 30 + n * 60,
            "Lustre: scratch-OST0003-osc-ffff8f21c2b2b000: Connection to scratch-OST0003 (at 10.9.0.21@o2ib) was lost; in progress "
            "operations using this service will wait for recovery to complete",
        )
    end = victims.time_out(job, at + 2, step + 1, [rank], stuck=[rank])
    hang_states(job, at, end, [rank])
    return Outcome(
        Label(
            ["storage.stall", "desync.rank_behind", "host.hung_task"],
            "The checkpoint's file server went away while rank 0 wrote.",
            level="host",
        ).rank(rank),
        end,
    )


def slow_place(job: Job, rank: Rank, states: dict[str, object], factor: float, kinds: list[str], why: str) -> Outcome:
    at, step = train(job)
    job.pace.append((at, job.step_s * factor))
    end = at + 90 * job.step_s * factor
    job.gpu_states.append((rank.host.index, rank.local, at, end, states))
    steps.run(job, at, end, step + 1)
    done = max(launcher.terminated(job, h, end) for h in job.hosts)
    return Outcome(Label(kinds, why, level="gpu", silent=SLOW_SILENT).gpu(job, rank.host, rank.gpu), done, "CANCELLED by 10432", "0:15")


@fault("perf.straggler_thermal")
def thermal(job: Job) -> Outcome:
    rank = job.rng.choice(job.ranks)
    state = {"temp": 88, "sm": job.rng.choice([840, 915, 1005]), "power": 390.0, "reasons": 0x60}
    return slow_place(job, rank, state, 1.5, ["perf.straggler_thermal"], f"GPU {rank.local} of {rank.host.name} throttles for heat.")


@fault("perf.straggler_power")
def power(job: Job) -> Outcome:
    rank = job.rng.choice(job.ranks)
    state = {"sm": job.rng.choice([510, 660]), "power": 240.0, "reasons": 0x88}
    return slow_place(job, rank, state, 2.1, ["perf.straggler_power"], f"GPU {rank.local} of {rank.host.name} brakes for power.")


@fault("perf.pcie_degraded")
def narrow(job: Job) -> Outcome:
    rank = job.rng.choice(job.ranks)
    job.gpu_states.append((rank.host.index, rank.local, 0, 9e12, {"width": 4}))
    system.kernel(
        job,
        rank.host,
        rank.host.boot + 12,
        f"pci 0000:{rank.gpu.bus}:00.0: 126.016 Gb/s available PCIe bandwidth, limited by 32.0 GT/s PCIe x4 link at "
        f"0000:{int(rank.gpu.bus, 16) - 1:02x}:00.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)",
    )
    job.step_s *= 1.4
    at, _ = train(job)
    done = max(launcher.terminated(job, h, at) for h in job.hosts)
    return Outcome(
        Label(["perf.pcie_degraded"], f"GPU {rank.local} of {rank.host.name} has a x4 link.", level="gpu", silent=SLOW_SILENT).gpu(
            job, rank.host, rank.gpu
        ),
        done,
        "CANCELLED by 10432",
        "0:15",
    )


@fault("config.version_mismatch")
def versions(job: Job) -> Outcome:
    job.options.restart = False
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    if version(job.nccl) < (2, 22):
        job.torch, job.nccl = "2.7", "2.26.2"
    host = job.rng.choice(job.hosts[1:])
    for other in job.hosts:
        job.quirks[other.name]["stop"] = "init"
    job.quirks[host.name]["version"] = "2.26.5"
    ready = begin(job)
    exits = {}
    for rank in job.ranks:
        t = ready + job.rng.uniform(0, 0.5)
        first = job.on(host)[0].rank
        nccl.warn(
            job,
            rank,
            t,
            "init.cc:1012",
            f"Mismatched NCCL version detected : rank 0 version {_number(job.nccl)} rank {first} version {_number('2.26.5')}",
        )
        own_error(
            job,
            rank,
            t + 0.2,
            "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, invalid usage (run with "
            f"NCCL_DEBUG=WARN for details), NCCL version {job.nccl}\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\n"
            f"Mismatched NCCL version detected : rank 0 version {_number(job.nccl)} rank {first} version {_number('2.26.5')}",
            "init",
        )
        exits[rank.rank] = (t + 0.8, 1)
    end = launcher.fail(job, exits)
    label = Label(["config.version_mismatch"], f"{host.name} has another NCCL.").host(job, host)
    return Outcome(label.host(job, *job.hosts) if len(job.hosts) == 2 else label, end)


def _number(text: str) -> int:
    major, minor, patch = version(text)
    return major * 10000 + minor * 100 + patch


@fault("config.duplicate_gpu")
def duplicate(job: Job) -> Outcome:
    job.options.restart = False
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    host = job.rng.choice(job.hosts)
    first, second = job.on(host)[0], job.on(host)[1]
    for other in job.hosts:
        job.quirks[other.name]["stop"] = "init"
    ready = begin(job)
    text = f"Duplicate GPU detected : rank {first.rank} and rank {second.rank} both on CUDA device {first.gpu.bus}000"
    exits = {}
    for rank in (first, second):
        nccl.warn(job, rank, ready, "init.cc:777", text)
        own_error(
            job,
            rank,
            ready + 0.2,
            "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, invalid usage (run with "
            f"NCCL_DEBUG=WARN for details), NCCL version {job.nccl}\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\n{text}",
            "init",
        )
        exits[rank.rank] = (ready + 0.8, 1)
    end = launcher.fail(job, exits)
    return Outcome(
        Label(["config.duplicate_gpu"], f"Ranks {first.rank} and {second.rank} use one GPU.", level="rank")
        .rank(first, second)
        .gpu(job, host, first.gpu),
        end,
    )


@fault("config.env")
def settings(job: Job) -> Outcome:
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    host = job.rng.choice(job.hosts[1:])
    job.quirks["env"] = {"NCCL_ALGO": "Ring"}
    job.quirks[host.name]["env"] = {"NCCL_ALGO": "Tree"}
    at, step = train(job, 4)
    end = victims.time_out(job, at, step + 1, [])
    hang_states(job, at, end, [])
    label = Label(
        ["config.env", "hang.watchdog_timeout"], f"NCCL_ALGO differs on {host.name}.", status=["cause_found", "suspect", "symptoms_only"]
    ).host(job, host)
    return Outcome(label.host(job, *job.hosts) if len(job.hosts) == 2 else label, end)


@fault("healthy")
def healthy(job: Job) -> Outcome:
    at, step = train(job)
    steps.finish(job, at + 2, step)
    if version(job.torch) >= (2, 6):
        torch_log.native(
            job,
            job.ranks[0],
            at + 4,
            "W",
            "ProcessGroupNCCL.cpp:1496",
            "WARNING: destroy_process_group() was not called before program exit, which can leak "
            "resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown",
            tag=False,
        )
    return Outcome(Label([], "Nothing is wrong.", status=["healthy"], silent=["*"]), at + 8, "COMPLETED", "0:0", ok=True)


@fault("healthy.running")
def running(job: Job) -> Outcome:
    at, _ = train(job)
    return Outcome(
        Label([], "The job runs; the logs end in mid-run.", status=["healthy", "insufficient"], silent=["*"]),
        at + 1,
        "RUNNING",
        "0:0",
        ok=True,
    )
