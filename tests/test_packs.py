"""Every declaration keeps what it promises: a walk over parsers, rules and labelled sample cases."""

from functools import cache
from pathlib import Path

import pytest
from conftest import Run
from support import RULE, case_of, pack, valid

from ncclscope import check, corpus, docs, packs, report, rules, samples, views

ALL = packs.load()
DOCUMENTED = ("title", "explanation", "advice", "false_positives")


def _only(path: Path) -> check.Chooser:
    return lambda other: other == path


@pytest.mark.parametrize("name", ALL.parsers)
def test_a_parser_reads_its_samples(name: str) -> None:
    assert list(check.parsers(ALL, _only(ALL.parsers[name].path))) == []


@pytest.mark.parametrize("name", ALL.parsers)
def test_a_parser_has_title_and_samples(name: str) -> None:
    parser = ALL.parsers[name]
    assert parser.title
    assert parser.samples
    assert {sample.kind or sample.table for sample in parser.samples} - {"", "none"} or parser.lines


@pytest.mark.parametrize("name", ALL.rules)
def test_a_rule_passes_its_tests(name: str) -> None:
    assert list(check.rules(ALL, _only(ALL.rules[name].path))) == []


@pytest.mark.parametrize("name", ALL.rules)
def test_a_rule_is_documented(name: str) -> None:
    rule = ALL.rules[name]
    assert not [part for part in DOCUMENTED if not getattr(rule, part)]
    assert rule.references
    assert rule.path.parent.name == rule.kind.split(".", maxsplit=1)[0], "a rule lies in the folder of its kind's first word"
    assert set(rule.needs) <= {*ALL.parsers, "collectives", "connections", "steps", "metrics"}


@pytest.mark.parametrize("name", samples.names())
def test_a_sample_case_is_judged_right(name: str, tmp_path: Path) -> None:
    folder = samples.folder() / name
    built = report.build(case_of(folder / "logs", tmp_path / "case"))
    valid(built)
    judged = corpus.judge_folder(folder, built)
    assert judged.outcome == "right", "; ".join(judged.faults)
    assert docs.expected(built) == (folder / samples.EXPECTED).read_text("utf-8"), "look at the difference, then: make docs"


# --- loading


def test_names_of_packs_must_exist(tmp_path: Path) -> None:
    with pytest.raises(packs.PackError, match="no such pack directory"):
        packs.load([tmp_path / "nosuch"])
    with pytest.raises(packs.PackError, match="neither parsers"):
        packs.load([tmp_path])


def test_half_a_pack_is_half_a_pack(tmp_path: Path) -> None:
    mine = pack(tmp_path)
    (mine / "parsers").mkdir()
    (mine / "parsers" / "odd.toml").write_text('title = "Odd"')
    assert "odd-line" in packs.load([f"rules:{mine}"]).rules
    assert "odd" not in packs.load([f"rules:{mine}"]).parsers
    assert "odd" in packs.load([f"parsers:{mine}"]).parsers
    assert "odd-line" not in packs.load([f"parsers:{mine}"]).rules
    assert "odd-line" in packs.load([f"rules:{mine / 'rules'}"]).rules


def test_a_later_pack_replaces_what_has_the_same_id(tmp_path: Path) -> None:
    mine = pack(tmp_path, name="ib-port-down")
    assert packs.load([mine]).rules["ib-port-down"].title == "A line of nobody's"
    assert [(name, now) for name, _, now in packs.replaced([mine])] == [("ib-port-down", mine / "rules/crash/ib-port-down.sql")]


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    mine = pack(tmp_path)
    assert packs.load([mine]).rules["odd-line"].severity == "high"
    pack(tmp_path, RULE.replace('"high"', '"medium"'))
    assert packs.load([mine]).rules["odd-line"].severity == "medium"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("/*", ""), "begins with /"),
        (('"high"', '"dire"'), "severity 'dire'"),
        (('"cause"', '"culprit"'), "role 'culprit'"),
        (("crash.python", "crash.fun"), "kind 'crash.fun'"),
        (("title ", "titel "), "unknown key 'titel'"),
        (('advice = "Look at it."', ""), "missing 'advice'"),
        (('"A test."', '"A test.'), "line"),
    ],
)
def test_a_rule_that_cannot_be_used_names_file_and_reason(tmp_path: Path, change: tuple[str, str], reason: str) -> None:
    mine = pack(tmp_path, RULE.replace(*change, 1))
    with pytest.raises(packs.PackError, match=reason) as caught:
        packs.load([mine])
    assert "odd-line.sql" in str(caught.value)


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ("titel = 'x'", "unknown key"),
        ("reference = 'x'", "missing 'title'"),
        ("title = 'x'\n[[event]]\nkind = 'a'\nliteral = ''\npattern = 'x'", "empty literal"),
        ("title = 'x'\n[[event]]\nkind = 'a'\nliteral = 'x'\npattern = '(?=x)'", "look-around"),
        ("title = 'x'\n[[event]]\nkind = 'a'\nliteral = 'x'\npattern = 'x'\ntable = 'nosuch'", "no table"),
        ("title = 'x'\n[[event]]\nkind = 'a'\nliteral = 'x'\npattern = 'x'\nseverity = 'bad'", "no severity"),
        ("title = 'x'\n[[line]]\nprefix = 'x'", "literal"),
        ("title = 'x'\n[reader]\nsniff = 'x'", "reader needs"),
        ("title = ", "Invalid value"),
    ],
)
def test_a_parser_that_cannot_be_used_names_file_and_reason(tmp_path: Path, declared: str, reason: str) -> None:
    (tmp_path / "parsers").mkdir()
    (tmp_path / "parsers" / "odd.toml").write_text(declared)
    with pytest.raises(packs.PackError, match=reason) as caught:
        packs.load([tmp_path])
    assert "odd.toml" in str(caught.value)


