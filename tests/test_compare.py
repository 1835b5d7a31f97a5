"""Two cases side by side, and one case in part."""

import json
from datetime import datetime
from pathlib import Path

import cases
import pytest
from conftest import Run

from ncclscope import compare, narrow


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("pair")
    good = cases.evidence(root / "good", lines=20)
    bad = cases.evidence(root / "bad", lines=20)
    log = bad / "node001.log"
    text = log.read_text().replace("via P2P/CUMEM", "via SHM/direct/direct")
    log.write_text(
        "node001:4121:4390 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to bond7\n"
        + text
        + "2026-11-30 03:20:01 loader 77 gave up on shard 0x7f0012\n2026-11-30 03:20:02 loader 78 gave up on shard 0x7f0013\n"
    )
    return cases.scanned(good, root / "a"), cases.scanned(bad, root / "b")


def test_the_bad_run_has_what_the_good_one_has_not(ncclscope: Run, pair: tuple[Path, Path]) -> None:
    out = ncclscope("diff", *pair).out
    assert "+ SHM: " in out or "+ SHM/direct/direct: " in out
    assert "+ NCCL_SOCKET_IFNAME: bond7" in out
    assert "+ #-#-# #:#:# loader # gave up on shard #: 2" in out
    assert "+ nccl.env: 1" in out


def test_differences_are_json_too_and_turn_round(ncclscope: Run, pair: tuple[Path, Path]) -> None:
    there = json.loads(ncclscope("diff", "--format", "json", *pair).out)["differences"]
    back = json.loads(ncclscope("diff", "--format", "json", pair[1], pair[0]).out)["differences"]
    assert {(one["section"], one["item"], one["good"], one["bad"]) for one in there} == {
        (one["section"], one["item"], one["bad"], one["good"]) for one in back
    }
    [env] = [one for one in there if one["section"] == "env"]
    assert (env["only"], env["good"], env["bad"]) == ("bad", None, "bond7")


def test_a_case_does_not_differ_from_itself(ncclscope: Run, pair: tuple[Path, Path]) -> None:
    assert "no difference" in ncclscope("diff", pair[0], pair[0]).out


def test_small_changes_of_numbers_are_none() -> None:
    good, bad = {"step times": {"median": 100.0, "p95": 100.0}}, {"step times": {"median": 109.0, "p95": 130.0}}
    assert [(one.item, one.bad) for one in compare.differences(good, bad)] == [("p95", 130.0)]


def test_what_only_the_bad_run_has_comes_first() -> None:
    good, bad = {"env": {"A": "1", "B": "1"}}, {"env": {"B": "2", "C": "3"}}
    assert [(one.item, one.good, one.bad) for one in compare.differences(good, bad)] == [
        ("C", None, "3"),
        ("B", "1", "2"),
        ("A", "1", None),
    ]


def test_lines_are_told_apart_without_their_numbers() -> None:
    assert compare.masked("\x1b[31mstep 17 at 0x7fff took 3.5 s\x1b[0m") == "step # at # took # s"


# --- a part of a case


def test_sql_sees_only_the_part_asked_for(ncclscope: Run, pair: tuple[Path, Path]) -> None:
    count = "SELECT count(*) AS n FROM connections"
    assert ncclscope("sql", pair[0], count).out == "n\n60\n"
    assert ncclscope("sql", "--host", "NODE001", pair[0], count).out == "n\n20\n"
    assert ncclscope("sql", "--since", "2026-11-30T03:00:10", pair[0], count).out == "n\n30\n"
    assert ncclscope("sql", "--until", "2026-11-30T03:00:10", "--host", "node001", pair[0], count).out == "n\n10\n"
    assert ncclscope("sql", "--rank", "900", pair[0], count).out == "n\n0\n"


def test_a_report_of_a_part_keeps_the_verdict(ncclscope: Run, pair: tuple[Path, Path]) -> None:
    whole = json.loads(ncclscope("report", "--format", "json", pair[0]).out)
    part = json.loads(ncclscope("report", "--format", "json", "--host", "node001", pair[0]).out)
    assert part["verdict"] == whole["verdict"]
    assert whole["findings"]
    assert not part["findings"]
    assert part["narrowed"] == "hosts node001"
    later = ncclscope("report", "--since", "2026-11-30", "--format", "json", pair[0])
    assert json.loads(later.out)["findings"] == whole["findings"]


def test_parts_are_written_in_several_ways() -> None:
    assert narrow.moment("2026-11-30") == datetime(2026, 11, 30)
    assert narrow.moment("2026-11-30T03:10:30Z") == datetime(2026, 11, 30, 3, 10, 30)
    assert narrow.ranks(["3", "512-519,530"]) == ((3, 3), (512, 519), (530, 530))
    for wrong in ("x", "3-", "-3", ""):
        with pytest.raises(ValueError, match="rank"):
            narrow.ranks([wrong] if wrong != "3-" else ["3-x"])
