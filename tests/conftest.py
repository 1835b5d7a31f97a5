"""What every test may use: the program run in this process, and a cache of its own."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

from ncclscope import cli

# How long an example takes depends on the machine and what else it does; benchmarks measure, tests do not. The same examples
# every time, so that a change that fails did it; `--hypothesis-profile=searching` looks for new ones.
hypothesis.settings.register_profile("steady", deadline=None, derandomize=True)
hypothesis.settings.register_profile("searching", deadline=None, print_blob=True)
hypothesis.settings.load_profile("steady")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or leaves anything in the cache of whoever runs it."""
    kept = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if kept is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = kept


@dataclass(frozen=True)
class Ran:
    """How a run of the program ended, and what it wrote."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def ncclscope(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the program in this process with the given arguments."""

    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        try:
            status = cli.main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = int(stop.code or 0)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return run


PORT_DOWN = (
    "[2026-11-30 03:13:52] node064:4121:4390 [0] transport/net_ib/common.cc:88 NCCL WARN "
    "NET/IB : mlx5_5:1 Got non-fatal async event: port error(10)\n"
)


@pytest.fixture
def port_down(tmp_path: Path) -> Path:
    """A directory with one log that names a culprit."""
    logs = tmp_path / "job"
    logs.mkdir()
    (logs / "node064.log").write_text(PORT_DOWN)
    return logs
