"""How fast logs become tables, beside what people use today on the same file.

    python benchmarks/ingest.py                                  all kinds, 500 MB each
    python benchmarks/ingest.py dense --megabytes 500 4000       growth
    python benchmarks/ingest.py dense --ranks 8 16384

Contenders take turns, several times; the median counts. Seconds are from the start of a process to its end: for ncclscope to
the last Parquet file. On a machine that others use too, look at the CPU seconds and the ratios.

ripgrep -c   counts lines that hold any of the parsers' literals, the first of many steps of a scan
lnav         indexes the file, as when somebody opens it, and quits
gzip, zstd   decompress and count lines
read_csv     polars with all its threads, types guessed
python re    a loop that looks for one prefix and two kinds of line and keeps dicts in memory
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
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
    """A scan in a process of its own, with a fresh case; its own start counts, as that of the others does."""
    began = time.perf_counter()
    words = [sys.executable, __file__, "--child", str(path), "--workers", str(workers)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return Run(**{**json.loads(done.stdout.splitlines()[-1]), "seconds": time.perf_counter() - began})


def child(path: str, workers: int) -> None:
    """What that process does: plan, read the parcels, say what it took and how much memory all processes held."""
    from ncclscope import scan

    with tempfile.TemporaryDirectory(dir=Path(path).parent) as case, Peak() as peak:
        summaries = scan.read_parcels(scan.plan([path]), Path(case), workers=workers)
    rows = sum(sum(summary.rows.values()) for summary in summaries)
    print(json.dumps({"cpu": cpu_seconds(), "rows": rows, "rss_mb": peak.bytes / 1e6}))


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


def command(*words: str, piped: bool = False) -> Run:
    """Another program on the same file; with `piped` what it prints goes to `wc -l`."""
    began, spent = time.perf_counter(), cpu_seconds()
    with subprocess.Popen(words, stdout=subprocess.PIPE if piped else subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        if piped:
            subprocess.run(["wc", "-l"], stdin=process.stdout, stdout=subprocess.DEVNULL, check=True)
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


def contenders(kind: str, path: Path, literals: Path, workers: int) -> dict[str, Callable[[], Run]]:
    """Who reads a file of this kind, by name; who is not installed is left out."""
    file = str(path)
    found: dict[str, Callable[[], Run]] = {"ncclscope": lambda: ours(path, workers)}
    if path.suffix in (".gz", ".zst"):
        tool = "gzip" if path.suffix == ".gz" else "zstd"
        programs = {f"{tool} -dc": lambda: command(tool, "-dcq", file, piped=True)}
    elif kind == "smi":
        code = f"import polars; polars.read_csv({file!r}, try_parse_dates=True)"
        return found | {"polars.read_csv": lambda: command(sys.executable, "-c", code)}
    else:
        programs = {
            "rg -c": lambda: command("rg", "-c", "-F", "-f", str(literals), file),
            "lnav": lambda: command("lnav", "-n", "-c", ":goto 100%", "-c", ":quit", file),
        }
    found |= {name: run for name, run in programs.items() if shutil.which(name.split()[0])}
    return found | ({"python re": lambda: loop(path)} if kind == "dense" and path.suffix == ".log" else {})


def versions() -> Iterator[str]:
    """What is compared here."""
    for words in (["rg", "--version"], ["lnav", "-V"], ["gzip", "--version"], ["zstd", "--version"]):
        if shutil.which(words[0]):
            yield subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines()[0].strip("* ")
    yield f"polars {metadata.version('polars')}"
    yield f"ncclscope {metadata.version('ncclscope')}"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    kinds = [*generate.KINDS, "dense.gz", "dense.zst"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(kinds)} (default: all)")
    parser.add_argument("--megabytes", type=float, nargs="+", default=[500], metavar="N", help="sizes of the files (default: 500)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[generate.RANKS], metavar="N", help="ranks that the dense log has")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each contender (default: 3)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="worker processes (default: 2)")
    parser.add_argument("--alone", action="store_true", help="no other contenders")
    parser.add_argument("--child", metavar="FILE", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        child(given.child, given.workers)
        return
    print("; ".join(versions()), f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| file | MB | | MB/s | seconds | times ncclscope | CPU s | memory MB |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        literals = Path(directory) / "literals"
        literals.write_text("\n".join(_literals()))
        for kind in given.kinds or kinds:
            for megabytes in given.megabytes:
                for ranks in given.ranks if kind.startswith("dense") else [generate.RANKS]:
                    path = _file(kind, Path(directory), int(megabytes * 1e6), ranks)
                    name = kind if ranks == generate.RANKS else f"{kind}, {ranks:,} ranks"
                    runs = contenders(kind, path, literals, given.workers)
                    _measure(name, int(megabytes), dict(list(runs.items())[: 1 if given.alone else None]), given.repeats)
                    path.unlink()


def _file(kind: str, folder: Path, size: int, ranks: int) -> Path:
    """A generated file; MB/s of a compressed one are of its text."""
    plain = kind.partition(".")[0]
    path = folder / f"{plain}.{'csv' if plain == 'smi' else 'log'}"
    if plain == "dense":
        generate.write_lines(generate.dense(random.Random(generate.SEED), ranks), path, size)
    else:
        generate.write(plain, path, size)
    if plain == kind:
        return path
    tool = {"gz": ["gzip", "-f"], "zst": ["zstd", "-qf", "--rm"]}[kind.partition(".")[2]]
    subprocess.run([*tool, str(path)], check=True)
    return path.with_name(f"{path.name}.{kind.partition('.')[2]}")


def _measure(kind: str, megabytes: int, who: dict[str, Callable[[], Run]], repeats: int) -> None:
    runs: dict[str, list[Run]] = {name: [] for name in who}
    for _ in range(repeats):
        for name, run in who.items():
            runs[name].append(run())
    middle = {name: sorted(done, key=lambda run: run.seconds)[len(done) // 2] for name, done in runs.items()}
    for name, run in middle.items():
        memory = f"{max(one.rss_mb for one in runs[name]):,.0f}" if run.rss_mb else ""
        times = f"{run.seconds / middle['ncclscope'].seconds:.2f}"
        cells = (kind, f"{megabytes:,}", name, f"{megabytes / run.seconds:,.0f}", f"{run.seconds:.2f}", times, f"{run.cpu:.2f}", memory)
        print(f"| {' | '.join(cells)} |", flush=True)


def _literals() -> list[str]:
    from ncclscope import packs

    pack = packs.load(rules=False)
    return sorted({*(text for event in pack.events for text in event.literals), *(line.split for line in pack.lines)} - {""})


if __name__ == "__main__":
    main()
