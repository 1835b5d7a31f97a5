"""Readers of whole sources inside a scan: files of several slices, readers that fail, sources that vanish."""

from pathlib import Path

import pytest

from ncclscope import analyse, ingest, packs, scan, sources, views
from ncclscope.case import Case, open_case

HEADER = "timestamp, index, name, pci.bus_id, temperature.gpu, power.draw [W], clocks_throttle_reasons.active\n"
ROW = "2024/05/01 12:{:02d}:{:02d}.101, 0, NVIDIA H200, 00000000:1A:00.0, 31, 70.10 W, 0x0000000000000004\n"


def telemetry(path: Path, rows: int, last: str = "") -> Path:
    """A CSV file of nvidia-smi."""
    path.write_text(HEADER + "".join(ROW.format(n // 60, n % 60) for n in range(rows)) + last)
    return path


def read(path: Path, directory: Path, parcel_bytes: int) -> Case:
    """A case read in slices of a size."""
    directory.mkdir()
    todo = scan.plan([str(path)], parcel_bytes)
    scan.write_manifest(directory, todo, scan.read_parcels(todo, directory, workers=1), (), 0)
    case = open_case(directory, packs.load(), views.shared())
    analyse.prepare(case)
    return case


def test_a_reader_sees_a_file_of_several_slices_whole(tmp_path: Path) -> None:
    path = telemetry(tmp_path / "gpu.csv", 200)
    query = "SELECT line, name, value FROM metrics ORDER BY ALL"
    cut, whole = read(path, tmp_path / "cut", 4096), read(path, tmp_path / "whole", 1 << 20)
    assert len(cut.manifest["parcels"]) > 1
    assert cut.sql(query) == whole.sql(query)
    assert max(row[0] for row in cut.sql(query)) == 201
    assert cut.sql("SELECT lines, size_bytes FROM files") == [(201, path.stat().st_size)]


def test_a_change_beyond_the_first_slice_is_read_again(tmp_path: Path) -> None:
    path = telemetry(tmp_path / "gpu.csv", 200)
    first = scan.read_parcels(scan.plan([str(path)], 4096), tmp_path / "case", workers=1)
    telemetry(path, 200, last=ROW.format(59, 59))
    again = scan.read_parcels(scan.plan([str(path)], 4096), tmp_path / "case", workers=1)
    assert first[0].key != again[0].key
    assert again[0].rows["metrics"] > first[0].rows["metrics"]


def test_a_reader_that_fails_makes_a_partial_file(tmp_path: Path) -> None:
    (tmp_path / "parsers").mkdir()
    (tmp_path / "parsers" / "odd.toml").write_text("title = 'Odd'\n[reader]\nsniff = '^ODD'\n")
    (tmp_path / "parsers" / "odd.py").write_text("def read(stream, source):\n    raise KeyError('odd')\n    yield\n")
    (tmp_path / "odd.log").write_text("ODD\n")
    todo = scan.plan([str(tmp_path / "odd.log")])
    [summary] = scan.read_parcels(todo, tmp_path / "case", (str(tmp_path),), workers=1)
    assert summary.pieces[0].status == "partial"
    assert "KeyError" in (summary.pieces[0].error or "")


def test_a_source_that_vanishes_while_it_is_read_is_a_failed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(source: sources.Source) -> None:
        raise sources.SourceError(f"{source.path}: gone")

    monkeypatch.setattr(ingest.sources, "open_stream", gone)
    path = telemetry(tmp_path / "gpu.csv", 200)
    first, *_ = scan.read_parcels(scan.plan([str(path)], 4096), tmp_path / "case", workers=1)
    assert (first.pieces[0].status, first.pieces[0].error) == ("failed", "gpu.csv: gone")
