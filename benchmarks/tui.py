"""How long the terminal app takes to show a large case: first finding, timeline, keys, zoom and filter, and its memory.

    python benchmarks/tui.py                         16,384 ranks and a million events, made here
    python benchmarks/tui.py --events 10000000       the case of the budgets
    python benchmarks/tui.py --case DIR              a case of your own

The program runs on a pseudo-terminal, as a person would run it. Compare only runs on the same quiet machine; the best of
several counts.
"""

import argparse
import asyncio
import os
import pty
import resource
import select
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path

from ncclscope import analyse, case, packs, schema, timeline, views
from ncclscope.tui import facts, grids
from ncclscope.tui.app import Scope
from ncclscope.tui.desk import Desk
from ncclscope.tui.grids import Look
from ncclscope.tui.opening import Wanted

RANKS = 16_384
START = datetime(2026, 11, 30, 3, 0, 0)
COLUMNS, LINES = 120, 40


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


def on_a_terminal(path: Path, wanted: list[bytes]) -> tuple[list[float], int, float]:
    """Seconds until each text is on the terminal, in turn; the most memory in MiB; CPU seconds until the last of them."""
    began = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(LINES))
        os.execv(sys.executable, [sys.executable, "-m", "ncclscope", str(path)])
    seen, taken, most = b"", [], 0
    for text in wanted:
        while text not in seen and time.perf_counter() - began < 120:
            if select.select([terminal], [], [], 0.05)[0]:
                seen += os.read(terminal, 65536)
        taken.append(time.perf_counter() - began)
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    used = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
    time.sleep(0.5)
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        most = int(line.split()[1]) // 1024 if line.startswith("VmHWM") else most
    os.write(terminal, b"q")
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    return taken, most, used


async def settled(app: Scope, pilot: object) -> None:
    """Until no question is open."""
    for _ in range(3):
        await pilot.pause()  # type: ignore[attr-defined]
        await app.workers.wait_for_complete([worker for worker in app.workers if not worker.is_finished])
    await pilot.pause()  # type: ignore[attr-defined]


async def keys(path: Path) -> None:
    """From a key to its reaction with queries beside it, and until zoom and filter are drawn."""
    app = Scope(Wanted(cases=(path,)))
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        await settled(app, pilot)

        async def timed(name: str, work: Callable[[], Awaitable[object]], is_whole: bool) -> None:
            taken = []
            for _ in range(5):
                began = time.perf_counter()
                await work()
                if is_whole:
                    await settled(app, pilot)
                taken.append(time.perf_counter() - began)
                await settled(app, pilot)
            print(f"{name:<34} best of 5 {1000 * min(taken):6.0f} ms, worst {1000 * max(taken):6.0f} ms")

        await pilot.press("2")
        await settled(app, pilot)
        await timed("key to reaction, cursor", lambda: pilot.press("h"), False)
        await timed("key to reaction, zoom beside query", lambda: pilot.press("plus"), False)
        await timed("zoom drawn", lambda: pilot.press("minus"), True)

        async def narrow() -> None:
            app.narrow("rank:0-511" if not app.looking.filter else "")

        await timed("filter drawn and counted", narrow, True)
        await pilot.press("3")
        await settled(app, pilot)
        await timed("events, next page", lambda: pilot.press("space"), True)


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
        runs = [on_a_terminal(path, [args.finding.encode(), args.row.encode()]) for _ in range(5)]
        for place, name in enumerate(("first finding", "timeline filled")):
            taken = [times[place] for times, _, _ in runs]
            print(f"{name:<18} best of 5 {min(taken):.3f} s; worst {max(taken):.3f} s")
        print(f"resident           at most {max(most for _, most, _ in runs)} MiB; CPU until then {min(used for _, _, used in runs):.2f} s")
        asyncio.run(keys(path))
        print(f"this process       at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")


if __name__ == "__main__":
    main()
