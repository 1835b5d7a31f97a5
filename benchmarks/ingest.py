"""How fast logs become tables, beside ripgrep looking for the same literals and a plain Python loop.

    python benchmarks/ingest.py --megabytes 500

Each contender reads the same generated file, in turn, several times; the best counts. Seconds are from the call to the
last Parquet file, workers' start included. On a machine that others use too, look at the CPU seconds and the ratios.
ripgrep counts lines that hold any of the parsers' literals, the first of many steps of a scan, with all its threads. The
loop looks for one prefix and two kinds of line, where the parsers know hundreds, and keeps dicts in memory.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import generate

# What somebody would write who only wants to know which rank did what: one prefix, two kinds of line.
PREFIX = re.compile(r"^(?P<host>[\w.-]+):(?P<pid>\d+):(?P<tid>\d+) \[(?P<dev>\d+)\] NCCL (?P<level>INFO|WARN) (?P<rest>.*)$")
PATTERNS = [
    re.compile(r"^Channel (?P<channel>\d+)/\d+ : (?P<a>\d+)\[\d+\] -> (?P<b>\d+)\[\d+\](?: \[\w+\])? via (?P<via>\S+)$"),
    re.compile(r"^(?P<op>\w+): opCount (?P<n>[0-9a-f]+) .* count (?P<count>\d+) .* comm (?P<comm>\w+) "),
]
LOOP_BYTES = 20_000_000


@dataclass(frozen=True)
class Run:
    """One reading of one file."""

    seconds: float
    cpu: float
    rows: int = 0
    rss_mb: float = 0.0


def ours(path: Path, workers: int) -> Run:
    """A scan in a process of its own, with a fresh case."""
    command = [sys.executable, __file__, "--child", str(path), "--workers", str(workers)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def child(path: str, workers: int) -> None:
    """What that process does: plan, read the parcels, say how long it took and how much memory all processes held."""
    from ncclscope import scan

    with tempfile.TemporaryDirectory(dir=Path(path).parent) as case, Peak() as peak:
        began = time.perf_counter()
        todo = scan.plan([path])
        summaries = scan.read_parcels(todo, Path(case), workers=workers)
        seconds = time.perf_counter() - began
    rows = sum(sum(summary.rows.values()) for summary in summaries)
    print(json.dumps({"seconds": seconds, "cpu": cpu_seconds(), "rows": rows, "rss_mb": peak.bytes / 1e6}))


def cpu_seconds() -> float:
    """Of this process and the children that have ended."""
    return sum(os.times()[:4])


class Peak:
    """The most memory this process and its workers held together, looked up twenty times a second."""

    def __init__(self) -> None:
        self.bytes = 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Peak":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()

    def _watch(self) -> None:
        while not self.stop.wait(0.05):
            self.bytes = max(self.bytes, sum(_resident(pid) for pid in _family(os.getpid())))


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for number in children:
        yield from _family(int(number))


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def ripgrep(path: Path, literals: Path) -> Run:
    """Counts the lines that hold any of the literals, which is the first of many steps of a scan."""
    began, spent = time.perf_counter(), cpu_seconds()
    subprocess.run(["rg", "-c", "-F", "-f", str(literals), str(path)], stdout=subprocess.DEVNULL, check=False)
    return Run(time.perf_counter() - began, cpu_seconds() - spent)


def loop(path: Path) -> Run:
    """A loop with Python's re over the beginning of the file, as if it went on like that."""
    size = min(path.stat().st_size, LOOP_BYTES)
    with path.open("rb") as file:
        text = file.read(size).decode()
    rows = []
    began, spent = time.perf_counter(), cpu_seconds()
    for number, line in enumerate(text.splitlines()):
        head = PREFIX.match(line)
        rest = head["rest"] if head else line
        for pattern in PATTERNS:
            if found := pattern.search(rest):
                rows.append((number, head and head.groups(), found.groupdict()))
                break
    times = path.stat().st_size / size
    return Run((time.perf_counter() - began) * times, (cpu_seconds() - spent) * times, len(rows))


def compare(kind: str, path: Path, literals: Path, repeats: int, workers: int) -> Iterator[tuple[str, Run]]:
    """Each contender's best run."""
    contenders: dict[str, Callable[[], Run]] = {"ncclscope": lambda: ours(path, workers)}
    if shutil.which("rg"):
        contenders["ripgrep -c"] = lambda: ripgrep(path, literals)
    if kind == "dense":
        contenders["python re"] = lambda: loop(path)
    runs: dict[str, list[Run]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            runs[name].append(run())
    for name, done in runs.items():
        yield name, min(done, key=lambda run: run.seconds)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(generate.KINDS)} (default: all)")
    parser.add_argument("--megabytes", type=float, default=500, metavar="N", help="size of each file (default: 500)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each contender (default: 3)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="worker processes (default: 2)")
    parser.add_argument("--child", metavar="FILE", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        child(given.child, given.workers)
        return
    print(f"{'':8} {'':11} {'MB/s':>6} {'seconds':>8} {'ratio':>6} {'CPU s':>6} {'MB/CPU s':>8} {'rows':>11} {'memory':>8}")
    with tempfile.TemporaryDirectory() as directory:
        literals = Path(directory) / "literals"
        literals.write_text("\n".join(_literals()))
        for kind in given.kinds or generate.KINDS:
            path = Path(directory) / f"{kind}.{'csv' if kind == 'smi' else 'log'}"
            generate.write(kind, path, int(given.megabytes * 1e6))
            _table(kind, path, dict(compare(kind, path, literals, given.repeats, given.workers)))
            path.unlink()


def _literals() -> list[str]:
    from ncclscope import packs

    pack = packs.load(rules=False)
    return sorted({*(text for event in pack.events for text in event.literals), *(line.split for line in pack.lines)} - {""})


def _table(kind: str, path: Path, best: dict[str, Run]) -> None:
    size, first = path.stat().st_size / 1e6, best["ncclscope"].seconds
    for name, run in best.items():
        rows = f"{run.rows:,}" if name == "ncclscope" else ""
        memory = f"{run.rss_mb:,.0f} MB" if run.rss_mb else ""
        speed = f"{size / run.seconds:6.0f} {run.seconds:8.2f} {run.seconds / first:6.2f}"
        print(f"{kind:8} {name:11} {speed} {run.cpu:6.2f} {size / run.cpu:8.0f} {rows:>11} {memory:>8}", flush=True)


if __name__ == "__main__":
    main()
