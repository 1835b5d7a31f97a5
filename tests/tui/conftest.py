import os
import tempfile

# What is kept for the next session goes nowhere near the person who runs the tests.
os.environ.update(TZ="UTC", TEXTUAL_ANIMATIONS="none", XDG_CACHE_HOME=tempfile.mkdtemp())

import gzip
from datetime import datetime, timedelta

import pytest

from ncclscope import analyse, case, packs, samples, schema, views

START = datetime(2026, 11, 30, 3, 2, 11)
FAULT = datetime(2026, 11, 30, 3, 13, 52)


@pytest.fixture(scope="session")
def pack():
    return packs.load()


def made(directory, logs, pack):
    """A case with tables and no findings."""
    analyse.read(directory, [str(logs)], pack)
    return case.open_case(directory, pack, views.shared())


def finding(number, summary, *, role="cause", severity="critical", ranks=(), hosts=(), began=FAULT, by=None, evidence=(), rule=None):
    """A row of the table `findings`, in the order of its columns."""
    keys = [{"file_id": f, "line": n, "part": p} for f, n, p in evidence]
    rule = rule or f"rule-{number}"
    advice = "Look at it.\nThen drain it."
    head = [f"finding{number:05d}", 0, rule, "net.link_flap", severity, role, "likely", f"Title of {rule}", summary, advice]
    return [*head, list(hosts), list(ranks), [], [], None, False, began, None, by, keys, len(keys)]


def concluded(opened, found, verdict):
    """Writes findings, checks and the verdict of a case."""
    opened.write("findings", found)
    opened.write("checks", [["rule-1", "fired", len(found), None], ["rule-2", "silent", 0, None]])
    # The only verdict is the job's.
    opened.write("verdicts", [[*verdict, True][: len(schema.BY_NAME["verdicts"].columns)]])
    return opened.path


@pytest.fixture(scope="session")
def hung(tmp_path_factory, pack):
    """Sixteen ranks of which one never entered a collective."""
    opened = made(tmp_path_factory.mktemp("hung") / "case", samples.folder() / "hang-rank-behind" / "logs", pack)
    query = "SELECT file_id, line, part, ts FROM events WHERE kind = 'torch.dump.signal' ORDER BY ALL LIMIT 3"
    proofs = [row[:3] for row in opened.sql(query)]
    began = datetime(2025, 3, 18, 2, 31, 29)
    found = [
        finding(1, "Rank 11 never entered ALLREDUCE 16573", ranks=[11], hosts=["nova-gpu08"], began=began, evidence=proofs),
        finding(2, "rank 5 waited", role="symptom", by="finding00001", ranks=[5], began=began, evidence=proofs[:1], rule="waited"),
        finding(3, "rank 9 waited", role="symptom", by="finding00001", ranks=[9], began=began, evidence=proofs[1:2], rule="waited"),
        finding(4, "[/foo] \x1b]0;owned\x07 [red]text", role="context", severity="info", began=None, evidence=proofs[:1]),
    ]
    verdict = [0, datetime(2025, 3, 18, 1, 51, 7), datetime(2025, 3, 18, 2, 41, 35), "suspect", "Rank 11 never entered ALLREDUCE 16573."]
    return concluded(opened, found, [*verdict, "finding00001", ["Look at rank 11.", "Set TORCH_NCCL_DEBUG=1 next time."]])


