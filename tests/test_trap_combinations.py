"""Traps of two at once: each half alone is easy, together they tempt to a wrong name."""

from pathlib import Path

import pytest
from trap_lines import CAST, CLOSED, DONE, FOUND, INIT, RAISED, WAITED, XID, Trap, judged, named, table, timed_out, trained

AGENT = "torch/distributed/elastic/agent/server/api.py"


def _began(count: int, time: str) -> str:
    return (
        f"I0618 {time}.196000 900 {AGENT}:525] [default] Rendezvous complete for workers. Result:\n"
        f"I0618 {time}.196000 900 {AGENT}:525]   restart_count={count}\n"
        f"I0618 {time}.196000 900 {AGENT}:525]   master_addr=n1\nI0618 {time}.196000 900 {AGENT}:525]   master_port=29500\n"
        f"I0618 {time}.196000 900 {AGENT}:525]   group_rank=0\nI0618 {time}.196000 900 {AGENT}:525]   group_world_size=1\n"
        f"I0618 {time}.196000 900 {AGENT}:525]   local_ranks=[0, 1, 2, 3]\nI0618 {time}.196000 900 {AGENT}:525]   role_ranks=[0, 1, 2, 3]\n"
        f"I0618 {time}.196000 900 {AGENT}:525]   global_ranks=[0, 1, 2, 3]\nI0618 {time}.196000 900 {AGENT}:525]   role_world_sizes=[4, 4, 4, 4]\n"
        f"I0618 {time}.196000 900 {AGENT}:525]   global_world_sizes=[4, 4, 4, 4]\n"
    )


def _restarts(time: str) -> str:
    return f"I0618 {time}.416000 900 {AGENT}:879] [default] Worker group FAILED. 1/1 attempts left; will restart worker group\n"


def _aborted(host: str, rank: int, time: str) -> str:
    return (
        f"{host}:{5000 + rank}:5009 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer n1<40112>\n"
        f"[rank{rank}]:[E618 {time}.384372190 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated "
        "with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5\n"
    )


def _failed(local_rank: int, time: str) -> str:
    return (
        f"E0618 {time}.000000 900 torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: 1) local_rank: {local_rank} "
        f"(pid: {4000 + local_rank}) of binary: /usr/bin/python3\n"
    )


ROUTINE = (
    "n1:4000:4000 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.\n"
    "n1:4001:4390 [1] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async error event: client reregistration\n"
)
CORRECTED = (
    "Jun 18 13:04:01 n1 kernel: [ 900.1] pcieport 0000:48:01.0: AER: Corrected error received: 0000:5d:00.0\n"
    "Jun 18 13:04:01 n1 kernel: [ 900.2] nvidia 0000:5d:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)\n"
)
PREEMPTED = (
    "W0618 13:05:02.718000 2312479 torch/distributed/elastic/agent/server/api.py:704] Received 15 death signal, shutting down workers\n"
    "W0618 13:05:02.719000 2312479 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 4000 closing signal SIGTERM\n"
    "slurmstepd: error: *** STEP 77.0 ON n1 CANCELLED AT 2026-06-18T13:05:02 DUE TO PREEMPTION ***\n"
)
LIMITED = "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2026-06-18T13:05:02 DUE TO TIME LIMIT ***\n"

