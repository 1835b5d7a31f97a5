"""Traps: evidence that tempts to a wrong name or a false alarm. Log text in, the whole way to the report."""

from pathlib import Path

import pytest
from trap_lines import CAST, CLOSED, DONE, FOUND, KILLED, RAISED, WAITED, XID, Trap, judged, named, table, timed_out, trained

TRAPS = (
    Trap(
        "peers complain louder than the rank that raised",
        {"a.log": "".join(CLOSED.format(rank=r, peer="10.0.0.3") for r in (0, 1, 3)) + RAISED.format(rank=2, error="KeyError: 'labels'")},
        FOUND,
        ("crash.python",),
        named(2),
        "rank",
    ),
    Trap(
        "the launcher's root cause is a rank that waited",
        {
            "a.log": "".join(timed_out(r) for r in (0, 1, 3)) + table((0, -6), [(1, -6), (2, -9), (3, -6)]),
            "syslog": KILLED.format(n=1, who="python3", pid=4002),
        },
        FOUND,
        ("crash.oom_host",),
        named(2),
    ),
    Trap(
        "the rank in a dump signal lost its patience first",
        {
            "a.log": "".join(
                timed_out(r)
                + f"[rank{r}]:[E618 13:10:50.384372190 ProcessGroupNCCL.cpp:1533] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Received a dump signal due to "
                "a collective timeout from  rank 3 and we will try our best to dump the debug info. Last enqueued NCCL work: 4711, last completed NCCL work: 4710.\n"
                for r in range(4)
            )
        },
        (WAITED,),
        ("hang.watchdog_timeout",),
    ),
    Trap(
        "the rank inside a group is not the rank of the job",
        {"a.log": "".join(timed_out(r, tag=f"[PG ID 3 PG GUID 12(TENSOR_MODEL_PARALLEL_GROUP) Rank {r - 8}]") for r in (8, 9, 10, 11))},
        (WAITED,),
        ("hang.watchdog_timeout",),
    ),
    Trap(
        "a label with a local rank, from two nodes in one file",
        {
            "a.log": "[default3]:Traceback (most recent call last):\n[default3]:  File \"train.py\", line 5, in main\n[default3]:    x = batch['labels']\n[default3]:KeyError: 'labels'\n"
            "[default0]:n1:4000:4000 [0] NCCL INFO cudaDriverVersion 12040\n[default0]:n2:5000:5000 [0] NCCL INFO cudaDriverVersion 12040\n"
        },
        FOUND,
        ("crash.python",),
    ),
    Trap(
        "ranks without a log are unknown, not guilty",
        {f"rank_{r}.log": timed_out(r) for r in (0, 1, 2)},
        (WAITED,),
        ("hang.watchdog_timeout",),
    ),
    Trap(
        "one node's log only",
        {"node1.log": "".join(timed_out(r) for r in range(8)) + table((3, -6), [(r, -6) for r in (0, 1, 2, 4, 5, 6, 7)])},
        (WAITED,),
        ("hang.watchdog_timeout",),
    ),
    Trap(
        "a fault of another job hours before",
        {
            "train.log": trained(60) + DONE,
            "n1/syslog": XID.format(time="06:12:01", bus="9a", rest="31, pid=999, name=python, Ch 00000018, intr 00000000. MMU Fault"),
        },
        ("healthy",),
        silent=("*",),
    ),
    Trap(
        "clean-up codes on other GPUs after one was lost",
        {
            "a.log": CAST + RAISED.format(rank=2, error="RuntimeError: CUDA error: unspecified launch failure"),
            "n1/syslog": XID.format(time="13:00:01", bus="3a", rest="79, pid=4002, name=python3, GPU has fallen off the bus.")
            + "".join(XID.format(time="13:00:02", bus=b, rest="45, pid=4001, name=python3, Ch 00000008") for b in ("18", "2a", "5d")),
        },
        FOUND,
        ("hw.xid", "hw.gpu_lost"),
        {**named(2), "gpus": ["n1:2", "0000:3a:00.0"]},
        "gpu",
    ),
    Trap(
        "flushed completions are an end, not a beginning",
        {
            "a.log": "".join(
                f"n{n}:40:41 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB: Got completion from peer 10.0.0.{9 - n}<40112> with status=5 opcode=0 len=0 "
                "vendor err 249 (Send) hca mlx5_0\n"
                for n in (1, 2)
            )
        },
        (WAITED, "insufficient", "suspect"),
    ),
    Trap(
        "the scheduler's SIGTERM",
        {
            "a.log": trained(20)
            + "W0618 13:05:02.718000 2312479 torch/distributed/elastic/agent/server/api.py:704] Received 15 death signal, shutting down workers\n"
            "W0618 13:05:02.719000 2312479 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 4000 closing signal SIGTERM\n"
            "slurmstepd: error: *** STEP 77.0 ON n1 CANCELLED AT 2026-06-18T13:05:02 DUE TO PREEMPTION ***\n"
        },
        ("ended_by_request",),
        ("sched.preempted",),
        silent=("crash.signal", "crash.python"),
    ),
    Trap(
        "a person's Ctrl-C",
        {
            "a.log": trained(20)
            + 'Traceback (most recent call last):\n  File "train.py", line 9, in main\n    loss.backward()\nKeyboardInterrupt\n'
            "W0618 13:05:02.718000 2312479 torch/distributed/elastic/agent/server/api.py:704] Received 2 death signal, shutting down workers\n"
        },
        ("ended_by_request",),
        ("sched.cancelled",),
        silent=("crash.python",),
    ),
    Trap(
        "teardown noise of a job that ended well",
        {
            "a.log": trained(60)
            + DONE
            + "[rank0]:[W618 13:10:02.111111111 ProcessGroupNCCL.cpp:1496] WARNING: destroy_process_group() was not called before program exit, "
            "which can leak resources.\n[rank1]:[W618 13:10:03.111111111 TCPStore.cpp:115] [c10d] recvValue failed on SocketImpl(fd=3, addr=[n1]:4011, "
            "remote=[n1]:29500): failed to recv, got 0 bytes\n"
        },
        ("healthy",),
        silent=("*",),
    ),
    Trap(
        "who asked for memory is not who was killed",
        {"a.log": CAST + CLOSED.format(rank=0, peer="10.0.0.3"), "n1/syslog": KILLED.format(n=1, who="node_exporter", pid=4003)},
        FOUND,
        ("crash.oom_host",),
        named(3),
        "rank",
    ),
    Trap(
        "corrected errors of a link",
        {
            "train.log": trained(60) + DONE,
            "n1/syslog": "Jun 18 13:04:01 n1 kernel: [ 900.1] pcieport 0000:48:01.0: AER: Corrected error received: 0000:5d:00.0\n"
            "Jun 18 13:04:01 n1 kernel: [ 900.2] nvidia 0000:5d:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)\n",
        },
        ("healthy",),
        silent=("*",),
    ),
    Trap(
        "one corrected memory error of a host",
        {
            "train.log": trained(60) + DONE,
            "n1/syslog": "Jun 18 13:04:01 n1 kernel: [ 900.1] EDAC skx MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 "
            "slot:0 page:0x3a2f1 offset:0x40 grain:32 syndrome:0x0)\n",
        },
        ("healthy",),
        silent=("*",),
    ),
    Trap(
        "subnet manager events are routine",
        {
            "train.log": trained(60)
            + DONE
            + "n1:4000:4390 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async error event: client reregistration\n"
        },
        ("healthy",),
        silent=("*",),
    ),
    Trap(
        "a file server that was slow for seconds",
        {
            "train.log": trained(60) + DONE,
            "n1/syslog": "Jun 18 13:04:01 n1 kernel: [ 900.1] nfs: server 10.9.0.7 not responding, still trying\n"
            "Jun 18 13:04:03 n1 kernel: [ 902.1] nfs: server 10.9.0.7 OK\n",
        },
        ("healthy",),
        silent=("*",),
    ),
    Trap(
        "probing for what is not there",
        {
            "train.log": "n1:4000:4000 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.\n"
            "n1:4000:4000 [0] NCCL INFO PROFILER/Plugin: Could not find: libnccl-profiler.so. \n" + trained(60) + DONE
        },
        ("healthy",),
        silent=("*",),
    ),
    Trap(
        "two ranks fail for reasons of their own",
        {"a.log": RAISED.format(rank=1, error="KeyError: 'labels'") + RAISED.format(rank=6, error="ZeroDivisionError: division by zero")},
        FOUND,
        ("crash.python",),
        {"ranks": ["1", "6"], "hosts": []},
    ),
    Trap(
        "the same stream in two files",
        {
            "console.log": RAISED.format(rank=2, error="KeyError: 'labels'") + CLOSED.format(rank=0, peer="10.0.0.3"),
            "rank_2.log": RAISED.format(rank=2, error="KeyError: 'labels'"),
        },
        FOUND,
        ("crash.python",),
        {"ranks": ["2"], "hosts": []},
        "rank",
    ),
    Trap(
        "the library guesses that rank 0 crashed; it works",
        {
            "a.log": "".join(
                f"[rank{r}]: torch.distributed.DistBackendError: [{r}] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by "
                "key '0', but store->get('0') got error: wait timeout after 600000ms, keys: /default_pg/0//cuda//0. This may indicate a possible application "
                "crash on rank 0 or a network set up issue.\n"
                for r in (1, 2, 3)
            )
            + "".join(
                f"[rank0]:Map (num_proc=8):  {n}%|███       | {n}00/10000 [0{n // 10}:12<10:11, 14.1 examples/s]\n"
                for n in range(10, 60, 10)
            )
        },
        (*FOUND, WAITED),
        ("data.stall", "launcher.store", "hang.init"),
        {"ranks": ["0"], "hosts": []},
        silent=("crash.python", "crash.signal"),
    ),
    Trap(
        "a stuck watchdog after its own timeout is an aftermath",
        {
            "a.log": "".join(timed_out(r) for r in range(4))
            + "[rank2]:[E618 13:18:50.384372190 ProcessGroupNCCL.cpp:1423] [PG ID 0 PG GUID 0(default_pg) Rank 2] ProcessGroupNCCL's watchdog "
            "got stuck for 480 seconds without making progress in monitoring enqueued collectives. This typically indicates a NCCL/CUDA API hang\n"
        },
        (WAITED,),
        ("hang.watchdog_timeout",),
    ),
    Trap(
        "killed by the launcher after SIGTERM is no memory kill",
        {
            "a.log": "".join(timed_out(r) for r in (0, 1, 3))
            + "W0618 13:10:55.718000 2312479 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 4002 closing signal SIGTERM\n"
            "W0618 13:11:25.718000 2312479 torch/distributed/elastic/multiprocessing/api.py:916] Unable to shutdown process 4002 via 15, forcefully exiting via 9\n"
            + table((0, -6), [(1, -6), (2, -9), (3, -6)])
        },
        (*FOUND, WAITED),
        ("desync.rank_behind", "hang.watchdog_timeout"),
        named(2),
        silent=("crash.oom_host",),
    ),
    Trap(
        "a clock five minutes ahead puts the victim first",
        {
            "n1.log": RAISED.format(rank=0, error="KeyError: 'labels'")
            + "E0618 13:10:12.000000 900 torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: 1) local_rank: 0 "
            "(pid: 4000) of binary: /usr/bin/python3\n",
            "n2.log": "n2:5001:5009 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer n1<40112>\n"
            "[rank1]:[E618 13:05:13.384372190 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank 1] Process group watchdog thread terminated with exception: NCCL error: "
            "remote process exited or there was a network error, NCCL version 2.21.5\n",
        },
        FOUND,
        ("crash.python",),
        named(0),
        "rank",
    ),
    Trap(
        "a memory kill of another job in the night",
        {"train.log": trained(60) + DONE, "n1/syslog": KILLED.format(n=1, who="python3", pid=777).replace("13:00:4", "02:00:4")},
        ("healthy",),
        silent=("*",),
    ),
    Trap(
        "a monitored barrier names who is missing, not who says so",
        {
            "a.log": "[rank0]: RuntimeError: [Rank 0]: Rank 2 failed to pass monitoredBarrier in 600000 ms\n"
            "[rank1]: RuntimeError: Rank 1 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0. "
            "Please check rank 0 logs for faulty rank.\n"
        },
        FOUND,
        ("desync.rank_behind",),
        {"ranks": ["2"], "hosts": []},
        "rank",
    ),
    Trap(
        "the address in a gloo error is the first to leave, not the cause",
        {
            "a.log": "".join(
                f"[rank{r}]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.0.0.3]:19335. This is typically "
                "caused by a remote worker crashing.\n"
                for r in (0, 1)
            )
        },
        (WAITED, "suspect", "insufficient"),
    ),
    Trap(
        "a log that ends in mid-line is no death",
        {
            "train.log": trained(60) + DONE,
            "nccl.n1.4001.log": CAST.splitlines()[1] + "\nn1:4001:4390 [1] NCCL INFO Channel 00/0 : 1[1] -> 2[2] via P2",
        },
        ("healthy",),
        silent=("*",),
    ),
    Trap(
        "an abort is the end of one that waited",
        {
            "a.log": "".join(timed_out(r) + "terminate called after throwing an instance of 'c10::DistBackendError'\n" for r in range(4))
            + table((1, -6), [(0, -6), (2, -6), (3, -6)])
        },
        (WAITED,),
        ("hang.watchdog_timeout",),
    ),
    Trap(
        "counters that grew in the past",
        {
            "train.log": trained(60) + DONE,
            "counters/n1_after.txt": "##### after job n1 Thu Jun 18 13:11:00 2026\n"
            "/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:5\n/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:91\n",
        },
        ("healthy",),
        silent=("*",),
    ),
)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name.replace(" ", "-"))
def test_nobody_falls_into_a_trap(trap: Trap, tmp_path: Path) -> None:
    came = judged(trap, tmp_path)
    assert came.outcome == "right", f"{came.sentence} {came.faults}"
