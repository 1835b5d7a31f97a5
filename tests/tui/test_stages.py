from hypothesis import given
from hypothesis import strategies as st

from ncclscope import timeline
from ncclscope.tui import grids, stages
from ncclscope.tui.desk import Desk
from ncclscope.tui.grids import Look
from ncclscope.tui.stages import CELLS, Stages
from tui.driving import drive

numbers = st.tuples(st.integers(0, 10**6), st.integers(0, 5000), st.integers(0, 5000), st.integers(6, 300))


@given(numbers)
def test_the_columns_hold_the_operation_nobody_completed_and_the_last_one(given_numbers):
    low, to_zero, beyond, columns = given_numbers
    zero, high = low + to_zero, low + to_zero + beyond
    found = stages.fit("g", low, high, zero, columns)
    assert found.columns <= columns
    assert found.column(zero) is not None
    assert found.column(high) is not None
    assert len(stages.ruler(found)[0]) <= found.columns


@given(numbers)
def test_every_column_is_a_phase_or_an_operation(given_numbers):
    low, to_zero, beyond, columns = given_numbers
    found = stages.fit("g", low, low + to_zero + beyond, low + to_zero, columns)
    kinds = [(found.phase(column), found.number(column)) for column in range(found.columns)]
    assert all((phase is None) != (number is None) for phase, number in kinds)
    assert [phase for phase, _ in kinds[: found.before]] == [n for n in range(4) for _ in range(found.cells)]
    assert {phase for phase, _ in kinds[found.after :]} == {4}


def test_without_numbered_operations_there_are_phases_only():
    assert Stages().columns == 5 * CELLS
    assert stages.zoom(Stages(), 0, 1, 80) == Stages()
    assert stages.ruler(Stages())[0].split() == [*stages.PHASES, stages.LAST]


def picture(case, **look):
    desk = Desk(case)
    return grids.picture(desk, 0, desk.ask("test", "SELECT * FROM verdicts")[0], 60, Look(**look))


def test_no_rank_is_lost_and_every_cell_is_a_state(untimed, large):
    for case, ranks in ((untimed, 8), (large, 1008)):
        for look in ({}, {"by_order": True}, {"by_order": False}):
            found = picture(case, **look)
            members = [rank for _, own in found.ranks for rank in own]
            assert sorted(members) == list(range(ranks))
            assert {cell for cells, _ in found.ranks for cell in cells} <= set(timeline.STATES)
            assert {len(cells) for cells, _ in found.ranks} == {found.axis.columns}


def test_who_stopped_in_start_up_waits_there_and_who_is_behind_ends_before_t(untimed):
    found = picture(untimed)
    cells = {rank: row for row, members in found.ranks for rank in members}
    assert isinstance(found.axis, Stages)
    assert found.axis.zero == 41
    assert cells[5].rstrip()[-1] in "?!"
    assert len(cells[5].rstrip()) <= 2 * CELLS
    at = found.axis.column(41)
    assert cells[0][at] == "?"
    assert cells[3][at - 1 : at + 1] == "= "


def test_a_case_with_times_is_drawn_by_time_until_the_order_is_asked_for(small):
    assert not isinstance(picture(small).axis, Stages)
    found = picture(small, by_order=True)
    assert (found.axis.comm, found.axis.zero) == ("default_pg", 120)


def test_the_cell_of_an_operation_says_who_called_it(untimed):
    seen = drive(untimed, "2")
    assert "operation 41  of default_pg" in seen
    assert "called by 6 of 7 ranks, completed on none; not by r3" in seen


def test_enter_without_times_goes_to_a_line_of_the_row(untimed):
    def look(pilot):
        return pilot.app.current_mode, pilot.app.screen._row()["rank"]

    keys = ["2", "v", "v", "v", *["j"] * 5, "enter"]
    assert drive(untimed, *keys, look=look) == ("events", 5)


def test_zoom_and_fit_hold_for_operations(untimed):
    def look(pilot):
        return pilot.app.screen.picture.axis.numbers.width_us

    assert drive(untimed, "2", "minus", look=look) == 2
    assert drive(untimed, "2", "minus", "0", look=look) == 1