TRAPS = (
    Trap(
        "a restart, and the other node's clock six minutes ahead",
        {
            "n1.log": _began(0, "13:00:00")
            + trained(12)
            + RAISED.format(rank=0, error="KeyError: 'labels'")
            + _failed(0, "13:10:12")
            + _restarts("13:10:14")
            + _began(1, "13:10:20")
            + RAISED.format(rank=2, error="ZeroDivisionError: division by zero")
            + _failed(2, "13:20:12"),
            # by its own clock the end of the first attempt here is before the fault there
            "n2.log": _aborted("n2", 5, "13:04:13"),
        },
        FOUND,
        ("crash.python",),
        named(2),
        "rank",
    ),
    Trap(
        "a stale rank in a message, and peers that blame the victim",
        {
            # the process numbers itself inside its group of two, its label has the rank of the job
            "a.log": CLOSED.format(rank=0, peer="10.0.0.3")
            + CLOSED.format(rank=1, peer="10.0.0.3")
            + timed_out(6, tag="[PG ID 3 PG GUID 12(TENSOR_MODEL_PARALLEL_GROUP) Rank 0]")
            + RAISED.format(rank=7, error="IndexError: list index out of range"),
        },
        FOUND,
        ("crash.python",),
        {"ranks": ["7"], "hosts": []},
        "rank",
    ),
    Trap(
        "one node's log only, and lines that scare",
        {
            "node1.log": ROUTINE + "".join(timed_out(r) for r in range(4)) + table((3, -6), [(r, -6) for r in (0, 1, 2)]),
            "n1/syslog": CORRECTED,
        },
        (WAITED,),
        ("hang.watchdog_timeout",),
    ),
    Trap(
        "preempted, and an old fault of somebody else's GPU",
        {
            "a.log": trained(20) + PREEMPTED + CLOSED.format(rank=1, peer="10.0.0.3"),
            "n1/syslog": XID.format(time="06:12:01", bus="9a", rest="79, pid=999, name=python, GPU has fallen off the bus."),
        },
        ("ended_by_request",),
        ("sched.preempted",),
        silent=("crash.signal", "crash.python", "net.socket_error"),
    ),
    Trap(
        "the same stream in two files, and two faults",
        {
            name: "".join(
                RAISED.format(rank=rank, error=error)
                for rank, error in ((1, "KeyError: 'labels'"), (6, "ZeroDivisionError: division by zero"))
            )
            + CLOSED.format(rank=0, peer="10.0.0.3")
            for name in ("console.log", "slurm-77.out")
        },
        FOUND,
        ("crash.python",),
        {"ranks": ["1", "6"], "hosts": []},
        "rank",
    ),
    Trap(
        "a time limit, and a traceback that the end gave",
        {
            "a.log": trained(20) + LIMITED + 'Traceback (most recent call last):\n  File "train.py", line 9, in main\n    loss.backward()\n'
            "torch.distributed.elastic.multiprocessing.api.SignalException: Process 2312479 got signal: 15\n"
            "n1:40:41 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB: Got completion from peer 10.0.0.8<40112> with status=5 opcode=0 len=0 vendor err 249 (Send) hca mlx5_0\n"
        },
        ("ended_by_request",),
        ("sched.time_limit",),
        silent=("crash.python", "crash.signal", "net.ib_error"),
    ),
    Trap(
        "idle ranks of another group, silent while one group waits",
        {
            **{
                f"rank_{r}.log": trained(7) + timed_out(r, tag="[PG ID 3 PG GUID 12(TENSOR_MODEL_PARALLEL_GROUP) Rank {rank}]")
                for r in (0, 1)
            },
            **{f"rank_{r}.log": INIT.format(pid=4000 + r, rank=r, bus=bus) for r, bus in ((2, "3a"), (3, "5d"))},
        },
        (WAITED,),
        ("hang.watchdog_timeout",),
    ),
    Trap(
        "a report calls most of the job late; its one rank that waits may have gone ahead",
        {
            "a.log": timed_out(3)
            + "\t - [3] Timeout at collective: ALLREDUCE, #4711\n\t - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:\n"
            "\t   - [0, 1, 2] finished collective #4710, but didn't join collective #4711 (count from 1)\n"
        },
        ("suspect",),
        ("desync.rank_behind",),
        {"ranks": ["0", "1", "2", "3"], "hosts": []},
        "rank",
        says="or the few called one that the others do not",
    ),
    Trap(
        "a rank that had queued more is not the one ahead",
        {f"rank_{r}.log": timed_out(r, last=4736 if r == 3 else 4711) for r in range(4)},
        (WAITED,),
        ("hang.watchdog_timeout",),
    ),
    Trap(
        "a fault before a restart, and an attempt that ended well",
        {
            "a.log": _began(0, "13:00:00")
            + RAISED.format(rank=1, error="OSError: [Errno 5] Input/output error: '/data/a.bin'")
            + _failed(1, "13:00:40")
            + _restarts("13:00:42")
            + _began(1, "13:00:50")
            + trained(60, hour=14)
            + DONE.replace("13:10", "14:10")
        },
        ("healthy",),
    ),
    Trap(
        "echoes on siblings first, by a clock that is behind",
        {
            "a.log": CAST + RAISED.format(rank=2, error="RuntimeError: CUDA error: unspecified launch failure"),
            "n1/syslog": XID.format(time="13:00:01", bus="3a", rest="79, pid=4002, name=python3, GPU has fallen off the bus."),
            "n2/syslog": "".join(
                XID.format(time="12:56:02", bus=bus, rest="45, pid=4001, name=python3, Ch 00000008").replace(" n1 ", " n2 ")
                for bus in ("18", "2a")
            ),
        },
        FOUND,
        ("hw.xid", "hw.gpu_lost"),
        {**named(2), "gpus": ["n1:2", "0000:3a:00.0"]},
        "gpu",
    ),
    Trap(
        "a healthy job's warnings, in two copies of its console",
        {name: ROUTINE + trained(60) + DONE for name in ("console.log", "slurm-77.out")} | {"n1/syslog": CORRECTED},
        ("healthy",),
        silent=("*",),
    ),
)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name.replace(" ", "-"))
def test_nobody_falls_into_two_traps_at_once(trap: Trap, tmp_path: Path) -> None:
    came = judged(trap, tmp_path)
    assert came.outcome == "right", f"{came.sentence} {came.faults}"
    assert trap.says in came.sentence
