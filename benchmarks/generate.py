"""Writes synthetic logs of any size, always the same bytes for the same kind and size.

    python benchmarks/generate.py dense /tmp/dense.log --megabytes 500

dense    NCCL_DEBUG=INFO with COLL of 1,024 ranks on 128 hosts: nearly every line is an event
sparse   a training log: progress, steps and loader text with times; one line in fifty is an event
syslog   500 hosts in one file, mostly what no one asks about
smi      nvidia-smi --query-gpu, CSV, 8 GPUs
"""

import argparse
import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path

SEED = 20240501
HOSTS = 128
GPUS = 8
RANKS = HOSTS * GPUS
START = datetime(2024, 5, 1, 12, 0, 0)
FLUSH_BYTES = 4 << 20

Lines = Iterator[str]


def write(kind: str, path: Path, size: int) -> None:
    """Writes about `size` bytes of a kind of KINDS; ends at a whole line."""
    write_lines(KINDS[kind](random.Random(SEED)), path, size)


def write_lines(lines: Lines, path: Path, size: int) -> None:
    """Writes about `size` bytes; ends at a whole line."""
    written, held = 0, 0
    buffer: list[str] = []
    with path.open("wb") as file:
        while written < size:
            line = next(lines)
            buffer.append(line)
            held += len(line) + 1
            if held >= FLUSH_BYTES or written + held >= size:
                written += file.write("\n".join([*buffer, ""]).encode())
                buffer, held = [], 0


class Rank:
    """One process of the dense log, and the hexadecimal numbers that it keeps printing."""

    def __init__(self, number: int, world: int, rng: random.Random) -> None:
        self.number, self.world, self.gpu = number, world, number % GPUS
        self.pid = rng.randrange(20_000, 2_000_000)
        self.host = f"node{number // GPUS:03d}"
        self.threads = [f"{self.host}:{self.pid}:{self.pid + extra} [{self.gpu}] NCCL INFO " for extra in (0, 411, 902)]
        self.comm, self.stream = (f"0x55{rng.getrandbits(40):010x}" for _ in range(2))
        self.bus = f"{rng.randrange(16, 220):x}000"
        self.op_count = 0


def dense(rng: random.Random, world: int = RANKS) -> Lines:
    """Bursts of one rank at a time, as when a launcher collects the output of many."""
    ranks = [Rank(number, world, rng) for number in range(world)]
    scenes = [_channels, _operations, _trees, _init, _chatter]
    while True:
        scene = rng.choices(scenes, (30, 60, 3, 3, 14))[0]
        yield from scene(rng.choice(ranks), rng)


