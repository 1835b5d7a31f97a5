"""Many jobs at once: one case each, only what is new, the same job once, shards, and what is said on the way."""

import json
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import cases
import pytest
from conftest import Run

from ncclscope import batch, commands, ingest, ledger, locks, progress, shards


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three jobs; node001 fails in two."""
    root = tmp_path_factory.mktemp("logs") / "in"
    for number in range(3):
        cases.evidence(root / f"job-4821{number}", lines=30, files=2, device=number)
    return root


@pytest.fixture(scope="module")
def whole(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The batch of these jobs, read by two processes."""
    out = tmp_path_factory.mktemp("whole") / "cases"
    from ncclscope import cli

    assert cli.main(["scan", "--each", "-o", str(out), "--workers", "2", str(logs)]) == 0
    return out


def results(out: Path) -> dict[str, dict[str, bytes]]:
    return {path.parent.name: cases.result(path.parent) for path in sorted(out.glob("*/manifest.json"))}


def archive(path: Path, folder: Path, names: list[str]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            tar.add(folder / name, name)
    return path


def test_each_job_is_a_case_that_says_how_it_was_grouped(ncclscope: Run, whole: Path) -> None:
    assert sorted(results(whole)) == ["job-48210", "job-48211", "job-48212"]
    built = json.loads(ncclscope("report", "--format", "json", "--job", "48211", whole).out)
    assert built["case"]["grouping"] == "Slurm id 48211 in names"
    assert "grouped by: Slurm id 48211" in ncclscope("report", whole / "job-48211").out


def test_a_batch_in_one_process_gives_the_same_bytes(ncclscope: Run, logs: Path, whole: Path, tmp_path: Path) -> None:
    ncclscope("scan", "--each", "-o", tmp_path / "cases", "--workers", "1", logs)
    assert results(tmp_path / "cases") == results(whole)
    assert _entries(tmp_path / "cases") == _entries(whole)


def test_a_batch_that_was_killed_goes_on(logs: Path, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases"
    command = [sys.executable, "-m", "ncclscope", "scan", "--each", "-o", str(out), "--workers", "2", str(logs)]
    finished: dict[str, int] = {}
    for enough in (1, 2, 3):
        child = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while child.poll() is None and len(finished := _parcels(out)) < enough:
            time.sleep(0.02)
        cases.kill(child)
        assert finished.items() <= _parcels(out).items()
    subprocess.run(command, check=True, capture_output=True)
    assert results(out) == results(whole)
    assert _entries(out) == _entries(whole)
    assert finished.items() <= _parcels(out).items()


def _entries(out: Path) -> list[dict[str, object]]:
    """What the ledger says, but for what changes with the program's code, which somebody may be editing."""
    return [{name: value for name, value in entry.items() if name != "identity"} for entry in cases.ledger(out).values()]


def _parcels(out: Path) -> dict[str, int]:
    return {f"{case.name} {key}": inode for case in out.glob("job-*") for key, inode in cases.parcels(case).items()}


def test_what_did_not_change_is_not_read_or_judged_again(
    ncclscope: Run, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs, out = tmp_path / "in", tmp_path / "cases"
    shutil.copytree(logs, inputs)
    ncclscope("scan", "--each", "-o", out, inputs)
    before = results(out)
    (inputs / "job-48211" / "node000.log").open("a").write(cases.DOWN.format(7))
    read: list[object] = []
    real = ingest.ingest
    monkeypatch.setattr(ingest, "ingest", lambda *given: (read.append(given), real(*given))[1])
    ran = ncclscope("scan", "--each", "--new", "--workers", "1", "-o", out, inputs)
    assert ran.out.splitlines() == [str(out / "job-48211")]
    assert "2 unchanged since the last scan" in ran.err
    assert len(read) == 1
    after = results(out)
    assert after["job-48210"] == before["job-48210"]
    assert after["job-48211"] != before["job-48211"]


def test_jobs_of_an_earlier_scan_stay_beside_new_ones(ncclscope: Run, logs: Path, tmp_path: Path) -> None:
    first, second, out = tmp_path / "oct", tmp_path / "nov", tmp_path / "cases"
    shutil.copytree(logs / "job-48210", first / "train")
    shutil.copytree(logs / "job-48211", second / "train")
    ncclscope("scan", "--each", "-o", out, first)
    ncclscope("scan", "--each", "-o", out, second)
    names = sorted(results(out))
    assert len(names) == 2
    assert names[0] == "train"
    assert "1 unchanged" in ncclscope("scan", "--each", "-o", out, first).err
    assert "1 unchanged" in ncclscope("scan", "--each", "-o", out, second).err
    assert sorted(results(out)) == names


def test_one_job_in_two_places_is_counted_once(ncclscope: Run, logs: Path, tmp_path: Path) -> None:
    inputs, out = tmp_path / "in", tmp_path / "cases"
    (inputs / "a").mkdir(parents=True)
    archive(inputs / "2026-11.tar.gz", logs, ["job-48210/node000.log", "job-48210/node001.log", "job-48211/node000.log"])
    shutil.copytree(logs / "job-48211", inputs / "job-48211")
    ran = ncclscope("scan", "--each", "-o", out, inputs)
    assert sorted(results(out)) == ["2026-11.job-48210", "job-48211"]
    assert "2026-11.job-48211: the same job as job-48211, counted once" in ran.err
    assert (out / ".same" / "2026-11.job-48211" / "manifest.json").is_file()
    again = ncclscope("scan", "--each", "-o", out, inputs)
    assert "3 unchanged" in again.err
    (inputs / "job-48211" / "node000.log").unlink()
    ncclscope("scan", "--each", "-o", out, inputs)
    assert sorted(results(out)) == ["2026-11.job-48210", "2026-11.job-48211", "job-48211"]


def test_a_tree_of_an_archive_is_a_case_like_the_folder(ncclscope: Run, logs: Path, whole: Path, tmp_path: Path) -> None:
    inputs, out = tmp_path / "in", tmp_path / "cases"
    inputs.mkdir()
    names = [str(path.relative_to(logs)) for path in sorted(logs.rglob("*.log"))]
    archive(inputs / "all.tar.gz", logs, [names[0], *names[2:], names[1]])  # the first job in two parts
    ncclscope("scan", "--each", "-o", out, inputs)
    query = "SELECT kind, host, count(*) FROM events GROUP BY ALL ORDER BY ALL"
    for job in ("job-48210", "job-48211"):
        in_archive = ncclscope("sql", out / f"all.{job}", query)
        assert in_archive.out == ncclscope("sql", whole / job, query).out
        assert ncclscope("report", out / f"all.{job}").out.splitlines()[0] == ncclscope("report", whole / job).out.splitlines()[0]
    assert not (out / batch.VOLUMES).exists()


def test_a_job_that_cannot_be_read_stops_no_other(ncclscope: Run, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = ingest.ingest

    def read(parcel: ingest.sources.Parcel, out: str, extra: tuple[str, ...] = ()) -> ingest.Summary:
        if "48211" in parcel.pieces[0].source.location:
            raise RuntimeError("a defect")
        return real(parcel, out, extra)

    monkeypatch.setattr(ingest, "ingest", read)
    ran = ncclscope("scan", "--each", "--workers", "1", "-o", tmp_path / "cases", logs)
    assert ran.status == commands.PARTIAL
    assert "job-48211: failed: RuntimeError: a defect." in ran.err
    assert len(ran.out.splitlines()) == 2
    monkeypatch.setattr(ingest, "ingest", real)
    again = ncclscope("scan", "--each", "--workers", "1", "-o", tmp_path / "cases", logs)
    assert again.status == commands.DONE
    assert "2 unchanged" in again.err


def test_a_job_over_its_time_is_judged_by_what_was_read_and_tried_again(ncclscope: Run, logs: Path, tmp_path: Path) -> None:
    words = ("scan", "--each", "--job", "48210", "-o", tmp_path / "cases")
    ran = ncclscope(*words, "--timeout", "0.000001", logs)
    assert ran.status == commands.NOTHING
    assert "2 files: 2 failed" in ran.err
    assert "The time limit is reached." in ncclscope("report", tmp_path / "cases" / "job-48210").out
    again = ncclscope(*words, logs)
    assert again.status == commands.DONE
    assert "0 unchanged" in again.err


def test_a_job_that_cannot_be_judged_in_time_has_failed(
    ncclscope: Run, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "JUDGE_S", 0.0)
    ran = ncclscope("scan", "--each", "--job", "48210", "--timeout", "0.000001", "-o", tmp_path / "cases", logs)
    assert ran.status == commands.PARTIAL
    assert "job-48210: failed: It took longer than 1e-06 s." in ran.err


def test_a_plan_lists_jobs_and_makes_nothing(ncclscope: Run, logs: Path, tmp_path: Path) -> None:
    ran = ncclscope("scan", "--each", "--plan", "-o", tmp_path / "cases", logs)
    assert [line.split("\t")[:2] for line in ran.out.splitlines()] == [[f"job-4821{n}", f"Slurm id 4821{n} in names"] for n in range(3)]
    assert "3 jobs" in ran.err
    assert not (tmp_path / "cases").exists()


def test_jobs_are_chosen_by_id_and_by_when_they_were_written(ncclscope: Run, logs: Path) -> None:
    planned = lambda *words: ncclscope("scan", "--each", "--plan", *words, logs).out.count("\n")  # noqa: E731
    assert planned("--job", "48211") == 1
    assert planned("--since", "2001-01-01") == 3
    assert planned("--until", "2001-01-01") == 0


def test_machines_get_json_lines(ncclscope: Run, logs: Path, tmp_path: Path) -> None:
    ran = ncclscope("scan", "--each", "--json-lines", "--workers", "1", "-o", tmp_path / "cases", logs)
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert [event["name"] for event in events if event["event"] == "job"] == ["job-48210", "job-48211", "job-48212"]
    assert events[-1]["event"] == "summary"
    assert events[-1]["jobs"] == {"cause_found": 3}
    assert events[-1]["files"] == {"ok": 6}
    assert all(event["bytes_total"] > 0 for event in events if event["event"] == "progress")


# --- shards


def test_shards_of_a_batch_are_merged_to_the_same_bytes(ncclscope: Run, logs: Path, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases"
    ncclscope("scan", "--each", "--shard", "1/2", "-o", out, logs)
    ran = ncclscope("merge", out)
    assert ran.status == commands.PARTIAL
    assert "shard 2 of 2: absent" in ran.err
    assert "shard 2 of 2\tabsent" in ncclscope("status", out).out
    ncclscope("scan", "--each", "--shard", "2/2", "-o", out, logs)
    assert ncclscope("merge", out).status == commands.DONE
    assert results(out) == results(whole)
    assert _entries(out) == _entries(whole)
    told = json.loads(ncclscope("status", "--format", "json", out).out)
    assert [shard["state"] for shard in told["shards"]] == ["done", "done"]
    assert told["counts"]["jobs"] == {"cause_found": 3}


def test_shards_of_one_case_are_merged_to_the_same_bytes(ncclscope: Run, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(4):  # an archive is a parcel of its own
        cases.evidence(tmp_path / f"part{number}", lines=20 + number, files=1)
        archive(folder / f"part{number}.tar.gz", tmp_path, [f"part{number}/node000.log"])
    out = tmp_path / "case"
    for number in (3, 1):
        assert ncclscope("scan", "--shard", f"{number}/3", "-o", out, folder).status == commands.DONE
    ran = ncclscope("merge", out)
    assert ran.status == commands.PARTIAL
    errors = json.loads(ncclscope("report", "--format", "json", out).out)["files"]
    assert {file["error"] for file in errors if file["status"] == "failed"} == {
        "It was not read: shard 2 of 3, whose share this is, has not read it."
    }
    ncclscope("scan", "--shard", "2/3", "-o", out, folder)
    assert ncclscope("merge", out).status == commands.DONE
    ncclscope("scan", "-o", tmp_path / "right", folder)
    assert cases.result(out) == cases.result(tmp_path / "right")


def test_a_shard_that_was_killed_has_failed_and_one_at_work_is_running(tmp_path: Path) -> None:
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "state-1-of-2.json").write_text('{"number": 1, "of": 2, "done": false}')
    assert [shard.state for shard in shards.shards(tmp_path)] == ["failed", "absent"]
    with locks.hold(tmp_path / "shards", name=".1-of-2.lock"):
        assert shards.shards(tmp_path)[0].state == "running"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["scan", "--shard", "0/2", "."], "share such as 3/8"),
        (["scan", "--shard", "1/2", "."], "-o DIR"),
        (["scan", "--each", "--group-by", "(", "-o", "x", "."], "neither one of"),
        (["scan", "--memory", "much", "."], "size such as 8G"),
        (["scan", "--since", "yesterday", "."], "not a time"),
        (["report", "--rank", "all", "."], "not a rank"),
        (["merge", "nosuch"], "no shard"),
        (["status", "nosuch"], "neither a folder of cases"),
        (["fleet", "nosuch"], "no cases"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(ncclscope: Run, words: list[str], said: str) -> None:
    ran = ncclscope(*words)
    assert ran.status == commands.USAGE
    assert said in ran.err
    assert "Traceback" not in ran.err


# --- what is said on the way


def test_progress_is_one_line_of_a_terminal() -> None:
    pace = progress.Pace()
    pace.reach(0, 200, 1_000_000_000, 20_000_000_000, 0)
    pace.reach(12, 200, 5_000_000_000, 20_000_000_000, 3)
    assert pace.line(100.0) == "jobs 12/200  5.0 GB of 20.0 GB  40.0 MB/s  ETA 6:15  3 failed"
    pace.reach(123_456, 1_234_567, 10**15, 10**16, 123_456)
    assert len(pace.line(1e6)) <= 79
    assert pace.as_json()["jobs_total"] == 1_234_567


@pytest.mark.parametrize(("seconds", "said"), [(7, "0:07"), (271, "4:31"), (43_500, "12:05:00")])
def test_times_left_are_for_people(seconds: float, said: str) -> None:
    assert progress.clock(seconds) == said


def test_a_ledger_that_is_damaged_is_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "batch.json").write_text('{"jobs": [{"na')
    assert ledger.Ledger.load(tmp_path / "batch.json").jobs == {}


def test_one_glob_reads_every_case(whole: Path) -> None:
    import duckdb

    rows = duckdb.sql(f"SELECT count(*), count(DISTINCT filename) FROM read_parquet('{whole}/*/findings.parquet', filename = true)")
    count, files = rows.fetchall()[0]
    assert count >= files == 3
    events = duckdb.sql(f"SELECT count(DISTINCT filename) FROM read_parquet('{whole}/*/parcels/*/events.parquet', filename = true)")
    assert events.fetchall() == [(3,)]


def test_views_of_a_case_open_in_any_shell(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    monkeypatch.chdir(whole / "job-48210")
    shell = duckdb.connect()
    shell.execute(Path("views.sql").read_text())
    assert shell.execute("SELECT count(*) FROM nccl_net_ib_async_event").fetchall() == [(1,)]
    assert shell.execute("SELECT count(*) FROM gpu_xid").fetchall() == [(0,)]
