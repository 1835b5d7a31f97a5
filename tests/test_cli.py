"""The command line: help that teaches, exit statuses, named errors, and each command once."""

import argparse
import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PORT_DOWN, Run
from support import RULE, pack

from ncclscope import arguments, cli, commands
from ncclscope.commands import report as report_command

HEAVY = ("polars", "pyarrow", "duckdb", "textual", "regex", "hypothesis")


def shell(command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    python = f"{sys.executable} -m ncclscope"
    return subprocess.run(
        ["bash", "-c", command.replace("ncclscope", python, 1)], input=stdin, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_import_no_heavy_library(argument: str) -> None:
    program = (
        "import sys, ncclscope.cli\n"
        f"try: ncclscope.cli.main(['{argument}'])\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == "[]"
    assert "ncclscope" in ran.stdout


def test_the_help_fits_a_terminal_and_teaches(ncclscope: Run) -> None:
    ran = ncclscope("--help")
    assert ran.status == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    assert all(f"\n  {name} " in ran.out for name in arguments.COMMANDS)
    assert all(word in ran.out for word in ("first commands", "exit status", "130"))


@pytest.mark.parametrize("command", arguments.COMMANDS)
def test_every_command_explains_itself_with_an_example(ncclscope: Run, command: str) -> None:
    ran = ncclscope(command, "--help")
    assert ran.status == 0
    assert f"example:\n  ncclscope {command}" in ran.out


def test_every_command_has_a_module_that_runs() -> None:
    folder = Path(report_command.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "opening"}
    assert modules == {*arguments.COMMANDS, arguments.OPEN}


# --- exit statuses


def test_findings_below_the_threshold_are_no_failure(ncclscope: Run, port_down: Path) -> None:
    assert ncclscope("report", port_down).status == commands.DONE
    assert ncclscope("report", "--fail-on", "critical", port_down).status == commands.FOUND


def test_a_truncated_file_is_said_and_is_status_3(ncclscope: Run, port_down: Path) -> None:
    whole = gzip.compress(PORT_DOWN.encode() * 200)
    (port_down / "cut.log.gz").write_bytes(whole[: len(whole) // 2])
    ran = ncclscope("report", port_down)
    assert ran.status == commands.PARTIAL
    assert "1 of 2 files could not be read whole" in ran.out
    assert "cut.log.gz: partial" in ran.out
    assert ncclscope("report", "--fail-on", "critical", port_down).status == commands.FOUND


@pytest.mark.parametrize("content", [None, b"", b"\x00\x01\x02" * 500, b"nothing that anybody knows\n"])
def test_input_in_which_nothing_is_recognised_is_status_4(ncclscope: Run, tmp_path: Path, content: bytes | None) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    if content is not None:
        (folder / "a.log").write_bytes(content)
    ran = ncclscope("report", folder)
    assert ran.status == commands.NOTHING
    assert ran.out.startswith("UNSURE")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["report", "nosuch"], commands.NOTHING, "nosuch: No such file"),
        (["reprot"], commands.USAGE, "did you mean ncclscope report?"),
        ([], commands.USAGE, "ncclscope demo"),
        (["report"], commands.USAGE, "PATH"),
        (["report", "--format", "pdf", "."], commands.USAGE, "--format"),
        (["report", "--workers", "0", "."], commands.USAGE, "number from 1"),
        (["report", "--timezone", "Mars/Crater", "."], commands.USAGE, "Europe/Berlin"),
        (["report", "--pack", "nosuch", "."], commands.USAGE, "no such pack"),
        (["explain", "ib-port"], commands.USAGE, "ib-port-down"),
        (["explain", "zzz"], commands.USAGE, "docs/rules.md"),
        (["demo", "hang"], commands.USAGE, "--list"),
        (["scan", "--each", "."], commands.USAGE, "-o DIR"),
        (["check", "--corpus", "--cases", "nosuch"], commands.USAGE, "expect.json"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(ncclscope: Run, words: list[str], status: int, said: str) -> None:
    ran = ncclscope(*words)
    assert ran.status == status
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_a_pack_with_a_mistake_names_file_and_reason(ncclscope: Run, port_down: Path, tmp_path: Path) -> None:
    ran = ncclscope("report", "--pack", pack(tmp_path / "pack", RULE.replace('"high"', '"dire"')), port_down)
    assert ran.status == commands.USAGE
    assert "odd-line.sql" in ran.err
    assert "dire" in ran.err


def test_a_directory_that_only_looks_like_a_case_is_refused(ncclscope: Run, tmp_path: Path) -> None:
    for version, said in (99, "newer version"), (1, "older version"):
        (tmp_path / "manifest.json").write_text(f'{{"schema": {version}}}')
        assert said in ncclscope("report", tmp_path).err
    (tmp_path / "manifest.json").write_text("{")
    ran = ncclscope("report", tmp_path)
    assert (ran.status, ran.out) == (commands.NOTHING, "")
    assert "not a case" in ran.err


def test_a_defect_shows_its_traceback(ncclscope: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: argparse.Namespace) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(report_command, "run", broken)
    ran = ncclscope("report", ".")
    assert ran.status == commands.DEFECT
    assert "ZeroDivisionError" in ran.err
    assert "defect of ncclscope" in ran.err


def test_an_interrupt_is_status_130(ncclscope: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(report_command, "run", interrupted)
    assert ncclscope("report", ".").status == commands.INTERRUPTED


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    ran = shell("set -o pipefail; ncclscope demo --format json | head -n 1")
    assert ran.stdout == "{\n"
    assert ran.returncode == 0
    assert "Error" not in ran.stderr


# --- opening evidence and cases


def test_without_a_terminal_a_path_alone_is_the_text_report(ncclscope: Run, port_down: Path) -> None:
    assert ncclscope(port_down).out == ncclscope("report", port_down).out
    assert ncclscope(port_down).out.startswith("CAUSE  node064")


def test_standard_input_is_a_source(port_down: Path) -> None:
    ran = shell("ncclscope -", PORT_DOWN)
    assert ran.stdout.startswith("CAUSE  node064")


def test_a_case_is_opened_as_it_is(ncclscope: Run, port_down: Path, tmp_path: Path) -> None:
    made = ncclscope("scan", "--case", tmp_path / "case", port_down)
    assert made.out == f"{tmp_path / 'case'}\n"
    assert "cause_found" in made.err
    first = ncclscope("report", port_down)
    (port_down / "node064.log").unlink()
    kept = ncclscope("report", tmp_path / "case")
    assert kept.status == commands.DONE
    assert kept.out.splitlines()[0] == first.out.splitlines()[0]


def test_a_case_and_evidence_do_not_mix(ncclscope: Run, port_down: Path, tmp_path: Path) -> None:
    ncclscope("scan", "-o", tmp_path / "case", port_down)
    assert ncclscope("report", tmp_path / "case", port_down).status == commands.USAGE
    assert ncclscope("report", tmp_path / "case", tmp_path / "case").status == commands.DONE
    assert ncclscope("report", "--format", "json", tmp_path / "case", tmp_path / "case").status == commands.USAGE
    assert ncclscope("report", "--timezone", "+02:00", tmp_path / "case").status == commands.USAGE


def test_a_scan_that_did_not_finish_is_finished_when_opened(ncclscope: Run, port_down: Path, tmp_path: Path) -> None:
    ncclscope("scan", "-o", tmp_path / "case", port_down)
    (tmp_path / "case" / "verdicts.parquet").unlink()
    assert ncclscope("report", tmp_path / "case").out.startswith("CAUSE  node064")


@pytest.mark.parametrize("given", ["--pack", "--rules"])
def test_a_pack_adds_rules(ncclscope: Run, tmp_path: Path, given: str) -> None:
    (tmp_path / "a.log").write_text("n1:10:20 [0] NCCL INFO something odd\n")
    mine = pack(tmp_path / "pack")
    assert "something odd" in ncclscope("report", given, mine, tmp_path / "a.log").out
    assert ncclscope("report", "--parsers", mine, tmp_path / "a.log").status == commands.USAGE


def test_a_case_may_be_judged_by_another_pack(ncclscope: Run, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("n1:10:20 [0] NCCL INFO something odd\n")
    ncclscope("scan", "-o", tmp_path / "case", tmp_path / "a.log")
    assert "something odd" in ncclscope("report", "--rules", pack(tmp_path / "pack"), tmp_path / "case").out


def test_times_without_zone_are_of_the_zone_given(ncclscope: Run, port_down: Path) -> None:
    began = "SELECT began FROM findings"
    assert ncclscope("sql", port_down, began).out == "began\n2026-11-30 03:13:52\n"
    assert ncclscope("sql", "--timezone", "+02:00", port_down, began).out == "began\n2026-11-30 01:13:52\n"
    assert ncclscope("sql", "--timezone", "America/New_York", port_down, began).out == "began\n2026-11-30 08:13:52\n"


# --- commands


def test_a_plan_reads_nothing(ncclscope: Run, port_down: Path, tmp_path: Path) -> None:
    ran = ncclscope("scan", "--plan", "--case", tmp_path / "case", port_down)
    assert "1 files" in ran.out
    assert "workers" in ran.err
    assert not (tmp_path / "case").exists()


def test_each_job_gets_its_own_case(ncclscope: Run, port_down: Path, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    (jobs / "job 1.log").write_text(PORT_DOWN)
    (jobs / "job-2.log.gz").write_bytes(gzip.compress(PORT_DOWN.encode()))
    ran = ncclscope("scan", "--each", "-o", tmp_path / "cases", jobs)
    assert ran.out.splitlines() == [str(tmp_path / "cases" / name) for name in ("job-2.log", "job_1.log")]
    assert ran.err.count(": cause_found: ") == 2
    assert ncclscope("report", tmp_path / "cases" / "job-2.log").out.startswith("CAUSE  node064")


def test_samples_can_be_listed_and_shown(ncclscope: Run) -> None:
    assert "hang-rank-behind\tRank 11" in ncclscope("demo", "--list").out
    assert ncclscope("demo").out.startswith("CAUSE")
    assert ncclscope("demo", "link-flap-ib", "--format", "md").out.startswith("## CAUSE")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ib-port-down", "What to do"),
        ("net.link_flap", "ib-port-down"),
        ("net", "net.packet_loss"),
        ("hang.init", "At most a suspicion"),
        ("nccl.net.ib.async_event", "nccl_net_ib_async_event"),
        ("nvidia_smi", "Kinds of events"),
    ],
)
def test_names_are_explained(ncclscope: Run, name: str, said: str) -> None:
    ran = ncclscope("explain", name)
    assert ran.status == commands.DONE
    assert said in ran.out


def test_parsers_are_listed_from_their_declarations(ncclscope: Run) -> None:
    assert "nccl_channels" in ncclscope("parsers").out
    assert "nccl.comm.init\n" in ncclscope("parsers", "--kinds").out


def test_a_pack_is_checked_alone(ncclscope: Run, tmp_path: Path) -> None:
    mine = pack(tmp_path / "pack")
    ran = ncclscope("check", mine)
    assert (ran.status, ran.out) == (commands.DONE, "")
    assert "0 parsers, 1 rules, 0 failures" in ran.err


def test_a_check_says_what_fails_where(ncclscope: Run, tmp_path: Path) -> None:
    mine = pack(tmp_path / "pack", RULE.replace("fires = 0", "fires = 2"))
    ran = ncclscope("check", mine, "--rules")
    assert ran.status == commands.FOUND
    assert "crash/odd-line.sql: test 2: 0 findings, not 2" in ran.out


def test_a_check_says_what_replaces_what(ncclscope: Run, tmp_path: Path) -> None:
    mine = pack(tmp_path / "pack", name="ib-port-down")
    ran = ncclscope("check", mine, "--rules")
    assert f"ib-port-down: {mine / 'rules' / 'crash' / 'ib-port-down.sql'} replaces" in ran.err


def test_the_cache_is_listed_and_cleaned(ncclscope: Run, port_down: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    ncclscope("report", port_down)
    (tmp_path / "cache" / "ncclscope" / "notes").mkdir()
    ran = ncclscope("cache")
    assert str(port_down) in ran.out
    assert "1 cases" in ran.err
    ncclscope("cache", "--clean")
    assert os.listdir(tmp_path / "cache" / "ncclscope") == ["notes"]


# --- sql


@pytest.mark.parametrize(
    "query",
    [
        "COPY (SELECT 1) TO '{out}'",
        "ATTACH '{out}'",
        "EXPORT DATABASE '{out}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 1",
        "PRAGMA database_list",
        "SELECT 1; SELECT 2",
        "SELECT 1; COPY (SELECT 1) TO '{out}'",
        "WITH x AS (COPY (SELECT 1) TO '{out}') SELECT 1",
        "WITH x AS (INSERT INTO files VALUES (1) RETURNING *) SELECT 1",
        "CREATE TABLE t AS SELECT 1",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{out}'",
        "SELECT * FROM query('COPY (SELECT 1) TO ''{out}''')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_parquet('{case}/../../etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/etc/*')",
        "SELECT getenv('HOME')",
        "SELECT * FROM args",
        "",
        "SELEC 1",
    ],
)
def test_only_a_select_over_the_case_runs(ncclscope: Run, sample_case: Path, tmp_path: Path, query: str) -> None:
    out = tmp_path / "out"
    ran = ncclscope("sql", sample_case, query.format(out=out, case=sample_case))
    assert ran.status == commands.USAGE
    assert "the query cannot run" in ran.err
    assert ran.out == ""
    assert not out.exists()


def test_rows_are_printed_in_four_forms(ncclscope: Run, sample_case: Path) -> None:
    query = "SELECT 'a, b' AS text, 7 AS n, NULL AS nothing, [1, 2] AS list, chr(27) || '[31m' AS red"
    forms = {form: ncclscope("sql", "--format", form, sample_case, query).out for form in arguments.ROWS}
    assert forms["tsv"] == "text\tn\tnothing\tlist\tred\na, b\t7\t\t[1, 2]\t<1b>[31m\n"
    assert forms["csv"] == 'text,n,nothing,list,red\n"a, b",7,,"[1, 2]",<1b>[31m\n'
    assert forms["json"] == '[\n{"text": "a, b", "n": 7, "nothing": null, "list": [1, 2], "red": "\\u001b[31m"}\n]\n'
    assert forms["table"].splitlines()[1:] == ["----  -  -------  ------  --------", "a, b  7           [1, 2]  <1b>[31m"]


def test_no_rows_are_still_a_result(ncclscope: Run, sample_case: Path) -> None:
    query = "SELECT kind FROM events WHERE false"
    assert ncclscope("sql", sample_case, query).out == "kind\n"
    assert ncclscope("sql", "--format", "json", sample_case, query).out == "[]\n"


@pytest.fixture(scope="module")
def sample_case(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sql")
    (folder / "node064.log").write_text(PORT_DOWN)
    sys.stdout, kept = io.StringIO(), sys.stdout
    try:
        cli.main(["scan", "--case", str(folder / "case"), str(folder / "node064.log")])
    finally:
        sys.stdout = kept
    return folder / "case"
