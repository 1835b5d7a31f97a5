"""Reports: the contract of the JSON form, the same bytes every time, and hostile text in every form."""

import gzip
import io
import json
import re
import tarfile
from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import PORT_DOWN, Run
from hypothesis import given
from hypothesis import strategies as st
from support import SCHEMA, case_of, pack, valid

from ncclscope import report, samples, scan, vocabulary
from ncclscope.formats import html, markdown, text, wording

Report = dict[str, Any]
FORMS = {"text": text.as_text, "md": markdown.as_markdown, "html": html.as_html, "json": report.as_json}

# What a log may hold to do harm: terminal escapes, C1, bidirectional overrides, markup of every form, fences, newlines.
EVIL = (
    "\x1b[2J\x1b]0;owned\x07\x9b31m\u202etxt.exe <script>alert(1)</script> <img src=x onerror=alert(1)> \"'&amp; "
    "[link](http://evil.example) ![i](x) ``` ~~~ | # @team $x$ [/] \\ \u2588\u2588\u2588\u2588 caf\u00e9"
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of the hung job, which has causes and folded symptoms."""
    case = case_of(samples.folder() / "hang-rank-behind" / "logs", tmp_path_factory.mktemp("sample") / "case")
    return report.build(case)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of a job whose log, file name and findings all hold the evil text."""
    folder = tmp_path_factory.mktemp("hostile")
    logs = folder / "logs"
    logs.mkdir()
    name = "evil\n<b>`\x1b[31m.log"
    (logs / name).write_bytes(f"n1:10:20 [0] NCCL INFO something odd {EVIL}\n".encode())
    (logs / "broken\x1b[31m.gz").write_bytes(gzip.compress(b"x" * 5000)[:20])
    return report.build(case_of(logs, folder / "case", (str(pack(folder / "pack")),)))


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_knows_the_words_of_the_engine() -> None:
    defs = SCHEMA["$defs"]
    assert defs["severity"]["enum"] == list(vocabulary.SEVERITIES)
    assert defs["role"]["enum"] == list(vocabulary.ROLES)
    assert defs["verdict"]["properties"]["status"]["enum"] == list(vocabulary.STATUSES)
    assert defs["finding"]["properties"]["confidence"]["enum"] == list(vocabulary.CONFIDENCES)
    assert defs["check"]["properties"]["status"]["enum"] == list(report.CHECKED)


def test_a_report_keeps_the_schema(sample: Report, hostile: Report) -> None:
    valid(sample)
    valid(hostile)


def test_a_report_with_a_member_missing_does_not(sample: Report) -> None:
    without = {name: value for name, value in sample.items() if name != "verdict"}
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(without)


def test_findings_are_ordered(sample: Report, hostile: Report) -> None:
    for built in (sample, hostile):
        assert built["findings"] == sorted(built["findings"], key=_order)


def _order(finding: Mapping[str, Any]) -> tuple[Any, ...]:
    roles, severities = vocabulary.ROLES, vocabulary.SEVERITIES
    return roles.index(finding["role"]), severities.index(finding["severity"]), finding["began"] or "9999", finding["rule"]


def test_the_last_attempt_is_the_headline(sample: Report) -> None:
    assert sample["verdict"] == sample["verdicts"][-1]


def test_lines_of_files_add_up(sample: Report) -> None:
    for file in sample["files"]:
        assert file["lines"] == file["matched"] + file["unknown"] + file["damaged"]
    assert sample["totals"]["lines"] == sum(file["lines"] for file in sample["files"])
    assert sum(sample["totals"]["checks"].values()) == len(sample["checks"])


# --- the same bytes


def test_the_same_input_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = samples.folder() / "link-flap-ib" / "logs"
    first = report.as_json(report.build(case_of(logs, tmp_path / "one")))
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    monkeypatch.setenv("LC_ALL", "C")
    assert report.as_json(report.build(case_of(logs, tmp_path / "two"))) == first


def test_any_number_of_workers_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("link-flap-ib", "hang-rank-behind"):  # an archive each, so that there is more than one parcel
        with tarfile.open(logs / f"{name}.tar.gz", "w:gz") as archive:
            archive.add(samples.folder() / name / "logs", name)
    monkeypatch.setattr(scan, "IN_PROCESS_BYTES", 0)
    built = [report.as_json(report.build(case_of(logs, tmp_path / str(n), workers=n))) for n in (1, 2)]
    assert built[0] == built[1]
    assert json.loads(built[0])["totals"]["files"] > 40


# --- evidence


def _evidence(path: Path, directory: Path) -> list[Mapping[str, Any]]:
    built = report.build(case_of(path, directory))
    lines: list[Mapping[str, Any]] = next(f["evidence"] for f in built["findings"] if f["rule"] == "ib-port-down")
    return lines


def test_evidence_is_the_original_line_wherever_it_stands(tmp_path: Path) -> None:
    content = "filler\n" * 5000 + PORT_DOWN + "more\n" * 10
    (tmp_path / "a.log").write_text(content)
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(content.encode()))
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        for name in ("x/empty.log", "x/a.log", "x/z.log"):
            info = tarfile.TarInfo(name)
            data = content.encode() if name == "x/a.log" else b"nothing\n"
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    for name, shown in (("a.log", "a.log"), ("a.log.gz", "a.log.gz"), ("a.tar.gz", "a.tar.gz/x/a.log")):
        wanted = [{"file": shown, "line": 5001, "text": PORT_DOWN.strip()}]
        assert _evidence(tmp_path / name, tmp_path / f"case-{name}") == wanted


