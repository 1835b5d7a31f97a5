"""Pages from declarations are current, and every command that a page shows can be run."""

import re
import shlex
from pathlib import Path

import pytest
from conftest import Run

from ncclscope import arguments, docs, explain, packs, samples, vocabulary

ROOT = packs.shipped()
ALL = packs.load()
PAGES = docs.pages(ALL)
WRITTEN = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if path.name not in PAGES]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_declarations_say(name: str) -> None:
    assert (ROOT / "docs" / name).read_text("utf-8") == PAGES[name], "run: make docs"


def test_the_picture_in_the_readme_is_what_the_demo_prints(ncclscope: Run) -> None:
    shown = ncclscope("demo").out
    assert f"$ ncclscope demo\n{shown}```" in (ROOT / "README.md").read_text("utf-8"), "run: make docs"


def test_the_panes_in_the_readme_are_those_that_were_captured() -> None:
    shown = docs.panes(ROOT / "docs")
    assert shown.count("```text") == len(docs.PANES)
    assert shown in (ROOT / "README.md").read_text("utf-8"), "run: make docs"


def test_pages_are_written_where_asked(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("a\n<!-- demo -->\nold\n<!-- /demo -->\nz\n")
    assert docs.main([str(tmp_path / "docs")]) == 0
    assert {path.name for path in (tmp_path / "docs").iterdir()} == set(PAGES)
    readme = (tmp_path / "README.md").read_text()
    assert re.match(r"a\n<!-- demo -->\n```text\n\$ ncclscope demo\n[A-Z]+  .*```\n<!-- /demo -->\nz\n$", readme, re.S)


def _commands(path: Path) -> list[str]:
    """Commands in blocks of shell code."""
    blocks = re.findall(r"^```(?:sh|console|bash)\n(.*?)^```", path.read_text("utf-8"), re.M | re.S)
    lines = [line.removeprefix("$ ").partition(" #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("ncclscope")]


SHOWN = [line for path in WRITTEN for line in _commands(path)] + [example for _, example in arguments.COMMANDS.values()]


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_that_is_shown_runs(ncclscope: Run, command: str) -> None:
    """On a sample where it asks for evidence; what would read or write elsewhere is only parsed."""
    words = shlex.split(command.split(" > ", maxsplit=1)[0])[1:]
    if words[0] in ("sql", "explain", "parsers", "demo"):
        sample = str(samples.folder() / samples.HUNG / "logs")
        words = [sample if word in ("job-48213/", "run-7/") else word for word in words]
        assert ncclscope(*words).status == 0
    elif words != ["--help"]:
        assert arguments.parse(words).command


@pytest.mark.parametrize("name", [*ALL.rules])
def test_every_rule_can_be_explained(name: str) -> None:
    printed = explain.as_text(explain.rule_page(ALL.rules[name]))
    assert ALL.rules[name].title.split()[0] in printed
    prose = [line for line in printed.split("Lines that make it fire")[0].splitlines() if " " in line.strip()]
    assert max(map(len, prose)) <= 80


@pytest.mark.parametrize("name", [*vocabulary.KINDS])
def test_every_kind_can_be_explained(name: str) -> None:
    assert vocabulary.KINDS[name] in " ".join(explain.as_text(explain.kind_page(name, ALL)).split())


def test_what_is_not_known_is_guessed(ncclscope: Run) -> None:
    assert "net.link_flap" in explain.near("link_flap", ALL)
    assert explain.near("qqqqqq", ALL) == []
    assert "did you mean" in ncclscope("explain", "link_flap").err
