"""Small evidence for tests of scans, and everything that must be the same however it was read."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from ncclscope import analyse, packs, report, scan, schema, views
from ncclscope.case import open_case

# What only says how the rows were cut; `files.digest` of a sliced file is that of its slices.
INTERNAL = ("pieces",)
STEP = "[2026-11-30 03:{:02d}:{:02d}] node{:03d}:4121:4390 [0] NCCL INFO Channel {:02d}/0 : {}[0] -> {}[1] via P2P/CUMEM\n"
DOWN = (
    "[2026-11-30 03:13:52] node064:4121:4390 [0] transport/net_ib/common.cc:88 NCCL WARN "
    "NET/IB : mlx5_{}:1 Got non-fatal async event: port error(10)\n"
)


def evidence(folder: Path, lines: int = 120, files: int = 3, device: int = 5) -> Path:
    """The logs of one job."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        text = "".join(STEP.format(n // 60, n % 60, number, n % 16, number, number + 1) for n in range(lines))
        (folder / f"node{number:03d}.log").write_text(text)
    with (folder / "node000.log").open("a") as file:
        file.write(DOWN.format(device))
    return folder


def scanned(folder: Path, case: Path, parcel_bytes: int = 2048, **options: object) -> Path:
    """A case read in small parcels."""
    planned = scan.plan([str(folder)], parcel_bytes)
    return analyse.scan_case([str(folder)], analyse.Options(case=case, planned=planned, **options))  # type: ignore[arg-type]


def result(case: Path, sliced: bool = False) -> dict[str, bytes]:
    """The bytes of the report and of every table that is derived; with `sliced` without the digests of sliced files."""
    out = {path.stem: path.read_bytes() for path in sorted(case.glob("*.parquet")) if path.stem not in INTERNAL}
    opened = open_case(case, packs.load(), views.shared())
    if sliced:
        out["files"] = repr(opened.sql("SELECT * EXCLUDE digest FROM files ORDER BY ALL")).encode()
    for table in (schema.EVENTS, *schema.DENSE):
        out[table.name] = repr(opened.sql(f"SELECT * FROM {table.name} ORDER BY ALL")).encode()
    out["report"] = report.as_json(report.build(opened)).encode()
    return out


def parcels(case: Path) -> dict[str, int]:
    """The parcels that are finished, and what tells whether one was written anew."""
    return {path.parent.name: path.stat().st_ino for path in case.glob("parcels/[!.]*/summary.json")}


CHILD = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import cases
from ncclscope import executors
if __name__ == "__main__":
    cases.scanned(Path(sys.argv[1]), Path(sys.argv[2]), start=executors.processes(2), workers=2)
"""


def child(folder: Path, case: Path, script: Path) -> subprocess.Popen[bytes]:
    """The same in a process of its own with two workers, in a group that can be killed."""
    script.write_text(CHILD.format(tests=str(Path(__file__).parent)))
    command = [sys.executable, str(script), str(folder), str(case)]
    return subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and all its workers at once, as a lost machine does."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def children(pid: int) -> list[int]:
    """The worker processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            command = (path / "cmdline").read_text()
        except OSError:
            continue
        if parent == pid and "spawn_main" in command:
            found.append(int(path.name))
    return found


def ledger(folder: Path) -> dict[str, dict[str, object]]:
    """The entries of a batch by name."""
    return {entry["name"]: entry for entry in json.loads((folder / "batch.json").read_text())["jobs"]}
