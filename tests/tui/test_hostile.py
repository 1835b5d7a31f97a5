from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ncclscope.text import printable
from ncclscope.tui import paint, stories
from ncclscope.tui.paint import Span
from tui.conftest import concluded, finding, made
from tui.driving import drive

NASTY = "[/foo] [bold]x[/] \x1b]0;owned\x07 \x1b[2J \u202e evil \x00\x9b31m" + "A" * 5000

spans = st.lists(st.builds(Span, st.text(max_size=30).map(printable), st.sampled_from(list(paint.STYLES))), max_size=6)


@given(spans, st.integers(0, 60))
def test_a_line_is_cut_to_exactly_its_width(parts, width):
    assert cell_len(paint.plain(paint.cut(tuple(parts), width))) == width


@given(spans, spans, st.integers(0, 60))
def test_two_ends_fill_exactly_their_width(left, right, width):
    assert cell_len(paint.plain(paint.spread(tuple(left), tuple(right), width))) == width


@given(st.text(max_size=200), st.integers(0, 60))
def test_what_is_safe_has_no_control_character(text, width):
    shown = paint.pad(paint.safe(text).text, width)
    assert cell_len(shown) == width
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)


@given(st.text(max_size=300).map(printable), st.integers(2, 60))
def test_wrapping_keeps_to_the_width_and_loses_no_word(text, width):
    lines = paint.wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.text(max_size=100).map(printable), st.integers(0, 40))
def test_the_tail_of_a_path_keeps_to_the_width(text, width):
    assert cell_len(paint.tail(text, width)) <= width


@given(st.text(alphabet="X#!?>=. ", max_size=80))
def test_a_grid_row_is_its_states(cells):
    assert paint.plain(paint.grid(cells)) == cells


def test_a_hostile_log_changes_nothing_but_its_own_cell(tmp_path, pack):
    log = tmp_path / "job.log"
    log.write_text(f"node1:10:10 [0] NCCL WARN {NASTY}\nnode1:10:10 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n", errors="surrogateescape")
    opened = made(tmp_path / "case", log, pack)
    proofs = opened.sql("SELECT file_id, line, part FROM events")
    path = concluded(
        opened, [finding(1, NASTY, hosts=[NASTY], evidence=proofs)], [0, None, None, "cause_found", NASTY, "finding00001", [NASTY]]
    )
    for keys in ([], ["2"], ["3"], ["4"], ["5", "enter"], ["3", "enter"], ["question_mark"], ["enter", "m", "apostrophe"]):
        seen = drive(path, *keys)
        assert "\x1b" not in seen
        assert "\x9b" not in seen
        assert "\u202e" not in seen
        assert len(seen.splitlines()) == 24
        assert all(cell_len(line) <= 80 for line in seen.splitlines())


def test_what_is_copied_is_printable_too(tmp_path):
    proof = stories.Proof((1, 2, 0), NASTY, NASTY, {"message": NASTY, "host": NASTY})
    assert stories.citation(proof).isprintable()
