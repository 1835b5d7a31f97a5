"""Work on any executor: the same result for threads, processes and a cluster, also when workers die."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import cases
import pytest

from ncclscope import analyse, executors, overtime, scan
from ncclscope.executors import Crew, Lost, Task


def double(number: int) -> int:
    return 2 * number


def die_once(mark: str) -> str:
    """Ends its process the first time it is called with a mark."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return "done"
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(_: int) -> None:
    raise ValueError("no")


def forever(_: int) -> None:
    while True:
        time.sleep(0.01)


STARTS = [None, lambda: ThreadPoolExecutor(2), executors.processes(2)]


@pytest.mark.parametrize("start", STARTS, ids=["here", "threads", "processes"])
def test_every_task_is_done_once(start: executors.Start | None) -> None:
    with Crew(2, start) as crew:
        for number in range(9):
            crew.add(Task(number, double, (number,)))
        assert sorted((done.task.tag, done.value) for done in crew.results()) == [(n, 2 * n) for n in range(9)]


def test_tasks_may_be_added_while_others_end() -> None:
    with Crew(2, lambda: ThreadPoolExecutor(2)) as crew:
        crew.add(Task(3, double, (3,)))
        seen = []
        for done in crew.results():
            seen.append(done.value)
            if done.task.tag:
                crew.add(Task(done.task.tag - 1, double, (done.task.tag - 1,)), first=True)
    assert seen == [6, 4, 2, 0]


def test_an_error_is_the_task_s_own() -> None:
    with Crew(2, lambda: ThreadPoolExecutor(2)) as crew:
        crew.add(Task("bad", fail, (1,)))
        crew.add(Task("good", double, (1,)))
        found = {done.task.tag: done for done in crew.results()}
    assert isinstance(found["bad"].error, ValueError)
    assert found["good"].value == 2


def test_a_killed_worker_costs_no_task(tmp_path: Path) -> None:
    with Crew(2, executors.processes(2)) as crew:
        for number in range(6):
            crew.add(Task(number, double, (number,)))
        crew.add(Task("mark", die_once, (str(tmp_path / "mark"),)), first=True)
        found = {done.task.tag: done.value for done in crew.results()}
    assert found == {"mark": "done", **{n: 2 * n for n in range(6)}}


def test_what_kills_twice_is_lost_and_the_rest_is_done() -> None:
    with Crew(2, executors.processes(2)) as crew:
        for number in range(4):
            crew.add(Task(number, double, (number,)))
        crew.add(Task("die", die, (0,)), first=True)
        found = {done.task.tag: done for done in crew.results()}
    assert isinstance(found.pop("die").error, Lost)
    assert {tag: done.value for tag, done in found.items()} == {n: 2 * n for n in range(4)}


@pytest.mark.parametrize("start", STARTS[:2], ids=["here", "threads"])
def test_work_ends_at_its_time_limit(start: executors.Start | None) -> None:
    with Crew(1, start) as crew:
        crew.add(Task(1, forever, (0,), lambda: 0.05))
        [done] = crew.results()
    assert isinstance(done.error, TimeoutError)


def test_a_process_that_does_not_notice_its_limit_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(overtime, "GRACE_S", 0.01)
    monkeypatch.setattr(overtime.os, "_exit", ended.append)
    monkeypatch.setattr(overtime.multiprocessing, "parent_process", lambda: object())
    watch = overtime._Watch(0.0)
    watch.thread = -1  # nobody hears it
    watch.start()
    watch.timer.join()
    assert ended == [overtime.EXIT_STATUS]


# --- scans


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cases.evidence(tmp_path_factory.mktemp("logs") / "job")


