"""The pattern dialect: ASCII classes, what is refused and why, and both engines agreeing."""

import re

import polars as pl
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ncclscope import dialect, packs

ALL = packs.load()
PIECES = st.sampled_from(["a", r"\d", r"\w+", r"\s*", r"\S", "[0-9a-f]+", r"[\w.-]", "(?P<x>b|c)", "x?", r"\.", "[^ ]", r"\(", "^", "$"])


@pytest.mark.parametrize(
    ("written", "ascii"),
    [
        (r"\d+", "[0-9]+"),
        (r"[\d.]+", "[0-9.]+"),
        (r"\w\W", "[0-9A-Za-z_][^0-9A-Za-z_]"),
        (r"[\w.-]+\s", r"[0-9A-Za-z_.-]+[\t-\r\x20]"),
        (r"\S+", r"[^\t-\r\x20]+"),
        (r"\bx\B", r"(?-u:\b)x(?-u:\B)"),
        (r"\\d", r"\\d"),
        (r"[]\d]", "[]0-9]"),
        (r"[^]\s]", r"[^]\t-\r\x20]"),
        (r"\[\d\]", r"\[[0-9]\]"),
    ],
)
def test_classes_become_ascii(written: str, ascii: str) -> None:
    assert dialect.ascii_pattern(written) == ascii


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?=x)", "look-around"),
        ("(?!x)", "look-around"),
        ("(?<=x)", "look-around"),
        ("(?<!x)", "look-around"),
        (r"(a)\1", "back-references"),
        ("(?P<x>a)(?P=x)", "back-references"),
        (r"[\D]", "write the characters out"),
        (r"[\W]", "write the characters out"),
        (r"[\S]", "write the characters out"),
    ],
)
def test_what_the_engine_cannot_run_is_refused_with_the_reason(pattern: str, reason: str) -> None:
    with pytest.raises(dialect.DialectError, match=reason):
        dialect.ascii_pattern(pattern)


@pytest.mark.parametrize("pattern", [r"\(?=x", "[(?=x]", r"(?P<a>x)(?:y)", r"\\1"])
def test_what_only_looks_like_it_is_not_refused(pattern: str) -> None:
    assert dialect.ascii_pattern(pattern)


def test_a_class_of_digits_takes_no_digits_of_other_scripts() -> None:
    pattern = dialect.marked(r"^\d+$")
    found = pl.Series(["123", "\u0661\u0662", "12\u0663"]).str.contains(pattern)
    assert found.to_list() == [True, False, False]


def test_groups_are_listed_in_order_and_stand_once() -> None:
    assert dialect.groups("(?P<b>x)(?P<a>y)") == ["b", "a"]
    with pytest.raises(dialect.DialectError, match="'a' stands twice"):
        dialect.groups("(?P<a>x)|(?P<a>y)")


@pytest.mark.parametrize("pattern", ["a(?P<x>b)?", "(?x) a (?P<x> b )?  # why\n", "(?i)A(?P<x>B)?", "(?xi) A  # end"])
def test_the_last_group_says_whether_it_matched(pattern: str) -> None:
    marked = dialect.marked(pattern)
    taken = pl.Series(["ab", "a", "zz"]).str.extract_groups(marked).struct.field("_").to_list()
    assert taken == ["", "", None]
    assert [match is not None for match in (re.search(marked, text) for text in ("ab", "a", "zz"))] == [True, True, False]


@given(st.lists(PIECES, min_size=1, max_size=6), st.text("ab1 .cx(\t", max_size=12))
def test_both_engines_find_the_same(pieces: list[str], text: str) -> None:
    pattern = "".join(piece for n, piece in enumerate(pieces) if not piece.startswith("(?P") or piece not in pieces[:n])
    marked = dialect.marked(pattern)
    ours = pl.Series([text]).str.contains(marked)[0]
    assert ours == (regex.search(marked.replace("(?-u:\\b)", "\\b"), text) is not None)


@pytest.mark.parametrize("name", ALL.parsers)
def test_every_pattern_that_ships_compiles_in_its_size_limit(name: str) -> None:
    for event in ALL.parsers[name].events:
        pl.Series(["x"]).str.contains(event.pattern)
