"""What torch prints, by version: log lines of its two languages, the watchdog, exceptions."""

from tests.generator import output
from tests.generator.job import Host, Job, Rank, version

SITE = {"1.13": "/opt/conda/lib/python3.8/site-packages"}


def packages(job: Job) -> str:
    return SITE.get(job.torch, "/usr/local/lib/python3.10/dist-packages")


def native(job: Job, rank: Rank, time: float, severity: str, place: str, text: str, group: bool = True, tag: bool = True) -> None:
    """A line of the native part: severity letter, file:line, the tag of group or work, text."""
    v, when = version(job.torch), job.clock(rank.host, time)
    if group and v >= (2, 5):
        head = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank.rank}] "
    elif group and v >= (2, 4):
        head = f"[PG 0 (default_pg) Rank {rank.rank}] "
    elif group and v >= (2, 3):
        head = f"[PG 0 Rank {rank.rank}] "
    else:
        head = f"[Rank {rank.rank}] "
    said = (head if tag else "") + text
    if v >= (2, 4):
        stamp = f"{when.month}{when.day:02d} {when:%H:%M:%S}.{job.rng.randrange(10**9):09d}"
        output.say(job, rank, time, f"[rank{rank.rank}]:[{severity}{stamp} {place}] {said}", error=True)
    elif v >= (2, 2):
        output.say(job, rank, time, f"[rank{rank.rank}]:[{severity} {place}] {said}", error=True)
    else:
        output.say(job, rank, time, f"[{severity} {place}] {said}", error=True)


def python_line(job: Job, host: Host, time: float, level: str, module: str, text: str) -> str:
    """A line of the Python part, as the agent of a host prints it."""
    v, when = version(job.torch), job.clock(host, time)
    millis = when.microsecond // 1000
    if v >= (2, 3):
        number = host.agent if v >= (2, 5) else 139_000_000_000_000 + host.agent * 64
        head = f"{level[0]}{when:%m%d %H:%M:%S}.{millis:03d}000 {number} {module.replace('.', '/')}.py:{900 + len(text) % 50}] "
        return "\n".join(head + line for line in text.split("\n"))
    if v >= (2, 1):
        head = f"[{when:%Y-%m-%d %H:%M:%S},{millis:03d}] {module}: [{level}] "
        return "\n".join(head + line for line in text.split("\n"))
    return f"{level}:{module}:{text}"


def timeout_text(job: Job, rank: Rank, work: "Work", elapsed_ms: int, limit_ms: int) -> str:
    sizes = f"NumelIn={work.numel}, NumelOut={work.numel_out}, " if version(job.torch) >= (2, 1) else ""
    return (
        f"Watchdog caught collective operation timeout: WorkNCCL(SeqNum={work.seq}, OpType={work.op}, {sizes}"
        f"Timeout(ms)={limit_ms}) ran for {elapsed_ms} milliseconds before timing out."
    )


class Work:
    """A collective of the default group: number, operation, elements."""

    def __init__(self, seq: int, op: str = "ALLREDUCE", numel: int = 262144000, numel_out: int | None = None) -> None:
        self.seq, self.op, self.numel = seq, op, numel
        self.numel_out = numel if numel_out is None else numel_out


def timed_out(job: Job, rank: Rank, time: float, work: Work, limit_s: float, began: float, enqueued: int | None = None) -> None:
    """Everything a rank prints whose collective ran into its limit, up to its abort."""
    v = version(job.torch)
    text = timeout_text(job, rank, work, int((time - began) * 1000), int(limit_s * 1000))
    native(job, rank, time, "E", "ProcessGroupNCCL.cpp:616" if v >= (2, 4) else "ProcessGroupNCCL.cpp:475", text, group=False)
    last = enqueued if enqueued is not None else work.seq
    if v >= (2, 6):
        native(
            job,
            rank,
            time + 0.02,
            "E",
            "ProcessGroupNCCL.cpp:1743",
            f" failure detected by watchdog at work sequence id: {work.seq} PG status: last enqueued work: {last}, "
            f"last completed work: {work.seq - 1}",
        )
        native(
            job,
            rank,
            time + 0.03,
            "E",
            "ProcessGroupNCCL.cpp:632",
            "Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by "
            "setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
            tag=False,
        )
    elif v >= (2, 4):
        native(
            job,
            rank,
            time + 0.02,
            "E",
            "ProcessGroupNCCL.cpp:1664",
            f"Exception (either an error or timeout) detected by watchdog at work: {work.seq}, last enqueued NCCL work: {last}, "
            f"last completed NCCL work: {work.seq - 1}.",
        )
    elif v >= (2, 3):
        native(
            job,
            rank,
            time + 0.02,
            "E",
            "ProcessGroupNCCL.cpp:1537",
            f"Timeout at NCCL work: {work.seq}, last enqueued NCCL work: {last}, last completed NCCL work: {work.seq - 1}.",
        )
    abort(job, rank, time + 0.5, f"[Rank {rank.rank}] {text}")


