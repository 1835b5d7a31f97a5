"""How long the terminal app takes to show a large case: first finding, timeline, and a key.

    python benchmarks/tui.py                    16,384 ranks, made here
    python benchmarks/tui.py --case DIR         a case of your own

Compare only runs on the same quiet machine; the best of several counts.
"""

import argparse
import os
import pty
import resource
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

from ncclscope import analyse, case, packs, timeline, views
from ncclscope.tui import facts, grids
from ncclscope.tui.desk import Desk

RANKS = 16_384
START = datetime(2026, 11, 30, 3, 0, 0)
COLUMNS, LINES = 120, 40


def make(folder: Path) -> Path:
    """A case in which one rank of very many fails and the others wait."""
    (folder / "job.log").write_text("node064:4121:4390 [5] NCCL INFO NCCL version 2.21.5+cuda12.4\n")
    pack = packs.load()
    analyse.read(folder / "case", [str(folder / "job.log")], pack)
    opened = case.open_case(folder / "case", pack, views.shared())
    opened.make("SELECT * FROM events")
    end = START + timedelta(hours=1)
    ranks = [[0, n, RANKS, f"node{n // 8:04d}", n % 8, n, n % 8, None, None, True, START, end, None, None] for n in range(RANKS)]
    opened.write("ranks", ranks)
    opened.write("hosts", [[0, f"node{n:04d}", True, None, None, 8, None, None] for n in range(RANKS // 8)])
    opened.write("intervals", [row for n in range(RANKS) for row in story(n)])
    proof = [{"file_id": f, "line": line, "part": p} for f, line, p in opened.sql("SELECT file_id, line, part FROM events")]
    found = ["f1", 0, "rule", "net.link_flap", "critical", "cause", "certain", "Title", "node0064: the port went down", "Drain it."]
    opened.write("findings", [[*found, ["node0064"], [517], [], [], None, False, START, None, None, proof, 1]])
    opened.write("verdicts", [[0, START, end, "cause_found", "node0064: the port went down.", "f1", ["Drain it."]]])
    return opened.path


def story(n: int) -> list[list[object]]:
    """Start, work with a little jitter, and a wait."""
    ready, fault = START + timedelta(seconds=40 + n % 7), START + timedelta(minutes=30, seconds=n % 5)
    host = f"node{n // 8:04d}"
    return [
        [0, n, host, "starting", START, ready, None, None, ""],
        [0, n, host, "working", ready, fault, 1, 1, ""],
        [0, n, host, "ended" if n == 517 else "waiting", fault, START + timedelta(hours=1), None, 2, ""],
    ]


def queries(path: Path) -> None:
    """Facts, picture and herds, each alone."""
    began = time.perf_counter()
    desk = Desk(path)
    known = facts.read(desk)
    print(f"facts     {time.perf_counter() - began:.3f} s")
    verdict = known.verdict(None)
    for _ in range(3):
        began = time.perf_counter()
        picture = grids.picture(desk, verdict["attempt"], verdict, COLUMNS - 20, None)
        drawn = time.perf_counter()
        found = timeline.herds(picture.ranks, LINES - 10) if picture else []
        print(f"picture   {drawn - began:.3f} s, herds {time.perf_counter() - drawn:.4f} s, {len(found)} rows")


def first_frame(path: Path, wanted: bytes) -> float:
    """Seconds from the start of the program to the bytes of the first finding on a terminal."""
    began = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(LINES))
        os.execv(sys.executable, [sys.executable, "-m", "ncclscope", str(path)])
    seen = b""
    while wanted not in seen:
        seen += os.read(terminal, 65536)
    taken = time.perf_counter() - began
    os.write(terminal, b"q")
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", type=Path)
    parser.add_argument("--until", default="findings", help="text that counts as the first frame")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = args.case or make(Path(folder))
        queries(path)
        times = [first_frame(path, args.until.encode()) for _ in range(5)]
        print(f"first frame, best of 5: {min(times):.3f} s; worst {max(times):.3f} s")
        print(f"largest child: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
