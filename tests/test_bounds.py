"""What a scan may take: memory, file handles, disk; and what it must leave alone."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import cases
import pytest

from ncclscope import bounds, case, ingest

LINE = "2026-11-30 03:{:02d}:{:02d}.{:03d} trainer.loop | batch {} took {:.4f} of the budget, scaler at 65536.0\n"
MEASURED = """
import resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))
done = subprocess.run([sys.executable, "-m", "ncclscope", *sys.argv[1:]])
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def measured(words: Sequence[str | Path], files: int = 256) -> tuple[int, int]:
    """Status and the most KiB that a run of the program held, with so many file handles at most."""
    command = [sys.executable, "-c", MEASURED.format(files=files), *map(str, words)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    status, peak = map(int, out.split())
    return status, peak


def training_log(path: Path, lines: int) -> Path:
    with path.open("w") as file:
        for n in range(lines):
            file.write(LINE.format(n // 6000 % 60, n // 100 % 60, n % 1000, n, (n % 997) / 997))
            if n % 50 == 0:
                file.write(f"node001:4121:4390 [0] NCCL INFO Channel {n % 16:02d}/0 : 1[0] -> 2[1] via P2P/CUMEM\n")
    return path


def test_memory_does_not_grow_with_the_input(tmp_path: Path) -> None:
    peaks = []
    for number, lines in enumerate((60_000, 600_000)):
        path = training_log(tmp_path / f"{number}.log", lines)
        status, peak = measured(["scan", "--memory", "1G", "--workers", "1", "-o", tmp_path / f"case{number}", path])
        assert status == 0
        peaks.append(peak << 10)
    assert max(peaks) < 1 << 30
    assert peaks[1] < peaks[0] + (384 << 20)  # a block, a batch and what allocators keep of them


def test_many_files_need_few_handles(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    for number in range(300):
        (folder / f"rank{number}.log").write_text(cases.DOWN.format(number % 8))
    status, _ = measured(["scan", "--workers", "1", "-o", tmp_path / "case", folder], files=64)
    assert status == 0


@pytest.mark.parametrize(
    ("memory", "wanted", "workers"), [(None, 8, 8), (64 << 30, 8, 8), (3 << 30, 8, 4), (1 << 30, 8, 1), (1 << 20, 8, 1)]
)
def test_workers_are_as_many_as_fit(memory: int | None, wanted: int, workers: int) -> None:
    assert bounds.workers_within(memory, wanted) == workers
    if memory is not None and memory > 1 << 30:
        share = bounds.share_of(memory, workers)
        assert share is not None
        assert workers * share + bounds.LEADER_BYTES <= memory


def test_a_worker_with_little_memory_queries_with_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case, "MEMORY_LIMIT", "2GB")
    monkeypatch.setattr(ingest, "BATCH_BYTES", 24 << 20)
    bounds.settle(None)
    assert case.MEMORY_LIMIT == "2GB"
    bounds.settle(512 << 20)
    assert (case.MEMORY_LIMIT, ingest.BATCH_BYTES) == ("256MB", bounds.SMALL_BATCH_BYTES)


def test_less_memory_changes_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = cases.evidence(tmp_path / "job")
    right = cases.result(cases.scanned(folder, tmp_path / "right"))
    monkeypatch.setattr(case, "MEMORY_LIMIT", "192MB")
    monkeypatch.setattr(ingest, "BATCH_BYTES", 1000)
    assert cases.result(cases.scanned(folder, tmp_path / "case")) == right


def test_the_input_is_left_as_it_was_and_nothing_out_of_it_is_read(tmp_path: Path) -> None:
    folder = cases.evidence(tmp_path / "job")
    secret = tmp_path / "secret.log"
    secret.write_text(cases.DOWN.format(3))
    (folder / "link.log").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    before = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    made = cases.scanned(folder, tmp_path / "case")
    assert {path: path.lstat().st_mtime_ns for path in folder.rglob("*")} == before
    opened = case.open_case(made, case.Pack())
    skipped = opened.sql("SELECT path FROM files WHERE status = 'skipped' ORDER BY path")
    assert skipped == [("link.log",), ("pipe",), ("up",)]
    assert opened.sql("SELECT count(*) FROM events_raw WHERE kind = 'nccl.net.ib.async_event'") == [(1,)]


def test_a_scan_may_give_way(tmp_path: Path) -> None:
    folder = cases.evidence(tmp_path / "job", lines=3, files=1)
    program = (
        "import os, sys\nfrom ncclscope import cli\n"
        f"cli.main(['scan', '--nice', '5', '-o', {str(tmp_path / 'case')!r}, {str(folder)!r}])\nprint(os.nice(0))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(ran.stdout.splitlines()[-1]) == min(os.nice(0) + 5, 19)
