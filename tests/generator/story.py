"""The frame of every fault: a job that trains until something happens, and the registry of faults."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.generator import launcher, nccl, output, steps, system, torch_log
from tests.generator.job import Job, Rank
from tests.generator.label import Label


@dataclass
class Outcome:
    """How it ended: the label, when the job was over, and what the scheduler wrote down."""

    label: Label
    end: float
    state: str = "FAILED"
    code: str = "1:0"
    ok: bool = False
    reason: str = "None"


FAULTS: dict[str, Callable[[Job], Outcome]] = {}


def fault(name: str) -> Callable[[Callable[[Job], Outcome]], Callable[[Job], Outcome]]:
    """Registers a fault by name: a kind of findings, with a word where there are several."""

    def keep(function: Callable[[Job], Outcome]) -> Callable[[Job], Outcome]:
        FAULTS[name] = function
        return function

    return keep


def begin(job: Job) -> float:
    """Launchers and communicators start; gives when training can begin."""
    time = job.start
    if job.options.restart:
        time = _first_attempt(job)
    launcher.begin(job, time)
    return nccl.start(job, time + 8) + 10


def train(job: Job, steps_done: int = 0) -> tuple[float, int]:
    """A normal start and a stretch of training; gives when it stops and the last step done."""
    ready = begin(job)
    count = steps_done or job.rng.randrange(60, 160)
    until = ready + count * job.step_s
    return until, steps.run(job, ready, until)


def _first_attempt(job: Job) -> float:
    """An earlier attempt that ended by an exception of its own, after which all started again: the agents their workers, or Slurm the whole job."""
    launcher.begin(job, job.start)
    ready = nccl.start(job, job.start + 8) + 10
    until = ready + 40 * job.step_s
    steps.run(job, ready, until)
    rank = job.rng.choice(job.ranks)
    own_error(job, rank, until, "RuntimeError: stack expects each tensor to be equal size, but got [4096] at entry 0 and [4088] at entry 1")
    for host in job.hosts:
        for other in job.on(host):
            if other is not rank:
                text = f"Sending process {other.pid} closing signal SIGTERM"
                output.agent(job, host, until + 1, torch_log.python_line(job, host, until + 1, "WARNING", launcher.API, text))
    job.attempt = 1
    for other in job.ranks:
        other.pid += 3000
        other.comm = f"0x55{job.hex(8)}0"
    return until + 40


def own_error(job: Job, rank: Rank, time: float, error: str, name: str = "train_step") -> None:
    """An exception out of the program's own code."""
    frames = [
        ("/workspace/train.py", 412, "<module>", "main()"),
        ("/workspace/train.py", 377, "main", "loss = train_step(model, batch)"),
        ("/workspace/engine.py", 118, name, "out = model(**batch)"),
    ]
    torch_log.traceback(job, rank, time, frames, error)


def hang_states(job: Job, since: float, until: float, idle: list[Rank]) -> None:
    """Telemetry of a standstill: waiting GPUs spin at low power, those of the late ranks do nothing."""
    late = {rank.rank for rank in idle}
    for rank in job.ranks:
        waits = {"util": 100, "power": job.rng.uniform(125, 140), "temp": 42}
        nothing = {"util": 0, "power": job.rng.uniform(110, 118), "temp": 38}
        job.gpu_states.append((rank.host.index, rank.local, since + 20, until - 2, nothing if rank.rank in late else waits))


def gone(job: Job, end: float) -> None:
    """The processes are gone and the kernel says so."""
    system.job_left(job, end - 2)
