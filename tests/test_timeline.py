import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncclscope import timeline
from ncclscope.timeline import STATES, Axis, Herd, fit, herds

SECOND = 1_000_000
MINUTE = 60 * SECOND

widths = st.integers(1, 40)
tables = widths.flatmap(
    lambda width: st.lists(st.text(alphabet=STATES, min_size=width, max_size=width), min_size=0, max_size=60)
)


def rows(cells):
    """One row a rank, as the query gives them: equal strings folded."""
    folded = {}
    for rank, row in enumerate(cells):
        folded.setdefault(row, []).append(rank)
    return list(folded.items())


@given(tables, st.integers(0, 20))
def test_no_rank_is_left_out_or_counted_twice(cells, lines):
    members = [member for herd in herds(rows(cells), lines) for member in herd.members]
    assert sorted(members) == list(range(len(cells)))


@given(tables, st.integers(0, 20), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(cells, lines, rng: random.Random):
    given_rows = rows(cells)
    shuffled = [(row, rng.sample(members, len(members))) for row, members in rng.sample(given_rows, len(given_rows))]
    assert herds(given_rows, lines) == herds(shuffled, lines)


@given(tables, st.integers(0, 20))
def test_every_cell_is_a_state_and_every_row_as_wide(cells, lines):
    for herd in herds(rows(cells), lines):
        assert set(herd.cells) <= set(STATES)
        assert len(herd.cells) == len(cells[0])


@given(tables, st.integers(1, 20))
def test_an_error_of_anybody_is_seen_in_its_herd(cells, lines):
    for herd in herds(rows(cells), lines):
        for member in herd.members:
            assert all(shown == "X" for own, shown in zip(cells[member], herd.cells, strict=True) if own == "X")


@given(st.integers(0, 4_000_000_000 * SECOND), st.integers(0, 400 * 86_400 * SECOND), st.integers(1, 300))
def test_an_axis_holds_its_whole_span_on_round_columns(began, span, columns):
    axis = fit(began, began + span, columns)
    assert axis.columns <= columns
    assert axis.column(began) == 0
    assert axis.column(began + span) == axis.columns - 1
    assert axis.width_us in timeline.WIDTHS


@given(st.integers(0, 4_000_000_000 * SECOND), st.sampled_from(timeline.WIDTHS), st.integers(1, 300), st.booleans())
def test_a_ruler_is_never_wider_than_its_axis(began, width, columns, is_relative):
    axis = Axis(began // width * width, width, columns)
    labels, ticks = timeline.ruler(axis, axis.start(columns // 2) if is_relative else None)
    assert len(labels) <= columns
    assert len(ticks) <= columns


@given(st.integers(0, 2_000_000_000 * SECOND), st.integers(0, 59), st.integers(-3, 3))
def test_zooming_keeps_the_time_in_sight(began, column, steps):
    axis = fit(began, began + 10 * MINUTE, 60)
    at = axis.start(min(column, axis.columns - 1))
    closer = timeline.zoom(axis, at, steps, 60)
    assert closer.began_us - closer.width_us <= at <= closer.ended_us + closer.width_us


def test_zooming_in_makes_columns_narrower():
    axis = fit(0, 10 * MINUTE, 60)
    assert timeline.zoom(axis, 5 * MINUTE, 1, 60).width_us < axis.width_us < timeline.zoom(axis, 0, -1, 60).width_us


def test_ten_minutes_on_thirty_columns_are_thirty_seconds_a_column():
    axis = fit(0, 10 * MINUTE, 30)
    assert (axis.width_us, axis.columns) == (30 * SECOND, 21)


def test_the_largest_herd_comes_first_then_who_left_it_first():
    found = herds([("====", range(10)), ("==X#", [10]), ("=?? ", [11, 12]), ("==XX", [13, 14])])
    assert [herd.cells for herd in found] == ["====", "=?? ", "==X#", "==XX"]


def test_groups_that_differ_in_one_cell_become_one_when_there_are_too_many():
    given_rows = [("====????", range(100)), ("=.==????", [100]), ("===.????", [101, 102]), ("==X#", [103])]
    given_rows[3] = ("==X#    ", [103])
    assert len(herds(given_rows, 4)) == 4
    merged = herds(given_rows, 3)
    assert [(herd.cells, len(herd.members), herd.near) for herd in merged] == [("====????", 103, True), ("==X#    ", 1, False)]


def test_steps_that_rank_0_alone_logs_are_no_reason_to_leave_the_herd():
    assert herds([(".===??", [0]), ("....??", range(1, 8))]) == [Herd(".===??", tuple(range(8)))]


def test_steps_that_one_rank_lacks_are():
    assert len(herds([("=====", range(7)), ("==...", [7])])) == 2


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (0, "T"),
        (-3 * MINUTE, "-3m"),
        (90 * SECOND, "+1m30"),
        (40 * SECOND, "+40s"),
        (250_000, "+250ms"),
        (7500 * SECOND, "+2h05"),
        (-5 * 86_400 * SECOND, "-5d"),
    ],
)
def test_distances_from_t_are_short(us, text):
    assert timeline.relative(us) == text


def test_a_ruler_puts_t_at_its_column():
    axis = fit(0, 300 * SECOND, 61)
    labels, ticks = timeline.ruler(axis, 180 * SECOND)
    assert labels[axis.column(180 * SECOND)] == "T"
    assert ticks[axis.column(180 * SECOND)] == "|"
    assert "-2m" in labels
    assert "+1m" in labels


def test_a_clock_ruler_shows_times_of_day():
    labels, _ = timeline.ruler(fit(0, 3600 * SECOND, 60), None)
    assert "00:00" in labels


@pytest.mark.parametrize(
    ("members", "hosts", "name"),
    [
        ([517], {517: "node064"}, "node064 r517"),
        ([1, 2, 3], dict.fromkeys([1, 2, 3], "node000"), "node000 3 ranks"),
        ([1, 2, 8], {1: "a", 2: "a", 8: "b"}, "r1-2 8"),
        (range(0, 2000, 2), {n: str(n % 3) for n in range(2000)}, "1,000 ranks"),
        ([4], {}, "r4"),
    ],
)
def test_groups_are_called_what_they_are(members, hosts, name):
    assert timeline.named(list(members), hosts, 18) == name


@given(st.sets(st.integers(0, 200)))
def test_ranges_name_every_number(numbers):
    named = set()
    for part in timeline.ranges(numbers).split():
        first, _, last = part.partition("-")
        named.update(range(int(first), int(last or first) + 1))
    assert named == numbers


def test_hosts_show_the_most_telling_state_of_their_ranks():
    found = timeline.by_group([("==X", [0]), ("===", [1, 2])], {0: "a", 1: "a", 2: "b"})
    assert [(name, herd.cells, herd.members) for name, herd in found] == [("a", "==X", (0, 1)), ("b", "===", (2,))]