def abort(job: Job, rank: Rank, time: float, inner: str) -> None:
    """The watchdog takes its process down, for the reason given."""
    v = version(job.torch)
    native(
        job,
        rank,
        time,
        "E",
        "ProcessGroupNCCL.cpp:630" if v >= (2, 4) else "ProcessGroupNCCL.cpp:489",
        "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations "
        "might run on corrupted/incomplete data.",
        group=False,
        tag=v >= (2, 2),
    )
    native(
        job,
        rank,
        time + 0.01,
        "E",
        "ProcessGroupNCCL.cpp:636" if v >= (2, 4) else "ProcessGroupNCCL.cpp:495",
        "To avoid data inconsistency, we are taking the entire process down.",
        group=False,
        tag=v >= (2, 2),
    )
    ended(job, rank, time + 0.02, inner)


def ended(job: Job, rank: Rank, time: float, inner: str) -> None:
    """The watchdog thread ends with an exception and the process aborts."""
    v = version(job.torch)
    if v >= (2, 3):
        tag = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank.rank}] " if v >= (2, 5) else f"[PG 0 Rank {rank.rank}] "
        said = f"Process group watchdog thread terminated with exception: {inner}"
        native(job, rank, time, "E", "ProcessGroupNCCL.cpp:1895", said)
        what = tag + said
    else:
        said = f"NCCL watchdog thread terminated with exception: {inner}"
        native(job, rank, time, "E", "ProcessGroupNCCL.cpp:916", said, group=False)
        what = f"[Rank {rank.rank}] " + said
    kind = "c10::DistBackendError" if v >= (2, 1) else "std::runtime_error"
    output.say(job, rank, time + 0.01, f"terminate called after throwing an instance of '{kind}'\n  what():  {what}", error=True)


def traceback(job: Job, rank: Rank, time: float, frames: list[tuple[str, int, str, str]], error: str) -> None:
    """An uncaught exception; ranks are named from 2.3 on."""
    lines = ["Traceback (most recent call last):"]
    for path, number, name, code in frames:
        lines += [f'  File "{path}", line {number}, in {name}', f"    {code}"]
    lines += error.split("\n")
    mark = f"[rank{rank.rank}]: " if version(job.torch) >= (2, 3) else ""
    output.say(job, rank, time, "\n".join(mark + line for line in lines), error=True)


def remote_error(job: Job, rank: Rank, time: float, last: str) -> None:
    """The watchdog of a victim: a peer or link went away."""
    text = (
        f"NCCL error: remote process exited or there was a network error, NCCL version {job.nccl}\n"
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n"
        f"Last error:\n{last}"
    )
    native(
        job,
        rank,
        time,
        "E",
        "ProcessGroupNCCL.cpp:1895" if version(job.torch) >= (2, 4) else "ProcessGroupNCCL.cpp:916",
        f"{'Process group' if version(job.torch) >= (2, 3) else 'NCCL'} watchdog thread terminated with exception: {text}",
        group=version(job.torch) >= (2, 3),
    )
    output.say(
        job,
        rank,
        time + 0.01,
        f"terminate called after throwing an instance of '{'c10::DistBackendError' if version(job.torch) >= (2, 1) else 'std::runtime_error'}'"
        f"\n  what():  [Rank {rank.rank}] {text}",
        error=True,
    )