@pytest.fixture(scope="session")
def small(tmp_path_factory, pack):
    """Four ranks on two hosts, of which rank 2 never entered operation 120; with telemetry of the second host."""
    logs = tmp_path_factory.mktemp("small") / "job-7"
    for rank in range(4):
        folder = logs / f"node{rank // 2}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"rank{rank}.log").write_text("".join(f"{line}\n" for line in _small_log(rank)))
    head = "timestamp, index, temperature.gpu, power.draw [W], clocks.current.sm [MHz]\n"
    (logs / "node1" / "nvidia-smi.csv").write_text(head + "".join(_smi(minute) for minute in range(45)))
    opened = made(logs.parent / "case", logs, pack)
    keys = opened.sql("SELECT file_id, line, part FROM events WHERE kind = 'torch.watchdog.timeout' ORDER BY rank")
    began = START + timedelta(minutes=30)
    found = [
        finding(1, "Rank 2 never entered ALLREDUCE 120", ranks=[2], hosts=["node1"], began=began, evidence=keys[:1]),
        finding(2, "rank 0 waited", role="symptom", by="finding00001", ranks=[0], began=began, evidence=keys[:1], rule="waited"),
        finding(3, "rank 3 waited", role="symptom", by="finding00001", ranks=[3], began=began, evidence=keys[2:], rule="waited"),
    ]
    verdict = [0, START, START + timedelta(minutes=41), "cause_found", "Rank 2 never entered ALLREDUCE 120."]
    return concluded(opened, found, [*verdict, "finding00001", ["Look at rank 2."]])


def _small_log(rank):
    yield f"{START + timedelta(seconds=rank):%Y-%m-%d %H:%M:%S},100 INFO [rank {rank}] world 4, local rank {rank % 2}, pid {4000 + rank}"
    for step in range(12):
        at = START + timedelta(minutes=2 + 2.5 * step)
        took = "loss 2.5 lr 1.80e-04 data 4.3 ms fwd_bwd 1169.7 ms opt 26.0 ms"
        yield f"{at:%Y-%m-%d %H:%M:%S},{rank:03d} INFO [rank {rank}] step {10 * step} {took}"
    if rank != 2:
        at = START + timedelta(minutes=40)
        head = f"[rank{rank}]:[E{at:%m%d %H:%M:%S}.624561479 ProcessGroupNCCL.cpp:629] [Rank {rank}]"
        what = "WorkNCCL(SeqNum=120, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000)"
        yield f"{head} Watchdog caught collective operation timeout: {what} ran for 600036 milliseconds before timing out."
        status = "PG status: last enqueued work: 125, last completed work: 119"
        group = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]"
        head = head.replace("629", "2168").removesuffix(f"[Rank {rank}]")
        yield f"{head}{group} failure detected by watchdog at work sequence id: 120 {status}"


def _smi(minute):
    at = START + timedelta(minutes=minute)
    busy = 2 <= minute < 30
    return f"{at:%Y/%m/%d %H:%M:%S}.000, 0, {70 if busy else 40 + minute // 10}, {600.5 if busy else 90.0} W, {1980 if busy else 345} MHz\n"


@pytest.fixture(scope="session")
def untimed(tmp_path_factory, pack):
    """Logs without a single time: eight ranks set up NCCL, rank 5 stops while it looks for the network; operations are numbered."""
    logs = tmp_path_factory.mktemp("untimed") / "job-8"
    logs.mkdir(parents=True)
    for rank in range(8):
        (logs / f"rank{rank}.log").write_text("".join(f"{line}\n" for line in _set_up(rank)))
    opened = made(logs.parent / "case", logs, pack)
    opened.write("ranks", [[0, n, 8, f"node{n // 4}", n % 4, 900 + n, n % 4, None, None, True, None, None, None, None] for n in range(8)])
    opened.write("progress", [[0, n, "default_pg", 1, 40, 40 if n == 3 else 44] for n in range(8) if n != 5])
    evidence = opened.sql("SELECT file_id, line, part FROM events WHERE rank = 5 ORDER BY ALL LIMIT 1")
    found = [finding(1, "Rank 5 did not get beyond its network", ranks=[5], hosts=["node1"], began=None, evidence=evidence)]
    sentence = "Rank 5 did not get beyond its network."
    return concluded(opened, found, [0, None, None, "suspect", sentence, "finding00001", ["Look at the network of node1."]])


