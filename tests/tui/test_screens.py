import os
import re
from pathlib import Path

import pytest

from tui.driving import drive

GOLDEN = Path(__file__).parent / "golden"
SIZES = ((80, 24), (120, 40), (40, 12))
SCREENS = {"1": "triage", "2": "timeline", "3": "events", "4": "ranks", "5": "files"}


def compare(name, seen):
    """With NCCLSCOPE_GOLDEN=write the files are written anew; look at the difference before it lands."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("NCCLSCOPE_GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(seen)
    assert seen == path.read_text()


@pytest.mark.parametrize("key", SCREENS)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", ["small", "empty", "unreadable", "large"])
def test_every_screen_looks_as_agreed(request, name, size, key):
    compare(f"{name}-{SCREENS[key]}-{size[0]}x{size[1]}", drive(request.getfixturevalue(name), key, size=size))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_without_times_the_columns_are_phases_and_operations(untimed, size):
    compare(f"untimed-timeline-{size[0]}x{size[1]}", drive(untimed, "2", size=size))


def test_the_first_screen_has_an_axis_without_times_too(untimed):
    compare("untimed-triage-80x24", drive(untimed))


def test_where_there_are_times_the_order_of_operations_is_a_key_away(small):
    compare("small-operations-80x24", drive(small, "2", "a"))


def test_a_thousand_ranks_are_a_handful_of_rows(large):
    seen = drive(large, "2")
    assert "1,000 ranks" in seen
    assert "node064" in seen
    assert "no log given" in seen


@pytest.mark.parametrize("size", [(300, 100), (60, 15), (39, 11), (20, 5), (10, 3)])
@pytest.mark.parametrize("key", "12345")
def test_any_size_is_survived(small, key, size):
    seen = drive(small, key, size=size)
    assert all(len(line) <= size[0] for line in seen.splitlines())


def test_a_terminal_that_is_too_small_is_told_so_and_the_app_goes_on(small):
    assert "needs 40 x 12" in drive(small, size=(39, 11))


@pytest.mark.parametrize("name", ["small", "large", "hung"])
def test_the_answer_is_there_before_any_key(request, name):
    first = drive(request.getfixturevalue(name)).splitlines()[1]
    assert re.match(r"(CAUSE|SUSPECT) ", first)


def test_the_cursor_is_a_character_and_not_only_a_colour(small):
    lines = drive(small, "j").splitlines()
    begin = next(i for i, line in enumerate(lines) if "findings" in line)
    assert [line[:1] for line in lines[begin + 1 : begin + 3]] == [" ", ">"]
