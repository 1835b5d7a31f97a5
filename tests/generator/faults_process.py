"""A process ends, or somebody ends the job."""

from tests.generator import launcher, nccl, output, scheduler, system, torch_log, victims
from tests.generator.job import Job, version
from tests.generator.label import Label
from tests.generator.story import Outcome, begin, fault, hang_states, own_error, train

VICTIMS = ["hang.watchdog_timeout", "net.ib_error"]


@fault("crash.python")
def one_rank_raises(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks[1:])
    error = job.rng.choice(
        [
            "KeyError: 'position_ids'",
            "ValueError: Expected input batch_size (8) to match target batch_size (7).",
            "FileNotFoundError: [Errno 2] No such file or directory: '/data/shards/part-00412.bin'",
            "AssertionError: loss is not finite at step 118",
        ]
    )
    own_error(job, rank, at, error)
    end = victims.lose_peer(job, at + 1, rank, {rank.rank: (at + 0.4, 1)})
    return Outcome(Label(["crash.python"], f"Rank {rank.rank} raised {error}.", level="rank", silent=VICTIMS).rank(rank), end)


@fault("crash.python.everywhere")
def all_ranks_raise(job: Job) -> Outcome:
    ready = begin(job)
    for rank in job.ranks:
        own_error(
            job,
            rank,
            ready + job.rng.uniform(0, 0.8),
            "TypeError: TransformerConfig.__init__() got an unexpected keyword argument 'rope_theta'",
            "build",
        )
    end = launcher.fail(job, {r.rank: (ready + 1.2 + job.rng.uniform(0, 0.6), 1) for r in job.ranks})
    return Outcome(
        Label(["crash.python"], "The same exception on every rank: code or configuration, no rank in particular.").host(job, *job.hosts),
        end,
    )