def test_evidence_of_a_source_that_is_gone_is_the_stored_message(tmp_path: Path, ncclscope: Run) -> None:
    log = tmp_path / "a.log"
    log.write_text("filler\n" * 50 + PORT_DOWN)
    ncclscope("scan", "-o", tmp_path / "case", log)
    log.write_text("shorter now\n")
    lines = json.loads(ncclscope("report", "--format", "json", tmp_path / "case").out)["findings"][0]["evidence"]
    assert lines == [{"file": "a.log", "line": 51, "text": "NET/IB : mlx5_5:1 Got non-fatal async event: port error(10)"}]
    log.unlink()
    assert "NET/IB : mlx5_5:1" in ncclscope("report", tmp_path / "case").out


def test_of_a_line_too_long_to_show_the_record_is_shown(tmp_path: Path) -> None:
    bar = "\r".join(f" {n:3d}%|{'#' * 60}|" for n in range(100))
    (tmp_path / "a.log").write_text(f"{bar}\r{PORT_DOWN}")
    [line] = _evidence(tmp_path / "a.log", tmp_path / "case")
    assert line["text"] == PORT_DOWN.strip()


# --- hostile text

_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("form", FORMS)
def test_no_control_character_comes_out(hostile: Report, form: str) -> None:
    printed = FORMS[form](hostile)
    assert not _UNSAFE.search(printed)
    assert "something odd" in printed


def test_the_text_report_is_ascii_of_80_columns(hostile: Report, sample: Report) -> None:
    for built in (hostile, sample):
        printed = text.as_text(built)
        assert printed.isascii()
        assert max(map(len, printed.splitlines())) <= 80
    assert "<U+2588 x4>" in text.as_text(hostile)


@pytest.mark.parametrize("width", [40, 60, 120])
def test_the_text_report_keeps_any_width(sample: Report, width: int) -> None:
    assert max(map(len, text.as_text(sample, width).splitlines())) <= width


def test_colour_only_repeats_what_characters_say(hostile: Report) -> None:
    coloured = text.as_text(hostile, colour=True)
    assert re.sub(r"\x1b\[[0-9;]+m", "", coloured) == text.as_text(hostile)
    assert set(re.findall(r"\x1b[^m]*m", coloured)) <= {f"\x1b[{code}m" for code in ("0", "1", "2", "36", "33", "32", "1;31")}


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_the_page_has_only_its_own_markup(hostile: Report) -> None:
    page = _Tags()
    page.feed(html.as_html(hostile))
    assert not page.tags & {"script", "img", "b2", "a", "iframe", "link", "svg"}
    assert page.attributes <= {"lang", "charset", "http-equiv", "content", "name", "class", "open"}
    assert "default-src 'none'" in html.as_html(hostile)


def test_the_page_loads_nothing(sample: Report) -> None:
    assert not re.search(r"(src=|href=|url\(|@import)", html.as_html(sample).partition("</style>")[0])


def test_nothing_foreign_is_markup_in_a_ticket(hostile: Report) -> None:
    inside = False
    for line in markdown.as_markdown(hostile).splitlines():
        if re.match(r"`{3,}", line):
            inside = not inside
        elif not inside:
            plain = re.sub(r"(`+).*?\1", "", line)
            assert not re.search(r"(?<!\\)(<script|<img|\[link\]|@team|!\[|\$x)", plain), line
    assert not inside