def _set_up(rank):
    head = f"node{rank // 4}:{900 + rank}:{900 + rank} [{rank % 4}] NCCL INFO"
    yield f"{head} Bootstrap : Using eth0:10.0.0.{rank + 1}<0>"
    yield f"{head} NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.{rank + 1}<0>"
    gpu = f"cudaDev {rank % 4} nvmlDev {rank % 4} busId {rank}000"
    comm = f"ncclCommInitRank comm 0x55{rank}0 rank {rank} nranks 8 {gpu} commId 0x9d3f55d0c0de12a4"
    yield f"{head} {comm} - Init START"
    if rank == 5:
        yield "node1:905:905 [1] transport/net_ib.cc:100 NCCL WARN NET/IB : Unable to open device mlx5_0"
        return
    yield f"{head} NVLS multicast support is available on dev {rank % 4}"
    yield f"{head} Channel 00/08 : 0 1 2 3 4 5 6 7"
    yield f"{head} Connected all rings"
    yield f"{head} {comm} - Init COMPLETE"


@pytest.fixture(scope="session")
def empty(tmp_path_factory, pack):
    """A log in which nothing was recognised."""
    folder = tmp_path_factory.mktemp("empty")
    (folder / "job.log").write_text("nothing here\n")
    opened = made(folder / "case", folder / "job.log", pack)
    sentence = "No line of the input was recognised, so nothing can be said about the job."
    return concluded(opened, [], [0, None, None, "insufficient", sentence, None, []])


@pytest.fixture(scope="session")
def unreadable(tmp_path_factory, pack):
    """A truncated gzip beside a good file."""
    folder = tmp_path_factory.mktemp("unreadable")
    (folder / "logs").mkdir()
    (folder / "logs" / "good.log").write_text("node1:10:10 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n")
    data = gzip.compress(b"node2:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>\n" * 2000)
    (folder / "logs" / "torn.log.gz").write_bytes(data[: len(data) // 2])
    opened = made(folder / "case", folder / "logs", pack)
    return concluded(opened, [], [0, None, None, "healthy", "Nothing wrong in the evidence given: 2 sources, 2 checks.", None, []])


@pytest.fixture(scope="session")
def large(tmp_path_factory, pack):
    """1,024 ranks of which 1,000 wait, one fails, seven are ended with it and sixteen gave no log."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "job.log").write_text("node064:4121:4390 [5] NCCL INFO NCCL version 2.21.5+cuda12.4\n")
    opened = made(folder / "case", folder / "job.log", pack)
    opened.write("ranks", [_rank(n) for n in range(1024)])
    opened.write("hosts", [[0, f"node{n:03d}", n < 126, None, None, 8, None, None, None, None] for n in range(128)])
    opened.write("intervals", [row for n in range(1008) for row in _story(n)])
    evidence = opened.sql("SELECT file_id, line, part FROM events")
    found = [
        finding(1, "node064 mlx5_5: the port went down and stayed down", hosts=["node064"], ranks=[517], evidence=evidence),
        finding(2, "1,000 ranks waited in ALLREDUCE 4711", role="symptom", by="finding00001", ranks=range(64), evidence=evidence),
    ]
    verdict = [0, START, START + timedelta(minutes=29), "cause_found", "node064 mlx5_5: the port went down and stayed down."]
    return concluded(opened, found, [*verdict, "finding00001", ["Drain node064, then look at ibstat, its cable and its switch port."]])


def _rank(n):
    return [0, n, 1024, f"node{n // 8:03d}", n % 8, 4121 + n, n % 8, None, None, n < 1008, START, FAULT, None, None]


def _story(n):
    host, ready, end = f"node{n // 8:03d}", START + timedelta(minutes=1), START + timedelta(minutes=29)
    yield [0, n, host, "starting", START, ready, None, None, "set-up lines"]
    yield [0, n, host, "working", ready, FAULT, 40, 4710, "step lines"]
    if n // 8 == 64:
        yield [0, n, host, "ended", FAULT, FAULT, None, None, "exit code 1"]
    else:
        yield [0, n, host, "waiting", FAULT, end, None, 4711, "an operation ran into its timeout"]
