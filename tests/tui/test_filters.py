import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncclscope.tui import filters
from ncclscope.tui.desk import Desk
from ncclscope.tui.filters import FilterError, parse


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rank:x", "a rank is a number"),
        ("sev:loud", "a severity is one of"),
        ("after:25:00", "a time is written"),
        ("rank>=3", "only sev has >="),
        ("'open", "a quote is not closed"),
    ],
)
def test_a_word_that_means_nothing_says_what_would(text, message):
    with pytest.raises(FilterError, match=message):
        parse(text)


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_a_sentence(text):
    try:
        found = parse(text)
    except FilterError:
        return
    assert found.where.count("?") == len(found.parameters)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("rank:11", "rank = 11"),
        ("rank:3-5,9", "rank IN (3, 4, 5, 9)"),
        ("host:nova-gpu07", "host = 'nova-gpu07'"),
        ("host:nova*08", "host = 'nova-gpu08'"),
        ("-rank:11", "rank IS DISTINCT FROM 11"),
        ("sev>=error", "severity >= 3"),
        ("kind:torch.*", "kind LIKE 'torch.%'"),
        ("after:02:41 before:02:42", "ts >= '2025-03-18 02:41:00' AND ts < '2025-03-18 02:42:00'"),
        ("after:2025-03-18T02:41", "ts >= '2025-03-18 02:41:00'"),
        ("WATCHDOG", "contains(lower(message), 'watchdog')"),
        ("!watchdog", "NOT coalesce(contains(lower(message), 'watchdog'), false)"),
        ("file:slurm", "name LIKE '%slurm%'"),
        ("100%", "contains(message, '100%')"),
    ],
)
def test_words_mean_what_they_say(hung, text, condition):
    desk = Desk(hung)
    found = parse(text)
    mine = desk.ask("a", f"SELECT count(*) AS n FROM log WHERE {found.where}", found.parameters)[0]["n"]
    assert mine == desk.ask("b", f"SELECT count(*) AS n FROM log WHERE {condition}")[0]["n"]
    assert mine or text == "100%"


def test_a_word_is_added_once_and_quoted_where_it_needs_to_be():
    assert filters.add("rank:1", "rank:1") == "rank:1"
    assert parse(filters.add("", "file:a b'c")).parameters == ("%a b'c%",)


def test_only_words_about_places_are_kept_for_the_timeline():
    assert filters.about("rank:1 text sev>=error host:a", ("rank", "host")) == "rank:1 host:a"
