from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ncclscope.tui import metrics, paint
from ncclscope.tui.metrics import LEVELS, Series
from tui.driving import drive

values = st.lists(st.none() | st.floats(-1e15, 1e15, allow_nan=False), min_size=1, max_size=60)


@given(values)
def test_a_graph_has_a_level_for_each_value_and_a_blank_for_none(found):
    shown = metrics.graph(found)
    assert len(shown) == len(found)
    assert all((letter == " ") == (value is None) for letter, value in zip(shown, found, strict=True))
    assert set(shown) <= {*LEVELS, " "}


@given(values)
def test_the_highest_value_is_drawn_highest(found):
    known = [value for value in found if value is not None]
    if len(set(known)) > 1:
        shown = metrics.graph(found)
        assert shown[found.index(max(known))] == LEVELS[-1]
        assert shown[found.index(min(known))] == LEVELS[0]


@given(st.floats(-1e14, 1e14, allow_nan=False))
def test_numbers_stay_short(value):
    assert len(metrics.number(value)) <= 9


@given(st.text(max_size=40), st.text(max_size=5), values, st.integers(0, 59))
def test_the_graph_begins_where_the_timeline_does(name, unit, found, column):
    if any(value is not None for value in found):
        shown = metrics.line(Series(name, unit, False, tuple(found)), column, 20)
        assert cell_len(shown[0].text) == 20


def row(name, col, low, high, counter=False, grown=None, unit="C"):
    return {"name": name, "unit": unit, "is_counter": counter, "col": col, "low": low, "high": high, "grown": grown}


def test_a_temperature_is_its_highest_and_a_clock_its_lowest():
    found = metrics.picked([row("temperature.gpu", 1, 60, 88), row("clocks.current.sm", 1, 345, 1980)], 4)
    assert [(one.name, one.values[1]) for one in found] == [("temp", 88), ("clk", 345)]


def test_a_counter_that_never_grew_is_not_shown_and_the_gravest_comes_first():
    rows = [
        row("port_rcv_errors", 0, 0, 3, True, 3.0),
        row("link_downed", 2, 0, 1, True, 1.0),
        row("symbol_error", 1, 7, 7, True, 0.0),
        row("port_rcv_packets", 1, 7, 9, True, 2.0),
    ]
    assert [one.name for one in metrics.picked(rows, 4)] == ["link_downed", "port_rcv_errors"]


def test_a_sample_stands_until_the_next_and_no_longer_than_usual():
    rows = [row("temperature.gpu", col, col, col) for col in (0, 2, 4, 12)]
    assert metrics.picked(rows, 14)[0].values == (0, 0, 2, 2, 4, 4, *[None] * 6, 12, 12)


def test_the_timeline_shows_the_telemetry_of_the_row_under_the_cursor(small):
    seen = drive(small, "2", size=(120, 40))
    graph = next(line for line in seen.splitlines() if line.startswith("  clk"))
    assert "345-1980 MHz" in graph
    assert "####" in graph
    assert graph.rstrip().endswith("  345")


def test_a_row_of_the_other_host_has_none(small):
    assert "metrics of" not in drive(small, "2", "v", size=(120, 40))


def test_metrics_lines_are_only_spans_with_known_styles():
    shown = metrics.lines([Series("temp", "C", False, (1.0, 2.0))], 0, 20, "node1")
    assert all(span.style in paint.STYLES for line in shown for span in line)
