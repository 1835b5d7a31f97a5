"""Evidence to build traps of: lines as frameworks, libraries and kernels print them, with invented hosts."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import case_of

from ncclscope import corpus, report

FOUND = ("cause_found", "suspect")
WAITED = "symptoms_only"


@dataclass(frozen=True)
class Trap:
    """`logs`: file -> text; `names`: level -> everything that may be named, empty for nobody; `level`: what must be; `says`: words of its sentence."""

    name: str
    logs: dict[str, str]
    status: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    names: dict[str, list[str]] = field(default_factory=dict)
    level: str | None = None
    silent: tuple[str, ...] = ()
    says: str = ""


def timed_out(
    rank: int,
    seq: int = 4711,
    op: str = "ALLREDUCE",
    minute: int = 10,
    tag: str = "[PG ID 0 PG GUID 0(default_pg) Rank {rank}]",
    last: int = 0,
) -> str:
    head = f"[rank{rank}]:[E618 13:{minute:02d}:49.384372190 ProcessGroupNCCL.cpp"
    group = tag.format(rank=rank)
    return (
        f"{head}:629] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=1024, "
        "NumelOut=1024, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.\n"
        f"{head}:1743] {group}  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {last or seq}, "
        f"last completed work: {seq - 1}\n"
    )


def entry(number: int, rank: int, code: int, time: str = "13:10:52", host: str = "n1") -> str:
    name = {-6: "SIGABRT", -9: "SIGKILL", -15: "SIGTERM"}.get(code)
    trace = f"Signal {-code} ({name}) received by PID {4000 + rank}" if name else "To enable traceback see: https://pytorch.org/docs"
    return (
        f"[{number}]:\n  time      : 2026-06-18_{time}\n  host      : {host}\n  rank      : {rank} (local_rank: {rank})\n"
        f"  exitcode  : {code} (pid: {4000 + rank})\n  error_file: <N/A>\n  traceback : {trace}\n"
    )


def table(root: tuple[int, int], others: list[tuple[int, int]]) -> str:
    listed = "".join(entry(n, rank, code) for n, (rank, code) in enumerate(others, 1))
    bar = "=" * 60
    return (
        f"{bar}\ntrain.py FAILED\n{'-' * 60}\nFailures:\n{listed}{'-' * 60}\nRoot Cause (first observed failure):\n{entry(0, *root)}{bar}\n"
    )


def trained(steps: int, hour: int = 13) -> str:
    return "".join(
        f"[titan] 2026-06-18 {hour}:{n // 6:02d}:{n % 6 * 10:02d},120 - root - INFO - step: {n:2d}  loss:  7.12345  memory: 45.67GiB(57.75%)  "
        "tps: 7,321  tflops: 423.10  mfu: 42.78%\n"
        for n in range(1, steps)
    )


DONE = "[titan] 2026-06-18 13:10:01,120 - root - INFO - Training completed\n"
CLOSED = (
    '[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File "/workspace/train.py", line 166, in main\n[rank{rank}]:     loss.backward()\n'
    "[rank{rank}]: torch.distributed.DistBackendError: NCCL error in: ../ProcessGroupNCCL.cpp:1970, remote process exited or there was a network error, "
    "NCCL version 2.21.5\n[rank{rank}]: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n"
    "[rank{rank}]: Last error:\n[rank{rank}]: socketProgress: Connection closed by remote peer {peer}<40112>\n"
)
RAISED = (
    '[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File "/workspace/train.py", line 157, in main\n'
    '[rank{rank}]:     x = batch["labels"]\n[rank{rank}]: {error}\n'
)
KILLED = (
    "Jun 18 13:00:4{n} n1 kernel: [ 900.1] {who} invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0\n"
    "Jun 18 13:00:4{n} n1 kernel: [ 900.2] Memory cgroup out of memory: Killed process {pid} (python3) total-vm:612345678kB, anon-rss:201234567kB, "
    "file-rss:71234kB, shmem-rss:9123456kB, UID:1000 pgtables:512345kB oom_score_adj:0\n"
)
XID = "Jun 18 {time} n1 kernel: [ 900.1] NVRM: Xid (PCI:0000:{bus}:00): {rest}\n"
INIT = "n1:{pid}:{pid} [{rank}] NCCL INFO ncclCommInitRankConfig comm 0x55{rank:04x} rank {rank} nranks 4 cudaDev {rank} nvmlDev {rank} busId {bus}000 commId 0x1f - Init COMPLETE\n"
BUSES = ("18", "2a", "3a", "5d")
CAST = "".join(INIT.format(pid=4000 + n, rank=n, bus=bus) for n, bus in enumerate(BUSES))


def named(*ranks: int, host: str = "n1") -> dict[str, list[str]]:
    return {"ranks": [str(rank) for rank in ranks], "hosts": [host]}


def judged(trap: Trap, folder: Path) -> corpus.Judgement:
    """What comes of a trap: its files written into a folder, read, reported and compared with the answer it must give."""
    for name, text in trap.logs.items():
        path = folder / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return corpus.judge(trap.name, _label(trap), report.build(case_of(folder / "logs", folder / "case")))


def _label(trap: Trap) -> dict[str, Any]:
    named = {level: trap.names.get(level, []) for level in ("hosts", "ranks", "gpus", "devices")}
    return {"status": list(trap.status), "kinds": list(trap.kinds), "culprit": named, "level": trap.level, "silent": list(trap.silent)}
