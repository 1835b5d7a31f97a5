"""A first verdict from what is read so far."""

from itertools import count
from pathlib import Path
from types import SimpleNamespace

from ncclscope import analyse, early, scan
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