def _channels(rank: Rank, rng: random.Random) -> Lines:
    """Channel 07/0 : 3[3] -> 2[2] via P2P/IPC/read"""
    me, head = rank.number, rank.threads[1]
    peer = (me // GPUS * GPUS) + (rank.gpu + 1) % GPUS
    far = (me + GPUS) % rank.world
    for channel in range(rng.choice((8, 16))):
        if rng.random() < 0.7:
            yield f"{head}Channel {channel:02d}/0 : {me}[{rank.gpu}] -> {peer}[{peer % GPUS}] via P2P/CUMEM/read"
        else:
            a, b, way = (me, far, "send") if channel % 2 else (far, me, "receive")
            nic = f"NET/IB/{channel % 8}/GDRDMA"
            yield f"{head}Channel {channel:02d}/0 : {a}[{a % GPUS}] -> {b}[{b % GPUS}] [{way}] via {nic}"


OPERATIONS = ("AllReduce", "AllReduce", "AllGather", "ReduceScatter", "Broadcast")
COUNTS = (1, 4096, 1_048_576, 6_553_600, 16_384_000, 26_214_400)


def _operations(rank: Rank, rng: random.Random) -> Lines:
    """AllReduce: opCount 1f sendbuff 0x7f.. recvbuff 0x7f.. count 4096 datatype 9 op 0 root 0 comm 0x55.. ..."""
    for _ in range(rng.randrange(4, 20)):
        rank.op_count += 1
        at = rng.getrandbits(40)
        yield (
            f"{rank.threads[0]}{rng.choice(OPERATIONS)}: opCount {rank.op_count:x} sendbuff 0x7f{at:010x} "
            f"recvbuff 0x7f{at ^ 0xABCDEF00:010x} count {rng.choice(COUNTS)} datatype 9 op 0 root 0 "
            f"comm {rank.comm} [nranks={rank.world}] stream {rank.stream}"
        )


def _trees(rank: Rank, rng: random.Random) -> Lines:
    me, head = rank.number, rank.threads[1]
    yield f"{head}Trees [0] {me + 1}/{me + 8}/-1->{me}->-1 [1] {me + 1}/-1/-1->{me}->{me - 1}"
    for channel in range(4):
        yield f"{head}Ring {channel:02d} : {me - 1} -> {me} -> {me + 1}"
        yield f"{head}Tree {channel} : {me - 1} -> {me} -> {me + 1}/{me + 8}/-1"
    yield f"{head}Connected all rings"
    yield f"{head}Connected all trees"
    yield f"{head}16 coll channels, 16 collnet channels, 16 nvls channels, 16 p2p channels, 2 p2p channels per peer"


def _init(rank: Rank, rng: random.Random) -> Lines:
    me, head, comm_id = rank.number, rank.threads[1], f"0x{rng.getrandbits(64):016x}"
    said = f"comm {rank.comm} rank {me} nranks {rank.world} cudaDev {rank.gpu} nvmlDev {rank.gpu} busId {rank.bus}"
    yield f"{rank.threads[0]}Bootstrap : Using eth0:10.1.{me // GPUS}.30<0>"
    yield f"{rank.threads[0]}NCCL version 2.21.5+cuda12.4"
    yield f"{head}NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_2:1/IB [3]mlx5_3:1/IB [RO]; OOB eth0:10.1.{me // GPUS}.30<0>"
    yield f"{head}Using network IB"
    yield f"{head}ncclCommInitRank {said} commId {comm_id} - Init START"
    yield f"{head}Setting affinity for GPU {rank.gpu} to ffff,ffffffff"
    yield f"{head}threadThresholds 8/8/64 | 8192/8/64 | 512 | 512"
    yield f"{head}ncclCommInitRank {said} commId {comm_id} - Init COMPLETE"


def _chatter(rank: Rank, rng: random.Random) -> Lines:
    """What the training script prints in between: no event."""
    for step in range(rng.randrange(2, 8)):
        yield f"  batch {rng.randrange(100_000)} of shard {rank.number:04d}: {rng.random():.6f} packed, {step} left"


SPARSE_EVENTS = (
    "[rank{rank}]:[E501 {clock}.384372190 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation "
    "timeout: WorkNCCL(SeqNum={n}, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran for 600029 "
    "milliseconds before timing out.",
    "node{host:03d}:4121:4390 [{gpu}] NCCL INFO comm 0x55a2{n:08x} rank {rank} nranks 1024 cudaDev {gpu} nvmlDev {gpu} "
    "busId 4d000 commId 0x84d25ec78e85f71d - Init COMPLETE",
    "node{host:03d}:4121:4390 [{gpu}] NCCL INFO Channel 03/0 : {rank}[{gpu}] -> 7[7] via P2P/CUMEM/read",
    "[2024-05-01 {clock}] node{host:03d}:4121:4390 [{gpu}] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_{gpu}:1 Got "
    "async event : port error",
)
SPARSE_TEXT = (
    "{stamp} trainer.loop | batch {n} took {x:.4f} of the budget, scaler at 65536.0, {gpu} workers behind the queue",
    "{stamp} data.loader | shard-{n:06d}.tar opened in {x:.3f} s, 1024 samples, 3 of them shorter than the window",
    "{stamp} data.loader | prefetch depth {gpu}, cache holds {n} entries, evicted 12 since the last report on this worker",
    "{stamp} ckpt.writer | part {gpu} of 8 written, {n} bytes in {x:.2f} s to /mnt/fs/run-17/part-{n}.safetensors",
)


def sparse(rng: random.Random) -> Lines:
    """Text with an ISO time on each line, one line in fifty an event."""
    now = START
    while True:
        now += timedelta(milliseconds=rng.randrange(40))
        rank = rng.randrange(RANKS)
        values = {
            "rank": rank,
            "host": rank // GPUS,
            "gpu": rank % GPUS,
            "n": rng.randrange(1 << 20),
            "x": rng.random(),
        }
        if rng.random() < 0.02:
            yield rng.choice(SPARSE_EVENTS).format(clock=f"{now:%H:%M:%S}", **values)
        else:
            yield rng.choice(SPARSE_TEXT).format(stamp=now.isoformat(" ", "milliseconds"), **values)


SYSLOG_EVENTS = (
    "kernel: [{n}.123456] NVRM: Xid (PCI:0000:{bus:02x}:00): 79, pid=4121, name=python, GPU has fallen off the bus.",
    "kernel: [{n}.123456] mlx5_core 0000:{bus:02x}:00.0: mlx5_pcie_event:299:(pid 12): Detected insufficient power on the PCIe slot (27W).",
    "kernel: [{n}.123456] mlx5_core 0000:{bus:02x}:00.0 ens3f0: Link down",
    "slurmd[2312]: launch task StepId={n}.0 request from UID:1000 GID:1000 HOST:10.1.2.3 PORT:49152",
)
SYSLOG_TEXT = (
    "systemd[1]: Started Session {n} of user build.",
    "sshd[{pid}]: Accepted publickey for build from 10.1.2.3 port {pid} ssh2: ED25519 SHA256:abcdefghijklmnop",
    "CRON[{pid}]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)",
    "chronyd[811]: Selected source 10.1.0.1 (ntp-{bus})",
    "node_exporter[912]: ts=2024-05-01T12:00:00.000Z caller=textfile.go:227 level=warn collector=textfile file={n}.prom",
    "dhclient[733]: DHCPREQUEST for 10.1.2.{bus} on eth0 to 10.1.0.1 port 67",
)


def syslog(rng: random.Random) -> Lines:
    """RFC 3164 lines of 500 hosts as a collector writes them, five in a hundred of interest."""
    now = START
    while True:
        now += timedelta(milliseconds=rng.randrange(20))
        head = f"{now:%b} {now.day:2d} {now:%H:%M:%S} node{rng.randrange(500):03d} "
        text = rng.choice(SYSLOG_EVENTS if rng.random() < 0.05 else SYSLOG_TEXT)
        yield head + text.format(n=rng.randrange(1 << 20), pid=rng.randrange(1000, 65000), bus=rng.randrange(16, 220))


def smi(rng: random.Random) -> Lines:
    """timestamp, index, uuid and the usual gauges, every five seconds."""
    yield (
        "timestamp, index, uuid, pci.bus_id, utilization.gpu [%], memory.used [MiB], temperature.gpu, power.draw [W], "
        "clocks.sm [MHz], ecc.errors.uncorrected.volatile.total"
    )
    uuids = [f"GPU-{rng.getrandbits(32):08x}-4fd2-11ee-8c99-{rng.getrandbits(48):012x}" for _ in range(GPUS)]
    now = START
    for gpu in cycle(range(GPUS)):
        now += timedelta(seconds=5 if gpu == 0 else 0, milliseconds=1)
        stamp = f"{now:%Y/%m/%d %H:%M:%S}.{now.microsecond // 1000:03d}"
        yield (
            f"{stamp}, {gpu}, {uuids[gpu]}, 00000000:{16 + 8 * gpu:02X}:00.0, {rng.randrange(101)} %, "
            f"{rng.randrange(81_000)} MiB, {rng.randrange(30, 90)}, {rng.uniform(60, 700):.2f} W, {rng.randrange(1980)} MHz, 0"
        )


KINDS: dict[str, Callable[[random.Random], Lines]] = {"dense": dense, "sparse": sparse, "syslog": syslog, "smi": smi}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("path", type=Path)
    parser.add_argument("--megabytes", type=float, default=100, metavar="N", help="size to write (default: %(default)s)")
    given = parser.parse_args()
    write(given.kind, given.path, int(given.megabytes * 1e6))


if __name__ == "__main__":
    main()
