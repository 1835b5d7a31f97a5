"""A log that somebody quoted, indented, numbered or took from a web page is read as the log it was."""

import html
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncclscope import analyse, margins, packs
from ncclscope.case import open_case

LOG = """\
[rank3]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: \
WorkNCCL(SeqNum=42, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600017 milliseconds before timing out.
Traceback (most recent call last):
  File "/opt/train.py", line 10, in <module>
    main()
  File "/opt/train.py", line 7, in main
    raise ValueError("bad & worse <batch>")
ValueError: bad & worse <batch>
node1:41:99 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC
node1:41:99 [0] NCCL INFO Connected all rings
"""


def each(change: Callable[[int, str], str]) -> str:
    return "".join(change(number, line) + "\n" for number, line in enumerate(LOG.splitlines(), 1))


COPIES = {
    "indented": each(lambda _, line: f"    {line}"),
    "by a tab": each(lambda _, line: f"\t{line}"),
    "quoted": each(lambda _, line: f"> {line}"),
    "quoted twice": each(lambda _, line: f"> > {line}"),
    "quoted block": each(lambda _, line: f">     {line}"),
    "cat -n": each(lambda number, line: f"{number:6d}\t{line}"),
    "grep -n": each(lambda number, line: f"{number}:{line}"),
    "from a page": html.escape(LOG),
    "fenced and indented": "```\n" + each(lambda _, line: f"      {line}") + "```\n",
}


def rows(folder: Path, content: str) -> list[tuple[object, ...]]:
    (folder / "job.log").write_text(content)
    case = analyse.read(folder / "case", [str(folder / "job.log")], packs.load(rules=False))
    channels = "SELECT 'channel', via, from_rank, host FROM connections"
    return case.sql(f"SELECT kind, message, rank, host FROM events UNION ALL {channels} ORDER BY ALL")


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_has_the_rows_of_the_log(how: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert len(expected := rows(tmp_path / "a", LOG)) >= 4
    assert rows(tmp_path / "b", COPIES[how]) == expected


def test_evidence_is_the_line_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(COPIES["quoted"])
    case = analyse.scan_case([str(tmp_path / "job.log")], analyse.Options(case=tmp_path / "case", workers=1))
    wanted = "SELECT e.\"offset\", e.length FROM events e WHERE e.kind LIKE 'torch.watchdog%' LIMIT 1"
    [(offset, length)] = open_case(case, packs.Pack()).sql(wanted)
    assert (offset, length) == (0, len(COPIES["quoted"].splitlines()[0]) + 1)


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        "",
        "\n\n",
        "  - name: trainer\n    image: x\nspec:\n",
        "  time      : 2024-05-01_12:00:00\n  rank      : 3 (local_rank: 3)\n",  # of torchrun's table
        "0: a\n1: b\n2: c\n3: d\n",  # srun --label: ranks that each said a line
        "0: a\n0: b\n" * 20,
        "> a\nb\nc\n",
        'a &lt; b\n<a href="x">\n',  # a page that really is one
    ],
)
def test_what_belongs_to_the_lines_stays(text: str) -> None:
    assert margins.of(text.encode()) is None


@given(st.binary(max_size=400))
def test_any_bytes_have_a_margin_or_none(head: bytes) -> None:
    margin = margins.of(head)
    if margin is not None:
        assert len(margin.taken_off(pl.Series(["", "x", "> x"]))) == 3
