"""torchrun and srun: start, failure tables, signals."""

from tests.generator import output, torch_log
from tests.generator.job import Host, Job, Rank, version

API = "torch.distributed.elastic.multiprocessing.api"
AGENT = "torch.distributed.elastic.agent.server.api"
SIGNALS = {-6: "SIGABRT", -9: "SIGKILL", -11: "SIGSEGV", -15: "SIGTERM", -7: "SIGBUS"}


def begin(job: Job, time: float, script: str = "train.py") -> None:
    """The batch script's head and the launchers' first lines."""
    head = job.hosts[0]
    requeued = job.attempt > 0 and job.layout != "torchrun" and not job.kubernetes and job.id % 2 == 1
    if job.attempt == 0 or requeued:
        output.console(job, time - 4, f"START TIME: {job.clock(head, time - 4):%a %b %e %H:%M:%S %Y}")
        output.console(job, time - 3, f"Job {job.id} ({job.name}) on {len(job.hosts)} nodes: {' '.join(h.name for h in job.hosts)}")
        output.console(
            job,
            time - 2,
            f"srun torchrun --nnodes {len(job.hosts)} --nproc_per_node {job.per_host} --rdzv_id {job.id} --rdzv_backend c10d "
            f"--rdzv_endpoint {head.name}:29500 {script}",
        )
    for host in job.hosts if job.attempt == 0 or requeued else []:
        stars = "*" * 41
        note = "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded."
        output.agent(
            job, host, time, torch_log.python_line(job, host, time, "WARNING", "torch.distributed.run", f"\n{stars}\n{note}\n{stars}")
        )
        if job.quirks["agents"].get("info"):
            ranks = [r.rank for r in job.on(host)]
            text = (
                "[default] Rendezvous complete for workers. Result:\n"
                f"  restart_count={job.attempt}\n  master_addr={head.name}\n  master_port=29500\n  group_rank={host.index}\n"
                f"  group_world_size={len(job.hosts)}\n  local_ranks={list(range(job.per_host))}\n  role_ranks={ranks}\n"
                f"  global_ranks={ranks}\n  role_world_sizes={[job.world] * job.per_host}\n  global_world_sizes={[job.world] * job.per_host}\n"
            )
            output.agent(job, host, time + 1, torch_log.python_line(job, host, time + 1, "INFO", AGENT, text))


def fail(job: Job, exits: dict[int, tuple[float, int]], only: set[int] | None = None) -> float:
    """Each host's agent sees its first dead child, ends the others, prints its table; gives when the last is done.

    `exits`: rank -> (when it died by itself, exit code); everybody else is ended by the agent.
    """
    done = 0.0
    first_anywhere = min(t for t, _ in exits.values())
    for host in job.hosts:
        if only is not None and host.index not in only:
            continue
        mine = {r.rank: exits[r.rank] for r in job.on(host) if r.rank in exits}
        if not mine:
            # No child died here: srun ends the agent after another agent has left.
            done = max(done, terminated(job, host, first_anywhere + 12))
            continue
        first = min(mine, key=lambda r: mine[r][0])
        seen = mine[first][0] + job.rng.uniform(0.1, 1.5)
        done = max(done, _table(job, host, first, seen, mine))
    hosts = [h for h in job.hosts if only is None or h.index in only]
    for host in hosts:
        output.console(job, done + 1 + host.index * 0.01, f"srun: error: {host.name}: task {host.index}: Exited with exit code 1")
    return done + 2


def _table(job: Job, host: Host, first: int, seen: float, mine: dict[int, tuple[float, int]]) -> float:
    codes: dict[int, int] = {}
    for rank in job.on(host):
        died = mine.get(rank.rank)
        if died and died[0] <= seen:
            codes[rank.rank] = died[1]
            continue
        codes[rank.rank] = -15
        text = f"Sending process {rank.pid} closing signal SIGTERM"
        output.agent(job, host, seen, torch_log.python_line(job, host, seen, "WARNING", API, text))
    end = seen + 2.5
    for rank in job.on(host):
        if rank.rank in job.quirks["stuck"]:
            end = seen + 30.5
            codes[rank.rank] = -9
            by = (
                "via 15, forcefully exiting via 9"
                if version(job.torch) >= (2, 5)
                else "via Signals.SIGTERM, forcefully exiting via Signals.SIGKILL"
            )
            output.agent(
                job,
                host,
                seen + 30,
                torch_log.python_line(job, host, seen + 30, "WARNING", API, f"Unable to shutdown process {rank.pid} {by}"),
            )
    root = job.ranks[first]
    output.agent(
        job,
        host,
        end,
        torch_log.python_line(
            job,
            host,
            end,
            "ERROR",
            API,
            f"failed (exitcode: {codes[first]}) local_rank: {root.local} (pid: {root.pid}) of binary: /usr/bin/python3",
        ),
    )
    place = torch_log.packages(job)
    lines = [
        "Traceback (most recent call last):",
        '  File "/usr/local/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{place}/torch/distributed/launcher/api.py", line 268, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "train.py FAILED",
        "-" * 60,
        "Failures:",
    ]
    others = [rank for rank in job.on(host) if rank.rank != first]
    for number, rank in enumerate(others, 1):
        lines += _entry(job, host, number, rank, seen + 0.5, codes[rank.rank])
    lines += [] if others else ["  <NO_OTHER_FAILURES>"]
    lines += ["-" * 60, "Root Cause (first observed failure):", *_entry(job, host, 0, root, seen, codes[first]), "=" * 60]
    output.agent(job, host, end + 0.2, "\n".join(lines))
    return end + 0.5


def _entry(job: Job, host: Host, number: int, rank: Rank, time: float, code: int) -> list[str]:
    name = SIGNALS.get(code)
    trace = (
        f"Signal {-code} ({name}) received by PID {rank.pid}"
        if name
        else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    )
    return [
        f"[{number}]:",
        f"  time      : {job.clock(host, time):%Y-%m-%d_%H:%M:%S}",
        f"  host      : {job.nodename(host)}",
        f"  rank      : {rank.rank} (local_rank: {rank.local})",
        f"  exitcode  : {code} (pid: {rank.pid})" + (f"  ({name})" if name else ""),
        "  error_file: <N/A>",
        f"  traceback : {trace}",
    ]


def terminated(job: Job, host: Host, time: float) -> float:
    """An agent gets SIGTERM from outside and takes its children with it."""
    v = version(job.torch)
    signal = "15" if v >= (2, 5) else "Signals.SIGTERM"
    output.agent(
        job, host, time, torch_log.python_line(job, host, time, "WARNING", AGENT, f"Received {signal} death signal, shutting down workers")
    )
    for n, rank in enumerate(job.on(host)):
        t = time + 0.001 * n
        text = f"Sending process {rank.pid} closing signal SIGTERM"
        output.agent(job, host, t, torch_log.python_line(job, host, t, "WARNING", API, text))
    place = torch_log.packages(job)
    output.agent(
        job,
        host,
        time + 1.5,
        "Traceback (most recent call last):\n"
        '  File "/usr/local/bin/torchrun", line 8, in <module>\n    sys.exit(main())\n'
        f'  File "{place}/torch/distributed/elastic/multiprocessing/api.py", line 84, in _terminate_process_handler\n'
        '    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)\n'
        f"torch.distributed.elastic.multiprocessing.api.SignalException: Process {host.agent} got signal: 15",
    )
    return time + 2