@pytest.fixture(scope="module")
def right(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return cases.result(cases.scanned(logs, tmp_path_factory.mktemp("right") / "case", 64 << 20), sliced=True)


@pytest.mark.parametrize("parcel_bytes", [700, 4096, 1 << 20])
def test_results_are_the_same_for_any_size_and_order_of_parcels(
    logs: Path, right: dict[str, bytes], tmp_path: Path, parcel_bytes: int
) -> None:
    todo = scan.plan([str(logs)], parcel_bytes)
    shuffled = random.Random(parcel_bytes).sample(todo.parcels, len(todo.parcels))
    options = analyse.Options(
        case=tmp_path / "case", planned=replace(todo, parcels=tuple(shuffled)), start=lambda: ThreadPoolExecutor(4), workers=4
    )
    assert cases.result(analyse.scan_case([str(logs)], options), sliced=True) == right


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_results_are_the_same_for_any_number_of_processes(logs: Path, right: dict[str, bytes], tmp_path: Path, workers: int) -> None:
    case = cases.scanned(logs, tmp_path / "case", start=executors.processes(workers), workers=workers)
    assert cases.result(case, sliced=True) == right


def test_a_parcel_that_kills_is_read_piece_by_piece(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    todo = scan.plan([str(logs)])
    reading = scan.Reading(todo, tmp_path / "case")
    [task] = reading.tasks()
    again = reading.took(executors.Done(task, error=Lost("it died")))
    assert [one.alone for one in again] == [True] * len(todo.sources)
    for one in again[1:]:
        reading.took(executors.Done(one, one.function(*one.arguments)))
    reading.took(executors.Done(again[0], error=Lost("it died")))
    pieces = [piece for summary in reading.summaries() for piece in summary.pieces]
    assert [(piece.path, piece.status) for piece in pieces] == [
        ("node000.log", "failed"),
        ("node001.log", "ok"),
        ("node002.log", "ok"),
    ]
    assert pieces[0].error == "It died."


def test_reading_ends_at_the_time_limit_of_the_job(logs: Path, tmp_path: Path) -> None:
    case = analyse.scan_case([str(logs)], analyse.Options(case=tmp_path / "case", seconds=1e-6))
    outcome = analyse.outcome_of(analyse.open_case(case, analyse.load_pack(())))
    assert outcome.files == {"failed": 3}


# --- a cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("dask")
    where = folder / "scheduler.json"

    def start(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *words, "--scheduler-file", str(where)]
        return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    started = [start("scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")]
    workers = [start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", str(n)) for n in range(2)]
    yield str(where), workers
    for process in [*workers, *started]:
        process.kill()
        process.wait()


def connected(where: str, count: int) -> executors.Start:
    """An executor once so many workers are there."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if os.path.exists(where):
            start, slots = executors.dask(where)
            if slots >= count:
                return start
        time.sleep(0.2)
    pytest.fail("the cluster did not start")


def test_a_cluster_gives_the_same_result_also_when_a_worker_is_killed(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], logs: Path, right: dict[str, bytes], tmp_path: Path
) -> None:
    where, workers = cluster
    start = connected(where, 2)
    case = cases.scanned(logs, tmp_path / "whole", start=start, workers=2)
    assert cases.result(case, sliced=True) == right
    killed: list[int] = []

    def tell(progress: scan.Progress) -> None:
        if progress.done == 2 and not killed:
            killed.append(workers[0].pid)
            workers[0].kill()

    planned = scan.plan([str(logs)], 700)
    assert len(planned.parcels) > 8
    options = analyse.Options(case=tmp_path / "killed", planned=planned, start=start, workers=2)
    case = analyse.scan_case([str(logs)], options, tell)
    assert killed
    assert workers[0].wait() == -signal.SIGKILL
    assert cases.result(case, sliced=True) == right


def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")

    def refused(**_: object) -> None:
        raise OSError("refused")

    monkeypatch.setattr(distributed, "Client", refused)
    with pytest.raises(ValueError, match="no dask scheduler answers"):
        executors.dask("tcp://127.0.0.1:1")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"ncclscope\[dask\]"):
        executors.dask("tcp://127.0.0.1:1")