# --- what `check` finds


PARSER = """
title = "Odd"
[[event]]
kind    = "odd.line"
literal = "very odd"
pattern = 'very odd (?P<what>[a-z]+) (?P<count>\\d+)'
types   = { count = "int" }
[[sample]]
line   = "n1:10:20 [0] NCCL INFO very odd thing 7"
kind   = "odd.line"
fields = { what = "thing", count = 7 }
"""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("", ""), ""),
        (('"thing"', '"thong"'), "what is 'thing', not 'thong'"),
        (("count = 7", "count = 8"), "count is '7', not 8"),
        (("odd thing 7", "odd thing"), "no odd.line"),
        (('kind   = "odd.line"', 'kind   = "none"'), "must match nothing"),
        (("[[sample]]", "[[event]]\nkind = 'odd.other'\nliteral = 'zzz'\npattern = 'zzz'\n[[sample]]"), "event odd.other has no sample"),
        (("[[sample]]", "[[event]]\nkind = 'odd.twin'\nliteral = 'odd thing'\npattern = 'odd thing'\n[[sample]]"), "claimed by"),
    ],
)
def test_a_sample_that_does_not_hold_is_found(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    (tmp_path / "parsers").mkdir()
    path = tmp_path / "parsers" / "odd.toml"
    path.write_text(PARSER.replace(*change, 1))
    failures = [failure.what for failure in check.parsers(packs.load([tmp_path]), _only(path))]
    assert any(said in what for what in failures) if said else failures == []


def test_a_reader_that_fails_on_its_sample_is_found(tmp_path: Path) -> None:
    (tmp_path / "parsers").mkdir()
    path = tmp_path / "parsers" / "odd.toml"
    path.write_text("title = 'Odd'\n[reader]\nsniff = 'odd'\n[[sample]]\nline = 'odd'\ntable = 'metrics'\nrows = 1\n")
    path.with_suffix(".py").write_text("def read(stream, source):\n    raise KeyError('odd')\n    yield\n")
    [failure] = check.parsers(packs.load([tmp_path]), _only(path))
    assert failure.what == "KeyError: 'odd'"


def test_a_reader_may_be_a_folder_whose_files_import_each_other(tmp_path: Path) -> None:
    path = tmp_path / "parsers" / "odd.toml"
    path.with_suffix("").mkdir(parents=True)
    path.write_text("title = 'Odd'\n[reader]\nsniff = 'odd'\n[[sample]]\nline = 'odd'\ntable = 'metrics'\nrows = 2\n")
    (path.with_suffix("") / "__init__.py").write_text("from .rows import read\n")
    rows = path.with_suffix("") / "rows.py"
    rows.write_text(
        "from ncclscope.reading import Rows\n\n\ndef read(stream, source):\n    rows = Rows()\n"
        "    rows.metric(1, 'a', 1.0)\n    rows.metric(1, 'b', 2.0)\n    yield from rows.take()\n"
    )
    mine = packs.load([tmp_path])
    assert list(check.parsers(mine, _only(path))) == []
    reader = mine.parsers["odd"].reader
    assert reader is not None
    before = reader.module.read_bytes()
    rows.write_text(rows.read_text() + "# changed\n")
    assert reader.module.read_bytes() != before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("message AS summary", "mesage AS summary"), "mesage"),
        (("message AS summary,", ""), "'summary' is required"),
        (("message AS summary", "message AS summary, 1 AS weight"), "'weight' is not part"),
        (("message AS summary", "any_value(message) AS summary"), "any_value"),
        (("[host] AS hosts", "list(host) OVER () AS hosts"), "needs ORDER BY"),
        (("fires = 1", "fires = 3"), "1 findings, not 3"),
        (("fires = 1", 'fires = 1\nexpect = { hosts = ["n2"] }'), "hosts is ['n1'], not ['n2']"),
        (("fires = 0", "fires = 1"), "near miss"),
    ],
)
def test_a_rule_that_breaks_its_contract_is_found(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    mine = packs.load([pack(tmp_path, RULE.replace(*change, 1))])
    failures = [failure.what for failure in check.rules(mine, _only(mine.rules["odd-line"].path))]
    assert any(said in what for what in failures), failures


def test_a_rule_may_use_a_parser_of_its_own_pack(tmp_path: Path, ncclscope: Run) -> None:
    (tmp_path / "parsers").mkdir()
    (tmp_path / "parsers" / "odd.toml").write_text(PARSER)
    pack(tmp_path, RULE.replace("nccl_other", "odd_line").replace("%something odd%", "%odd%").replace("something odd", "very odd thing 7"))
    ran = ncclscope("check", tmp_path)
    assert (ran.status, ran.out) == (0, "")


@cache
def _empty() -> rules.Case:
    return rules.empty_case(ALL, views.shared())


@pytest.mark.parametrize("name", [*views.shared()])
def test_a_shared_view_says_what_it_is_and_can_be_asked(name: str) -> None:
    assert views.shared()[name].startswith("--")
    _empty().sql(f"SELECT * FROM {name}")


def test_several_processes_find_the_same_in_the_same_order(tmp_path: Path) -> None:
    for n in range(8):
        pack(tmp_path, RULE.replace("message AS summary", f"mesage_{n} AS summary"), name=f"odd-line-{n}")
    extra = (str(tmp_path),)
    mine = packs.load(extra)
    alone, together = (check.rules_at_once(mine, lambda path: path.is_relative_to(tmp_path), extra, n) for n in (1, 2))
    assert len(alone) == 8
    assert together == alone
