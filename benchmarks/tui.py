"""How long the terminal app takes to show a large case: first finding, timeline, keys, zoom and filter, and its memory.

    python benchmarks/tui.py                         16,384 ranks and a million events, made here
    python benchmarks/tui.py --events 10000000       the case of the budgets
    python benchmarks/tui.py --case DIR              a case of your own

The program runs on a pseudo-terminal, as a person would run it. Compare only runs on the same quiet machine; the best of
several counts.
"""

import argparse
import contextlib
import fcntl
import os
import pty
import select
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from ncclscope import analyse, case, packs, schema, timeline, views
from ncclscope.tui import facts, grids
from ncclscope.tui.desk import Desk
from ncclscope.tui.grids import Look

RANKS = 16_384
START = datetime(2026, 11, 30, 3, 0, 0)
COLUMNS, LINES = 120, 40
# After so long a silence the screen is drawn, and after so short a one something else is drawn.
QUIET_S, BURST_S = 1.0, 0.06


def make(folder: Path, events: int) -> Path:
    """A case in which one rank of very many fails and the others wait, with so many log lines of theirs."""
    with (folder / "job.log").open("w") as log:
        log.write("node064:4121:4390 [5] NCCL INFO NCCL version 2.21.5+cuda12.4\n")
        for number in range(events):
            rank = number % RANKS
            word = "WARN NET/IB : Got completion" if number % 9973 == 0 else "INFO NET/IB : Using interface"
            at = START + timedelta(seconds=number * 3600 / max(events, 1))
            head = f"{at:%Y-%m-%d %H:%M:%S} node{rank // 8:04d}:{rank}:{rank} [{rank % 8}]"
            log.write(f"{head} NCCL {word} {number}\n")
    pack = packs.load()
    analyse.read(folder / "case", [str(folder / "job.log")], pack)
    opened = case.open_case(folder / "case", pack, views.shared())
    opened.make("SELECT * FROM events")
    end = START + timedelta(hours=1)
    ranks = [[0, n, RANKS, f"node{n // 8:04d}", n % 8, n, n % 8, None, None, True, START, end, None, None] for n in range(RANKS)]
    opened.write("ranks", ranks)
    opened.write("hosts", [[0, f"node{n:04d}", True, None, None, 8, None, None, None, None] for n in range(RANKS // 8)])
    opened.write("intervals", [row for n in range(RANKS) for row in story(n)])
    proof = [
        {"file_id": f, "line": line, "part": p} for f, line, p in opened.sql("SELECT file_id, line, part FROM events ORDER BY ALL LIMIT 20")
    ]
    found = ["f1", 0, "rule", "net.link_flap", "critical", "cause", "certain", "Title", "node0064: the port went down", "Drain it."]
    opened.write("findings", [[*found, ["node0064"], [517], [], [], None, False, START, None, None, proof, 1]])
    verdict = [0, START, end, "cause_found", "node0064: the port went down.", "f1", ["Drain it."], True]
    opened.write("verdicts", [verdict[: len(schema.BY_NAME["verdicts"].columns)]])
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
    rows = desk.ask("count", "SELECT count(*) AS n FROM events_raw")[0]["n"]
    print(f"facts     {time.perf_counter() - began:.3f} s  ({rows:,} events)")
    verdict = known.verdict(None)
    for look, name in ((Look(by_order=False), "by time "), (Look(by_order=True), "by order")):
        taken = []
        for _ in range(3):
            began = time.perf_counter()
            picture = grids.picture(desk, verdict["attempt"], verdict, COLUMNS - 20, look)
            drawn = time.perf_counter()
            found = timeline.herds(picture.ranks, LINES - 10) if picture else []
            taken.append((drawn - began, time.perf_counter() - drawn))
        print(f"picture {name}  best of 3 {min(taken)[0]:.3f} s, herds {min(two for _, two in taken):.4f} s, {len(found)} rows")


class Terminal:
    """The program on a pseudo-terminal; everything is timed from outside, as a person sees it."""

    def __init__(self, path: Path) -> None:
        self.began = time.perf_counter()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(LINES))
            os.execv(sys.executable, [sys.executable, "-m", "ncclscope", str(path)])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))

    def _read(self, seconds: float) -> bytes:
        """What comes within so many seconds; nothing where the program is silent."""
        return os.read(self.terminal, 65536) if select.select([self.terminal], [], [], seconds)[0] else b""

    def until(self, text: bytes) -> float:
        """Seconds from the start until a text is there."""
        seen = b""
        while text not in seen and time.perf_counter() - self.began < 120:
            seen += self._read(0.05)
        return time.perf_counter() - self.began

    def settle(self, quiet: float = QUIET_S) -> None:
        """Reads until nothing comes for so long."""
        while self._read(quiet):
            pass

    def changes(self, before: Sequence[bytes], keys: bytes) -> list[float]:
        """Seconds from keys to the end of each burst of changes on the screen, after what was typed before them."""
        self.settle()
        for typed in before:
            os.write(self.terminal, typed)
            self.settle()
        pressed = last = time.perf_counter()
        os.write(self.terminal, keys)
        bursts: list[float] = []
        while self._read(QUIET_S):
            now = time.perf_counter()
            if now - last > BURST_S or not bursts:
                bursts.append(now - pressed)
            bursts[-1], last = now - pressed, now
        return bursts

    def cost(self) -> tuple[float, int]:
        """CPU seconds so far, and the most memory in MiB."""
        ticks = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        peak = next(line for line in Path(f"/proc/{self.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
        return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK"), int(peak.split()[1]) // 1024

    def close(self) -> None:
        """Leaves the program."""
        os.write(self.terminal, b"q")
        with contextlib.suppress(OSError):
            while os.read(self.terminal, 65536):
                pass
        os.waitpid(self.pid, 0)


def opening(path: Path, wanted: list[bytes]) -> None:
    """Until the first finding and the first row of the timeline are there."""
    taken, costs = [], []
    for _ in range(5):
        terminal = Terminal(path)
        taken.append([terminal.until(text) for text in wanted])
        costs.append(terminal.cost())
        terminal.close()
    for place, name in enumerate(("first finding", "timeline filled")):
        times = [one[place] for one in taken]
        print(f"{name:<34} best of 5 {min(times):.3f} s, worst {max(times):.3f} s")
    print(f"{'until then':<34} CPU {min(cpu for cpu, _ in costs):.2f} s, at most {max(most for _, most in costs)} MiB")


def keys(path: Path, row: bytes) -> None:
    """From a key to its echo, to the picture, and to the last of what is told beside it."""
    terminal = Terminal(path)
    terminal.until(row)
    terminal.changes([], b"2")
    for name, way in (
        ("cursor", [([], b"h")] * 9),
        ("zoom", [([], b"+"), ([], b"-")] * 4),
        ("filter", [([b"f", b"rank:0-511"], b"\r"), ([], b"U")] * 3),
    ):
        times = [terminal.changes(*typed) for typed in way]
        for what, place in (("echo", 0), ("picture", 1), ("all", -1)):
            if what == "picture" and name == "cursor":
                continue
            found = sorted(one[min(place, len(one) - 1)] for one in times)
            print(f"{f'{name}: {what}':<34} median {1000 * found[len(found) // 2]:6.0f} ms, worst {1000 * found[-1]:6.0f} ms")
    print(f"{'after that':<34} at most {terminal.cost()[1]} MiB")
    terminal.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", type=Path)
    parser.add_argument("--events", type=int, default=1_000_000, help="log lines of the case that is made here")
    parser.add_argument("--finding", default="the port went down", help="text of the first finding")
    parser.add_argument("--row", default="ranks ", help="text of a row of the timeline")
    args = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        path = args.case or make(Path(folder), args.events)
        queries(path)
        opening(path, [args.finding.encode(), args.row.encode()])
        keys(path, args.row.encode())


if __name__ == "__main__":
    main()
