"""Scans that were killed, files that grew, and two scans of one case: what is done stays done, and nothing is wrong."""

import os
import random
import signal
import threading
import time
from pathlib import Path

import cases
import pytest

from ncclscope import ingest, locks, reuse, scan
from ncclscope.parcels import Piece

# Parcels of so many bytes, and text so far beyond the first ones that they cannot reach it.
PARCEL = 4096


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cases.evidence(tmp_path_factory.mktemp("logs") / "job", lines=300)


@pytest.fixture(scope="module")
def right(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return cases.result(cases.scanned(logs, tmp_path_factory.mktemp("right") / "case"), sliced=True)


def test_a_scan_killed_at_random_points_goes_on_where_it_was(logs: Path, right: dict[str, bytes], tmp_path: Path) -> None:
    case, chance = tmp_path / "case", random.Random(5)
    done: dict[str, int] = {}
    for _ in range(5):
        process = cases.child(logs, case, tmp_path / "child.py")
        enough = len(done) + chance.randrange(1, 8)
        deadline = time.monotonic() + 30
        while process.poll() is None and len(cases.parcels(case)) < enough and time.monotonic() < deadline:
            time.sleep(0.01)
        cases.kill(process)
        now = cases.parcels(case)
        assert done.items() <= now.items()  # nothing that was done was done again
        done = now
    assert len(done) >= 5
    cases.scanned(logs, case)
    assert cases.result(case, sliced=True) == right
    assert done.items() <= cases.parcels(case).items()
    assert not [path for path in (case / "parcels").iterdir() if path.name.startswith(".")]


def test_a_scan_goes_on_when_its_workers_are_killed(logs: Path, right: dict[str, bytes], tmp_path: Path) -> None:
    case = tmp_path / "case"
    process = cases.child(logs, case, tmp_path / "child.py")
    killed = 0
    deadline = time.monotonic() + 60
    while process.poll() is None and killed < 2 and time.monotonic() < deadline:
        workers = cases.children(process.pid)
        # One alone repeats what another died of; when that ends too, the input did it.
        if len(workers) > 1 and len(cases.parcels(case)) > 3 * killed:
            os.kill(workers[0], signal.SIGKILL)
            killed += 1
        time.sleep(0.02)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert killed
    assert cases.result(case, sliced=True) == right


def test_a_finished_scan_reads_nothing_again(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = cases.scanned(logs, tmp_path / "case")
    before = cases.parcels(case)

    def read(*_: object) -> None:
        raise AssertionError("it was read before")

    monkeypatch.setattr(ingest, "ingest", read)
    cases.scanned(logs, case)
    assert cases.parcels(case) == before


def test_an_index_that_ends_in_half_a_line_is_used(logs: Path, tmp_path: Path) -> None:
    case = cases.scanned(logs, tmp_path / "case")
    index = case / "parcels" / "index.jsonl"
    whole = index.read_text()
    index.write_text(whole[:-40])
    reading = scan.Reading(scan.plan([str(logs)], 2048), case)
    assert len(reading.missing) == 1


def test_a_new_file_costs_only_itself(logs: Path, tmp_path: Path) -> None:
    folder = cases.evidence(tmp_path / "job")
    case = cases.scanned(folder, tmp_path / "case", 64 << 20)
    before = cases.parcels(case)
    (folder / "node000.aaa").write_text(cases.DOWN.format(2))
    reading = scan.Reading(scan.plan([str(folder)]), case)
    assert [piece.source.path for parcel in reading.missing for piece in parcel.pieces] == ["node000.aaa"]
    cases.scanned(folder, case, 64 << 20)
    assert before.items() <= cases.parcels(case).items()
    assert cases.result(case) == cases.result(cases.scanned(folder, tmp_path / "fresh", 64 << 20))


# --- files that grow


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices that look not so far beyond their end, so that small files will do."""
    monkeypatch.setattr(reuse, "BEYOND_BYTES", PARCEL // 2)


@pytest.mark.usefixtures("near")
def test_of_a_file_that_grew_only_the_end_is_parsed(tmp_path: Path) -> None:
    folder = cases.evidence(tmp_path / "job", lines=300, files=1)
    log = folder / "node000.log"
    case = cases.scanned(folder, tmp_path / "case", PARCEL)
    with log.open("a") as file:
        file.write(cases.DOWN.format(2) * 3)
    reading = scan.Reading(scan.plan([str(folder)], PARCEL), case)
    starts = [piece.start for parcel in reading.missing for piece in parcel.pieces]
    assert starts
    assert min(starts) >= log.stat().st_size - 3 * PARCEL
    cases.scanned(folder, case, PARCEL)
    assert cases.result(case) == cases.result(cases.scanned(folder, tmp_path / "fresh", PARCEL))


@pytest.mark.usefixtures("near")
def test_of_a_file_that_changed_everything_from_there_on_is_parsed(tmp_path: Path) -> None:
    folder = cases.evidence(tmp_path / "job", lines=300, files=1)
    log = folder / "node000.log"
    case = cases.scanned(folder, tmp_path / "case", PARCEL)
    text = log.read_text()
    place = text.index("\n", 2 * PARCEL) + 1
    log.write_text(text[:place] + text[place:].replace("node000", "node009", 1) + "one more line\n")
    reading = scan.Reading(scan.plan([str(folder)], PARCEL), case)
    starts = [piece.start for parcel in reading.missing for piece in parcel.pieces]
    assert min(starts) == 2 * PARCEL
    assert starts == sorted(starts)
    cases.scanned(folder, case, PARCEL)
    assert cases.result(case) == cases.result(cases.scanned(folder, tmp_path / "fresh", PARCEL))


def test_a_digest_is_that_of_the_parcel(tmp_path: Path) -> None:
    folder = cases.evidence(tmp_path / "job", lines=300, files=1)
    [first, *_] = scan.plan([str(folder)], PARCEL).parcels
    (tmp_path / "out").mkdir()
    summary = ingest.ingest(first, str(tmp_path / "out"))
    assert reuse.digest_of(first.pieces[0]) == summary.pieces[0].digest
    assert reuse.digest_of(Piece(first.pieces[0].source)) != summary.pieces[0].digest


# --- two scans of one case


def test_the_second_scan_of_a_case_waits_for_the_first(logs: Path, right: dict[str, bytes], tmp_path: Path) -> None:
    case, waited = tmp_path / "case", threading.Event()
    with locks.hold(case):
        assert locks.is_held(case)
        second = threading.Thread(target=lambda: _hold(case, waited))
        second.start()
        assert waited.wait(30)
    second.join()
    assert not locks.is_held(case)
    processes = [cases.child(logs, case, tmp_path / f"child{n}.py") for n in range(2)]
    for process in processes:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    assert cases.result(case, sliced=True) == right


def _hold(case: Path, waited: threading.Event) -> None:
    with locks.hold(case, waited.set):
        pass


def test_shares_may_be_held_by_several(tmp_path: Path) -> None:
    with locks.hold(tmp_path, shared=True), locks.hold(tmp_path, lambda: pytest.fail("waits"), shared=True):
        assert locks.is_held(tmp_path)