@given(st.text())
def test_escaped_markdown_has_no_open_markup(value: str) -> None:
    outside = re.sub(r"(`+).*?\1", "", markdown.escaped(value))
    assert not re.search(r"(?<!\\)(\\\\)*[\[\]<*|~@#&]", outside)


@given(st.lists(st.text(max_size=40), max_size=4))
def test_no_line_ends_its_fence(lines: list[str]) -> None:
    fence, *inner, end = markdown.fenced(lines)
    assert fence == f"{end}text"
    assert not any(line.strip().startswith(end) for line in inner)


@given(st.text())
def test_ascii_only_is_ascii(value: str) -> None:
    assert text.ascii_only(value).isascii()
    assert "\x1b" not in text.ascii_only(value)


# --- wording


def test_a_level_is_said_once() -> None:
    named = {"hosts": ["n1"], "ranks": [3, 5], "gpus": ["GPU 6"], "devices": [], "either": False}
    assert wording.culprit(named) == "host n1, ranks 3 5, GPU 6"


def test_folded_findings_are_counted_under_their_cause(sample: Report) -> None:
    [top, *_] = wording.groups(sample)
    assert top.finding["finding_id"] == sample["verdict"]["finding_id"]
    assert top.folded
    assert f"this explains {wording.count(len(top.folded), 'finding')}" in text.as_text(sample)
    standing = [group.finding["finding_id"] for group in wording.groups(sample)]
    assert not {one["finding_id"] for one in top.folded} & set(standing)


def test_the_answer_stands_first_and_what_was_not_read_last(hostile: Report) -> None:
    lines = text.as_text(hostile).splitlines()
    assert lines[0].startswith("CAUSE  something odd") or lines[0].startswith("SUSPECT")
    assert lines.index("NEXT") < lines.index("WHY") < lines.index("WHAT WAS READ")
    assert any("1 of 2 files could not be read whole" in line for line in lines)


def test_many_findings_are_cut_and_counted(sample: Report) -> None:
    first = next(f for f in sample["findings"] if f["finding_id"] == sample["verdict"]["finding_id"])
    many = [{**first, "finding_id": f"{n:012x}", "summary": f"finding {n}"} for n in range(40)]
    assert "and 37 more like this" in text.as_text({**sample, "findings": [first, *many]})
    others = [{**one, "rule": f"rule-{n}"} for n, one in enumerate(many)]
    assert "and 28 more findings" in text.as_text({**sample, "findings": [first, *others]})


def test_lines_that_differ_only_in_numbers_are_shown_twice_at_most(sample: Report) -> None:
    lines = [{"file": "a", "line": n, "text": f"rank {n} waits"} for n in range(9)] + [{"file": "a", "line": 10, "text": "other"}]
    finding = {**sample["findings"][0], "evidence": lines}
    assert [line["line"] for line in wording.evidence(finding, 5)] == [0, 1, 10]


@pytest.mark.parametrize(
    ("began", "ended", "said"),
    [
        (None, None, "-"),
        ("2026-11-30T03:13:52Z", None, "2026-11-30 03:13:52 UTC"),
        ("2026-11-30T03:13:52.500000Z", "2026-11-30T04:00:00Z", "2026-11-30 03:13:52.5 to 04:00:00 UTC"),
        ("2026-11-30T23:59:00Z", "2026-12-01T00:01:00Z", "2026-11-30 23:59:00 to 2026-12-01 00:01:00 UTC"),
    ],
)
def test_a_span_says_its_date_once(began: str | None, ended: str | None, said: str) -> None:
    assert wording.span(began, ended) == said


def test_one_of_two_is_said_to_be_one_of_two() -> None:
    named = {"hosts": ["a", "b"], "ranks": [], "gpus": [], "devices": [], "either": True}
    assert wording.culprit(named) == "one of these: hosts a b"
    assert wording.culprit({**named, "hosts": [], "either": False}) == ""
    assert wording.names(list(range(11))) == "0 1 2 3 4 5 6 7 and 3 more"


@given(st.lists(st.sampled_from("abc"), max_size=20))
def test_of_many_findings_of_a_rule_few_are_told_and_the_others_counted(rules: list[str]) -> None:
    few = wording.few_of_each([wording.Group({"rule": rule}) for rule in rules])
    told = Counter(group.finding["rule"] for group, _ in few)
    more = {group.finding["rule"]: more for group, more in few if more}
    for rule in set(rules):
        assert told[rule] == min(rules.count(rule), wording.ALIKE)
        assert told[rule] + more.get(rule, 0) == rules.count(rule)
