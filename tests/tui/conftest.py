import os

os.environ.update(TZ="UTC", TEXTUAL_ANIMATIONS="none")

import gzip
from datetime import datetime, timedelta

import pytest

from ncclscope import analyse, case, packs, samples, views

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
    opened.write("verdicts", [verdict])
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
    opened.write("hosts", [[0, f"node{n:03d}", n < 126, None, None, 8, None, None] for n in range(128)])
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
