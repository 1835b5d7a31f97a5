"""A first verdict from what is read so far."""

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from ncclscope import analyse, early, glance, scan
from ncclscope.case import open_case
from ncclscope.packs import Pack

LINE = "node{n}:10:10 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n"


def reading(planned, read):
    """Parcels of one piece each, as (source, start), and those that are read."""
    parcels = [SimpleNamespace(pieces=[SimpleNamespace(source=SimpleNamespace(file_id=name), start=start)]) for name, start in planned]
    found = [SimpleNamespace(pieces=[SimpleNamespace(file_id=name, start=start)]) for name, start in read]
    return SimpleNamespace(todo=SimpleNamespace(parcels=parcels), summaries=lambda: found)


def kept(planned, read):
    return [(one.pieces[0].file_id, one.pieces[0].start) for one in early.whole(reading(planned, read))]


def test_what_is_read_counts_up_to_the_first_gap_of_its_source():
    planned = [(1, 0), (1, 100), (1, 200), (2, 0)]
    assert kept(planned, [(1, 0), (1, 200), (2, 0)]) == [(1, 0), (2, 0)]
    assert kept(planned, [(1, 100), (1, 200)]) == []
    assert kept(planned, planned) == planned


def scanned(tmp_path: Path, step_s: float):
    """Two sources read one after the other, by a clock that makes such steps; what was said, and the case."""
    for n in range(2):
        (tmp_path / f"{n}.log").write_text(LINE.format(n=n) * 100)
    paths = [str(tmp_path / f"{n}.log") for n in range(2)]
    options = analyse.Options(case=tmp_path / "case", workers=1, planned=scan.plan(paths, 1000))
    said, ticks = [], count()

    def say(case: Path) -> None:
        rows = open_case(case, Pack()).sql("SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM verdicts)")
        said.append((rows[0], (case / early.MARK).read_text()))

    case = analyse.scan_case(paths, options, early=early.Early(options, say, lambda: next(ticks) * step_s))
    return said, case


def test_a_long_reading_is_judged_while_it_goes_on_and_whole_at_the_end(tmp_path):
    said, case = scanned(tmp_path, 100.0)
    assert said
    (files, verdicts), mark = said[0]
    done, total = map(int, mark.split())
    assert (files, verdicts) == (1, 1)
    assert 0 < done < total
    assert not (case / early.MARK).exists()
    assert open_case(case, Pack()).sql("SELECT count(*) FROM files") == [(2,)]


def test_a_short_reading_is_judged_once(tmp_path):
    said, case = scanned(tmp_path, 0.001)
    assert said == []
    assert (case / "verdicts.parquet").is_file()


QUIET = "2026-11-30 02:00:{n:02d} INFO trainer: epoch 1 batch {n} of 60\n"
LOST = "Nov 30 03:00:00 node7 kernel: NVRM: Xid (PCI:0000:4e:00): 79, pid=4121, name=python, GPU has fallen off the bus.\n"


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A log that ends in a fault, a short one, telemetry that only its reader reads whole, and a compressed log."""
    monkeypatch.setattr(glance, "WORTH_BYTES", 10_000)
    monkeypatch.setattr(glance, "BUDGET_BYTES", 0)
    monkeypatch.setattr(glance, "LEAST_BYTES", 4_000)
    (tmp_path / "long.log").write_text("".join(QUIET.format(n=n % 60) for n in range(4_000)) + LOST)
    (tmp_path / "short.log").write_text(LINE.format(n=1))
    (tmp_path / "gpus.csv").write_text("timestamp, index, temperature.gpu\n" + "2026/11/30 02:00:00.000, 0, 41\n" * 1_000)
    (tmp_path / "old.log.gz").write_bytes(b"\x1f\x8b\x08" + b"\0" * 9_000)
    return [str(tmp_path)]


def test_beginnings_and_ends_are_looked_at_first(large):
    begins, ends = glance.plan(scan.plan(large)).parcels
    size = Path(large[0], "long.log").stat().st_size
    looked = [[(Path(piece.source.path).name, piece.start, piece.end) for piece in parcel.pieces] for parcel in (begins, ends)]
    assert looked == [[("long.log", 0, 1_000), ("short.log", 0, None)], [("long.log", size - 3_000, None)]]


def test_a_first_word_is_a_suspicion_with_the_line_that_matters(large, tmp_path_factory):
    options = analyse.Options(case=tmp_path_factory.mktemp("case"), workers=1)
    said = []

    def say(case: Path) -> None:
        rows = "SELECT v.status, f.kind, e.line, (SELECT count(*) FROM files) FROM verdicts v JOIN findings f USING (finding_id), "
        opened = open_case(case, Pack())
        said.append((opened.sql(rows + "LATERAL (SELECT unnest(f.evidence).line AS line) e"), (case / early.MARK).read_text()))

    case = analyse.scan_case(large, options, early=early.Early(options, say, lambda: 0.0))
    [([(status, kind, line, files)], mark)] = said
    assert (status, kind, files) == ("suspect", "hw.xid.fallen_off_bus", 2)
    assert abs(line - 4_001) < 80, "an estimate, from the length of the lines at both ends"
    assert mark.endswith("ends")
    assert not (case / early.MARK).exists()
    whole = open_case(case, Pack()).sql("SELECT status, (SELECT count(*) FROM files) FROM verdicts")
    assert whole == [("cause_found", 4)]


def test_nothing_is_called_healthy_before_everything_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(glance, "WORTH_BYTES", 100)
    (tmp_path / "job.log").write_text("".join(f"[INFO] step={n} loss=2.5 step_time=0.4s\n" for n in range(400)))
    options = analyse.Options(case=tmp_path / "case", workers=1)
    said = []
    watch = early.Early(options, lambda case: said.extend(open_case(case, Pack()).sql("SELECT status FROM verdicts")), lambda: 0.0)
    case = analyse.scan_case([str(tmp_path / "job.log")], options, early=watch)
    assert said == [("insufficient",)]
    assert open_case(case, Pack()).sql("SELECT status FROM verdicts") == [("healthy",)]
