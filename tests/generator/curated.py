"""The generated cases that ship in `sample_logs/`: which fault, how large, with what trouble in the evidence.

    python -m tests.generator.curated [NAME...]

writes them again, the same bytes as before. What is right to say about each was checked by hand.
"""

import io
import shutil
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from tests.generator.build import build, save
from tests.generator.job import Options

SAMPLES = Path(__file__).parents[2] / "sample_logs"


@dataclass(frozen=True)
class Case:
    """A directory of `sample_logs/`; `packed`: the evidence is handed over as one archive."""

    name: str
    options: Options
    packed: bool = False


def _case(
    name: str, fault: str, ranks: int = 16, hosts: int = 2, seed: int = 11, packed: bool = False, terse: bool = True, **more: object
) -> Case:
    return Case(name, Options(fault, ranks, hosts, seed, terse=terse, **more), packed)  # type: ignore[arg-type]


CASES = (
    _case("exception-old-launcher", "crash.python", layout="ranks", torch="1.13"),
    _case("exception-everywhere", "crash.python.everywhere", layout="nodes"),
    _case("illegal-access", "crash.cuda_error", layout="torchrun", torch="2.6", packed=True),
    _case("gpu-memory-kubectl", "crash.oom_gpu", layout="kubectl", torch="2.5"),
    _case("oom-killer-pods", "crash.oom_host", layout="pods", torch="2.4", zone=8),
    _case("segfault-native", "crash.signal", layout="console", torch="2.3"),
    _case("loader-bus-error", "config.shm", layout="torchrun", torch="2.7"),
    _case("shm-full-at-init", "config.shm.nccl", layout="console", torch="2.3"),
    _case("preempted-with-skew", "sched.preempted", layout="console", skew=40.0),
    _case("time-limit", "sched.time_limit", layout="nodes", zone=-7),
    _case("cancelled-by-user", "sched.cancelled", layout="ranks"),
    _case("node-failed", "sched.node_fail", hosts=4, layout="console"),
    _case("pod-evicted", "sched.evicted", layout="pods", torch="2.6"),
    _case("rendezvous-short", "launcher.rendezvous", ranks=32, hosts=4, layout="console", packed=True),
    _case("port-taken", "launcher.rendezvous.port", layout="nodes"),
    _case("store-unreachable", "launcher.store", layout="nodes", torch="2.4"),
    _case("xid79-with-skew", "hw.xid.79", layout="console", torch="2.8", skew=30.0),
    _case("gpu-lost-in-polls", "hw.gpu_lost", ranks=8, hosts=2, layout="nodes", terse=False, packed=True),
    _case("ecc-contained", "hw.ecc", layout="console", torch="2.5"),
    _case("nvlink-fatal", "hw.nvlink", layout="nodes", torch="2.6"),
    _case("nvswitch-fatal", "hw.nvswitch", ranks=32, hosts=4, layout="nodes", packed=True),
    _case("slot-contained", "hw.pcie", layout="torchrun", torch="2.7", packed=True),
    _case("gsp-timeout", "hw.xid.119", layout="console", torch="2.8"),
    _case("memory-error-of-host", "hw.host_mce", layout="nodes", torch="2.6"),
    _case("host-rebooted", "hw.reboot", hosts=4, layout="console", torch="2.6"),
    _case("host-vanished", "hw.host_lost", ranks=32, hosts=4, layout="console", torch="2.8", packed=True),
    _case("cpu-locked-up", "host.soft_lockup", layout="console", torch="2.6"),
    _case("task-blocked-in-driver", "host.hung_task", layout="nodes", torch="2.7"),
    _case("init-rank-absent", "hang.init", layout="pods", torch="2.8"),
    _case("everybody-entered-restart", "hang.watchdog_timeout", layout="console", torch="2.6", restart=True),
    _case("rank-silent-1024", "desync.rank_behind", ranks=1024, hosts=128, layout="nodes", torch="2.6", packed=True),
    _case("mismatch-512", "desync.collective_mismatch", ranks=512, hosts=64, layout="ranks", torch="2.3", packed=True),
    _case("uneven-input", "desync.uneven_input", layout="ranks", torch="2.4"),
    _case("input-stalled", "data.stall", layout="ranks", torch="2.6"),
    _case("save-stalled-lustre", "storage.stall.save", layout="console", torch="2.7", packed=True),
    _case("nfs-stalled-skew", "storage.stall", layout="nodes", torch="2.6", skew=20.0),
    _case("link-down-roce", "net.link_flap", layout="console", torch="2.6"),
    _case("adapter-firmware", "net.ib_error.firmware", layout="nodes", torch="2.7"),
    _case("path-unanswered", "net.ib_error", ranks=32, hosts=4, layout="console", torch="2.6", packed=True),
    _case("network-pauses", "net.congestion", ranks=8, hosts=2, layout="nodes", terse=False, framework="megatron", packed=True),
    _case("no-route", "net.socket_error", ranks=24, hosts=3, layout="console"),
    _case("two-ranks-one-gpu", "config.duplicate_gpu", layout="nodes"),
    _case("algorithms-differ", "config.env", ranks=24, hosts=3, layout="nodes", packed=True),
    _case("narrow-slot", "perf.pcie_degraded", ranks=8, hosts=2, layout="nodes", terse=False, packed=True),
    _case("clock-locked-low", "perf.straggler", ranks=8, hosts=2, layout="nodes", terse=False, framework="megatron", packed=True),
    _case("two-channels", "perf.low_channels", layout="console", torch="2.3"),
    _case("benchmark-too-slow", "perf.low_busbw", ranks=8, hosts=1),
    _case("only-the-end-is-known", "launcher.child_failed", layout="nodes", torch="2.6"),
    _case("healthy-alarming-lines", "healthy", layout="console", torch="2.6"),
    _case("healthy-torn-console", "healthy", layout="console", torch="2.7", torn=0.2, seed=12),
    _case("healthy-still-running", "healthy.running", layout="nodes"),
    _case("healthy-256", "healthy", ranks=256, hosts=32, layout="nodes", packed=True),
)


def write(case: Case, folder: Path) -> None:
    """One case, anew."""
    shutil.rmtree(folder, ignore_errors=True)
    save(*build(case.options), folder)
    if case.packed:
        _pack(folder / "logs")


def _pack(logs: Path) -> None:
    """The evidence as one archive without times or owners of its own."""
    for job in sorted(logs.iterdir()):
        with tarfile.open(logs / f"{job.name}.tar.xz", "w:xz") as archive:
            for path in sorted(job.rglob("*")):
                if path.is_file():
                    entry = tarfile.TarInfo(str(path.relative_to(logs)))
                    entry.size = path.stat().st_size
                    archive.addfile(entry, io.BytesIO(path.read_bytes()))
        shutil.rmtree(job)


def main() -> None:
    for case in CASES:
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            write(case, SAMPLES / case.name)


if __name__ == "__main__":
    main()
