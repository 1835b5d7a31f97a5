"""How fast an archive of many jobs becomes a folder of cases, with one worker and with two, and how fast it is found done.

    python benchmarks/archive.py --scale 0.01

Two hundred jobs, each a compressed tar of dense, sparse, syslog and telemetry text, half of them gz and half zst. At scale
1 they hold 20 GB of text. A few different jobs are generated and linked under two hundred names, so that the disk holds
little; to the program they are two hundred files. Seconds are of the whole command, from its start to its end. On a machine
that others use too, compare the two columns of one run and look at the load that is printed.
"""

import argparse
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import generate
import pyarrow as pa

TEXT_BYTES = 20e9
JOBS = 200
SHAPES = 4
# What a job's text consists of.
PARTS = {"dense": 0.5, "sparse": 0.3, "syslog": 0.15, "smi": 0.05}
FORMS = {"gz": "gzip", "zst": "zstd"}


@dataclass(frozen=True)
class Run:
    """One run of the command."""

    seconds: float
    cpu: float
    peak_mb: float
    status: int


def shapes(folder: Path, job_bytes: int) -> list[tuple[Path, int]]:
    """Different jobs as archives, with the bytes of text in each."""
    made = []
    for number in range(SHAPES):
        plain = io.BytesIO()
        text = 0
        with tarfile.open(fileobj=plain, mode="w") as tar:
            for kind, share in PARTS.items():
                path = folder / ("telemetry.csv" if kind == "smi" else f"{kind}.log")
                # Sizes differ, so that no two jobs are the same.
                generate.write(kind, path, max(int(job_bytes * share * (1 + number / 20)), 2000))
                text += path.stat().st_size
                tar.add(path, f"logs/{path.name}")
                path.unlink()
        for suffix, codec in FORMS.items():
            target = folder / f"shape-{number}.tar.{suffix}"
            with pa.CompressedOutputStream(str(target), codec) as file:
                file.write(plain.getbuffer())
            made.append((target, text))
    return made


def fill(folder: Path, made: list[tuple[Path, int]], jobs: int) -> int:
    """Links the jobs under their names; how many bytes of text they hold."""
    folder.mkdir()
    total = 0
    for number in range(jobs):
        path, text = made[number % len(made)]
        os.link(path, folder / f"job-{48_000 + number}{''.join(path.suffixes)}")
        total += text
    return total


def run(inputs: Path, out: Path, workers: int) -> Run:
    """The command in a process of its own, with the most memory that it and its workers held together."""
    command = [sys.executable, "-m", "ncclscope", "scan", "--each", "-o", str(out), "--workers", str(workers), str(inputs)]
    began, spent = time.perf_counter(), sum(os.times()[2:4])
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=Path(__file__).resolve().parent.parent)
    peak = 0
    while child.poll() is None:
        peak = max(peak, memory(child.pid))
        time.sleep(0.1)
    return Run(time.perf_counter() - began, sum(os.times()[2:4]) - spent, peak / 1e6, child.returncode)


def memory(pid: int) -> int:
    """Bytes that a process and everything below it hold, without what they share."""
    total = 0
    for process in [pid, *_below(pid)]:
        try:
            resident, shared = map(int, Path(f"/proc/{process}/statm").read_text().split()[1:3])
        except OSError:
            continue
        total += (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    return total


def _below(pid: int) -> list[int]:
    try:
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [*children, *(one for child in children for one in _below(child))]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="share of 20 GB of text (default: 1)")
    parser.add_argument("--jobs", type=int, default=JOBS, metavar="N", help=f"jobs (default: {JOBS})")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2], metavar="N", help="worker processes (default: 1 2)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="archive-") as work:
        folder = Path(work)
        total = fill(folder / "in", shapes(folder, int(TEXT_BYTES * given.scale / given.jobs)), given.jobs)
        packed = sum(path.stat().st_size for path in (folder / "in").iterdir())
        print(f"{given.jobs} jobs, {total / 1e6:,.0f} MB of text in {packed / 1e6:,.0f} MB, load {os.getloadavg()[0]:.1f}", flush=True)
        first = 0.0
        for workers in given.workers:
            out = folder / f"cases-{workers}"
            done = run(folder / "in", out, workers)
            first = first or done.seconds
            line = f"{workers} workers  {total / 1e6 / done.seconds:6.1f} MB/s  {done.seconds:7.1f} s  ratio {first / done.seconds:4.2f}"
            line += f"  CPU {done.cpu:.1f} s"
            print(f"{line}  peak {done.peak_mb:,.0f} MB  status {done.status}  load {os.getloadavg()[0]:.1f}", flush=True)
        kept = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        again = run(folder / "in", out, given.workers[-1])
        print(f"again      {again.seconds:7.2f} s  CPU {again.cpu:.2f} s  peak {again.peak_mb:,.0f} MB", flush=True)
        print(f"cases      {kept / 1e6:,.1f} MB, 1/{total / kept:.1f} of the text", flush=True)
        shutil.rmtree(out)


if __name__ == "__main__":
    main()