@fault("crash.cuda_error")
def illegal_access(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    host, bus = rank.host, rank.gpu.bus
    pid = rank.pid if not job.kubernetes else rank.pid + 400_000
    system.kernel(
        job,
        host,
        at - 0.2,
        f"NVRM: Xid (PCI:0000:{bus}:00): 31, pid={pid}, name=python3, Ch 00000008, intr 00000000. MMU Fault: "
        "ENGINE GRAPHICS GPCCLIENT_T1_4 faulted @ 0x7f10_c19a8000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    )
    system.kernel(job, host, at, f"NVRM: Xid (PCI:0000:{bus}:00): 43, pid={pid}, name=python3, channel 0x00000008")
    error = (
        "RuntimeError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported at some "
        "other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"
    )
    own_error(job, rank, at + 0.1, error, "forward")
    torch_log.ended(job, rank, at + 0.3, "CUDA error: an illegal memory access was encountered")
    end = victims.lose_peer(job, at + 1, rank, {rank.rank: (at + 0.8, -6)})
    label = Label(["crash.cuda_error", "hw.xid"], f"Rank {rank.rank} met an illegal memory access (Xid 31).", level="rank")
    return Outcome(label.rank(rank).gpu(job, host, rank.gpu), end)


@fault("crash.oom_gpu")
def gpu_memory(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    if version(job.torch) >= (2, 1):
        error = (
            f"{'torch.OutOfMemoryError' if version(job.torch) >= (2, 5) else 'torch.cuda.OutOfMemoryError'}: CUDA out of memory. Tried to allocate 3.91 GiB. "
            f"GPU {rank.local} has a total {'capacity' if version(job.torch) >= (2, 2) else 'capacty'} of 79.11 GiB of which 1.52 GiB is free. "
            "Including non-PyTorch memory, this process has 77.58 GiB memory in use. Of the allocated memory 72.40 GiB is allocated by PyTorch, "
            "and 2.11 GiB is reserved by PyTorch but unallocated."
        )
    else:
        error = (
            f"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB (GPU {rank.local}; 79.11 GiB total capacity; 72.40 GiB already "
            "allocated; 1.52 GiB free; 74.51 GiB reserved in total by PyTorch)"
        )
    own_error(job, rank, at, error)
    end = victims.lose_peer(job, at + 1, rank, {rank.rank: (at + 0.4, 1)})
    label = Label(["crash.oom_gpu"], f"Rank {rank.rank} ran out of GPU memory.", level="rank", silent=["crash.oom_host"])
    return Outcome(label.rank(rank).gpu(job, rank.host, rank.gpu), end)


@fault("crash.oom_host")
def host_memory(job: Job) -> Outcome:
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    pid = rank.pid if not job.kubernetes else rank.pid + 400_000
    host = rank.host
    group = f"/kubepods.slice/pod{job.hex(8)}" if job.kubernetes else f"/slurm/uid_1000/job_{job.id}"
    system.kernel(
        job, host, at, "pt_data_worker invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0"
    )
    system.kernel(
        job,
        host,
        at + 0.2,
        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg={group},"
        f"task_memcg={group}/step_0,task=python3,pid={pid},uid=1000",
    )
    system.kernel(
        job,
        host,
        at + 0.3,
        f"Memory cgroup out of memory: Killed process {pid} (python3) total-vm:612345678kB, anon-rss:201234567kB, "
        "file-rss:71234kB, shmem-rss:9123456kB, UID:1000 pgtables:512345kB oom_score_adj:0",
    )
    if job.rng.random() < 0.5:
        end = victims.lose_peer(job, at + 0.5, rank, {rank.rank: (at + 0.3, -9)})
    else:
        end = victims.time_out(job, at + job.step_s, step + 1, [rank], dead={rank.rank: (at + 0.3, -9)})
        hang_states(job, at, end, [rank])
    output.console(
        job, end, f"slurmstepd: error: Detected 1 oom_kill event in StepId={job.id}.0. Some of the step tasks have been OOM Killed."
    )
    scheduler.event(job, host, at + 2, "Warning", "OOMKilling", f"Memory cgroup out of memory: Killed process {pid} (python3)")
    label = Label(["crash.oom_host"], f"The kernel killed rank {rank.rank} for host memory.", level="host", silent=["crash.oom_gpu"])
    return Outcome(label.rank(rank), end, "OUT_OF_MEMORY", "0:125")


@fault("crash.signal")
def segfault(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    pid = rank.pid if not job.kubernetes else rank.pid + 400_000
    library = job.rng.choice(["libtorch_cuda.so", "libnccl.so.2.21.5", "_C.cpython-310-x86_64-linux-gnu.so"])
    system.kernel(
        job,
        rank.host,
        at,
        f"python3[{pid}]: segfault at 7f31a0000010 ip 00007f31b2c01a40 sp 00007ffd1c0 error 4 in {library}[7f31b2a00000+9f00000]",
    )
    output.say(
        job,
        rank,
        at + 0.1,
        "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f31c2ffd640 (most recent call first):\n"
        '  File "/workspace/fused.py", line 88 in forward',
        error=True,
    )
    end = victims.lose_peer(job, at + 0.6, rank, {rank.rank: (at + 0.2, -11)})
    return Outcome(Label(["crash.signal"], f"Rank {rank.rank} died of a segmentation fault in {library}.", level="rank").rank(rank), end)


@fault("config.shm")
def shared_memory(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    own_error(
        job,
        rank,
        at,
        f"RuntimeError: DataLoader worker (pid {rank.pid + 900}) is killed by signal: Bus error. It is possible that dataloader's "
        "workers are out of shared memory. Please try to raise your shared memory limit.",
        "next_batch",
    )
    end = victims.lose_peer(job, at + 1, rank, {rank.rank: (at + 0.4, 1)})
    return Outcome(
        Label(
            ["config.shm", "crash.python", "crash.signal"], "A loader worker died of a bus error: /dev/shm is too small.", level="rank"
        ).rank(rank),
        end,
    )


@fault("config.shm.nccl")
def nccl_shared_memory(job: Job) -> Outcome:
    job.options.restart = False
    if job.nccl_to == "none":
        job.nccl_to = "stdout"
    host = job.rng.choice(job.hosts)
    job.quirks[host.name]["stop"] = "init"
    ready = begin(job)
    exits = {}
    for rank in job.on(host):
        t = ready + job.rng.uniform(0, 0.6)
        path, size = f"/dev/shm/nccl-{job.hex(6)}", 9637892
        tail = ", error: No space left on device (28)" if version(job.nccl) >= (2, 22, 3) else ""
        nccl.warn(job, rank, t, "misc/shmutils.cc:72", f"Error: failed to extend {path} to {size} bytes{tail}")
        nccl.warn(job, rank, t + 0.01, "misc/shmutils.cc:113", f"Error while creating shared memory segment {path} (size {size})")
        error = (
            f"torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, unhandled system error "
            f"(run with NCCL_DEBUG=INFO for details), NCCL version {job.nccl}\nncclSystemError: System call (e.g. socket, malloc) or external library call "
            f"failed or device error. \nLast error:\nError while creating shared memory segment {path} (size {size})"
        )
        own_error(job, rank, t + 0.3, error, "init")
        exits[rank.rank] = (t + 0.8, 1)
    end = launcher.fail(job, exits)
    return Outcome(Label(["config.shm"], f"/dev/shm on {host.name} is full.", level="host").host(job, host), end)


def _stop_all(job: Job, at: float) -> float:
    return max(launcher.terminated(job, host, at + job.rng.uniform(0, 0.8)) for host in job.hosts)


STOP_SILENT = ["crash.python", "crash.signal", "net.socket_error", "hang.watchdog_timeout", "net.ib_error"]


def _stopped(kinds: list[str], why: str) -> Label:
    return Label(kinds, why, status=["ended_by_request"], silent=STOP_SILENT)


@fault("sched.preempted")
def preempted(job: Job) -> Outcome:
    at, _ = train(job)
    when = job.clock(None, at, system=True)
    output.console(
        job,
        at,
        f"slurmstepd: error: *** STEP {job.id}.0 ON {job.hosts[0].name} CANCELLED AT {when:%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***",
    )
    scheduler.controller(job, at - 0.1, f"preempted JobId={job.id} has been requeued to reclaim resources for JobId={job.id + 7}")
    for host in job.hosts:
        scheduler.event(job, host, at, "Warning", "Preempted", f"Preempted by pod {job.hex(8)} on node {host.name}")
        scheduler.event(job, host, at, "Normal", "Killing", "Stopping container pytorch")
    return Outcome(
        _stopped(["sched.preempted", "sched.cancelled"], "The scheduler preempted the job."), _stop_all(job, at), "PREEMPTED", "0:15"
    )


@fault("sched.time_limit")
def time_limit(job: Job) -> Outcome:
    job.layout = job.layout if not job.kubernetes else "console"
    at, _ = train(job)
    when = job.clock(None, at, system=True)
    output.console(
        job,
        at,
        f"slurmstepd: error: *** STEP {job.id}.0 ON {job.hosts[0].name} CANCELLED AT {when:%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***",
    )
    scheduler.controller(job, at - 0.1, f"Time limit exhausted for JobId={job.id}")
    return Outcome(_stopped(["sched.time_limit"], "The job reached its time limit."), _stop_all(job, at), "TIMEOUT", "0:15")


@fault("sched.cancelled")
def cancelled(job: Job) -> Outcome:
    at, _ = train(job)
    when = job.clock(None, at, system=True)
    output.console(
        job,
        at,
        f"slurmstepd: error: *** STEP {job.id}.0 ON {job.hosts[0].name} CANCELLED AT {when:%Y-%m-%dT%H:%M:%S} DUE to SIGNAL Terminated ***",
    )
    for host in job.hosts:
        scheduler.event(job, host, at, "Normal", "Killing", "Stopping container pytorch")
    return Outcome(
        _stopped(["sched.cancelled", "sched.preempted", "sched.time_limit"], "Somebody ended the job."),
        _stop_all(job, at),
        "CANCELLED by 10432",
        "0:15",
    )


@fault("sched.node_fail")
def node_fail(job: Job) -> Outcome:
    job.layout = "torchrun" if job.kubernetes else job.layout
    at, _ = train(job)
    host = job.rng.choice(job.hosts[1:])
    job.silent_hosts[host.index] = at
    scheduler.controller(job, at + 120, f"error: Nodes {host.name} not responding")
    scheduler.controller(job, at + 300, f"error: Nodes {host.name} not responding, setting DOWN")
    scheduler.controller(job, at + 300.2, f"requeue job JobId={job.id} due to failure of node {host.name}")
    output.console(job, at + 300, f"srun: error: Node failure on {host.name}")
    when = job.clock(None, at + 301, system=True)
    output.console(
        job,
        at + 301,
        f"slurmstepd: error: *** STEP {job.id}.0 ON {job.hosts[0].name} CANCELLED AT {when:%Y-%m-%dT%H:%M:%S} DUE TO NODE FAILURE, "
        "SEE SLURMCTLD LOG FOR DETAILS ***",
    )
    end = max(launcher.terminated(job, h, at + 301.5) for h in job.hosts if h is not host)
    return Outcome(
        Label(["sched.node_fail", "hw.host_lost"], f"{host.name} stopped responding; Slurm ended the job.", level="host").host(job, host),
        end,
        "NODE_FAIL",
        "1:0",
    )


@fault("sched.evicted")
def evicted(job: Job) -> Outcome:
    if not job.kubernetes:
        job.layout, job.zone = "pods", 0
    job.nccl_to = "stdout"
    at, _ = train(job)
    host = job.rng.choice(job.hosts)
    scheduler.event(
        job,
        host,
        at,
        "Warning",
        "Evicted",
        "The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9812Mi. "
        "Container pytorch was using 412Gi, request is 0, has larger consumption of ephemeral-storage.",
    )
    scheduler.event(job, host, at + 1, "Normal", "Killing", "Stopping container pytorch")
    launcher.terminated(job, host, at + 2)
    rank = job.on(host)[0]
    exits: dict[int, tuple[float, int]] = {}
    for other in job.ranks:
        if other.host is not host and other.local == rank.local:
            nccl.closed(job, other, at + 4, host)
            torch_log.remote_error(job, other, at + 4.4, f"socketProgress: Connection closed by remote peer {host.address}<40112>")
            exits[other.rank] = (at + 5, -6)
    end = launcher.fail(job, exits, {h.index for h in job.hosts if h is not host}) if exits else at + 5
    return Outcome(
        Label(
            ["sched.evicted"],
            f"The pod on {host.name} was evicted for disk space.",
            status=["cause_found", "suspect", "ended_by_request"],
            level=None,
        ).host(job, host),
        end,
    )


@fault("launcher.rendezvous")
def nodes_missing(job: Job) -> Outcome:
    job.options.restart = False
    host = job.rng.choice(job.hosts[1:])
    launcher.begin(job, job.start)
    end = job.start + 900
    for other in job.hosts:
        if other is host:
            continue
        place = torch_log.packages(job)
        output.agent(
            job,
            other,
            end,
            'Traceback (most recent call last):\n  File "/usr/local/bin/torchrun", line 8, in <module>\n    sys.exit(main())\n'
            f'  File "{place}/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py", line 1025, in next_rendezvous\n    self._op_executor.run(join_op, deadline)\n'
            f'  File "{place}/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py", line 640, in run\n    raise RendezvousTimeoutError()\n'
            "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError",
        )
    for path in list(job.files):
        if host.pod in path or host.name in path or path.endswith(f"_{job.id}_{host.index}.log"):
            del job.files[path]
    return Outcome(
        Label(
            ["launcher.rendezvous", "hang.init", "sched.gang"],
            "Some nodes never joined the rendezvous.",
            status=["cause_found", "suspect", "symptoms_only"],
        ).host(job, *job.hosts),
        end,
    )


@fault("launcher.rendezvous.port")
def port_in_use(job: Job) -> Outcome:
    job.options.restart = False
    launcher.begin(job, job.start)
    head, t = job.hosts[0], job.start + 3
    when = job.clock(head, t)
    stamp = f"{when.month}{when.day:02d} {when:%H:%M:%S}.123456789 " if version(job.torch) >= (2, 4) else ""
    output.agent(
        job,
        head,
        t,
        f"[W{stamp or ' '}socket.cpp:436] [c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).\n"
        f"[E{stamp or ' '}socket.cpp:472] [c10d] The server socket has failed to listen on any local network address.",
    )
    output.agent(
        job,
        head,
        t + 0.2,
        'Traceback (most recent call last):\n  File "/usr/local/bin/torchrun", line 8, in <module>\n    sys.exit(main())\n'
        "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. The server socket has failed to bind to "
        "[::]:29500 (errno: 98 - Address already in use).",
    )
    output.console(job, t + 1, f"srun: error: {head.name}: task 0: Exited with exit code 1")
    return Outcome(
        Label(["launcher.rendezvous", "launcher.store"], "The port of the rendezvous is taken on the head node.").host(job, head), t + 2
    )
