"""Years that times do not state are found from when the log was last written."""

from datetime import datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncclscope import dates

ANCHOR = datetime(2026, 3, 10, 12)


def placed(*moments: datetime) -> list[datetime]:
    """The moments without their year, and with the year that `years` gives them."""
    bare = [moment.replace(year=1972) for moment in moments]
    return [stamp.replace(year=year) for stamp, year in zip(bare, dates.years(bare, ANCHOR), strict=True)]


@pytest.mark.parametrize(
    "moments",
    [
        [],
        [datetime(2026, 3, 10)],
        [datetime(2026, 3, 11, 11)],  # within the day that clocks may differ by
        [datetime(2025, 3, 12)],
        [datetime(2025, 12, 31), datetime(2026, 1, 1)],
        [datetime(2024, 12, 15), datetime(2025, 11, 1), datetime(2026, 1, 1)],
        [datetime(2024, 2, 29), datetime(2025, 3, 15)],
        [datetime(2025, 12, 31), datetime(2026, 1, 1), datetime(2025, 12, 31), datetime(2026, 1, 1)],
    ],
)
def test_years_are_found_walking_backwards(moments: list[datetime]) -> None:
    assert placed(*moments) == moments


@given(st.lists(st.integers(0, 300 * 86_400), max_size=50))
@example([0, 300 * 86_400])
def test_a_log_in_order_gets_its_years_back(gaps_s: list[int]) -> None:
    moments = [ANCHOR]
    for gap_s in gaps_s:
        moments.append(moments[-1] - timedelta(seconds=gap_s))
    moments = [moment for moment in moments[::-1] if ANCHOR - moment < timedelta(days=19 * 365)]
    assert placed(*moments) == moments


@given(st.lists(st.tuples(st.integers(0, 20 * 86_400), st.integers(0, 15 * 86_400)), max_size=50))
def test_disorder_of_two_weeks_moves_no_year(gaps_s: list[tuple[int, int]]) -> None:
    moments = []
    end = ANCHOR
    for gap_s, late_s in gaps_s:
        end -= timedelta(seconds=gap_s)
        moments.append(end - timedelta(seconds=late_s))
    moments.reverse()
    assert placed(*moments) == moments


STAMPS = st.lists(st.datetimes(datetime(1972, 1, 1), datetime(1972, 12, 31, 23, 59)), max_size=40)


@given(STAMPS, st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)))
def test_no_year_leads_past_the_anchor_and_every_date_exists(stamps: list[datetime], anchor: datetime) -> None:
    found = dates.years(stamps, anchor)
    assert len(found) == len(stamps)
    for stamp, year in zip(stamps, found, strict=True):
        assert stamp.replace(year=year) <= anchor + timedelta(days=1)


def test_random_months_do_not_walk_back_for_ever() -> None:
    stamps = [datetime(1972, month, 1) for month in (1, 7)] * 5000
    assert min(dates.years(stamps, ANCHOR)) >= ANCHOR.year - 22
