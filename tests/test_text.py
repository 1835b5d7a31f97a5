"""Nothing that a terminal would obey leaves `printable`; decoding and stripping never fail."""

import re
import unicodedata

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncclscope import text

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# Text with far more control characters and pieces of escapes than chance would give.
HOSTILE = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(["\x1b[31m", "\x1b]0;title\x07", "\x1b", "\x9b", "\r", "\n", "\t", "\x7f", "\u2028", "\ufeff"]),
        st.sampled_from(BIDI),
        st.characters(categories=["Cs", "Cc"]),
    ),
    max_size=30,
).map("".join)

ESCAPED = [
    ("\x1b[31mred\x1b[0m", "red"),
    ("\x1b[1;38;5;196mloss\x1b[m 3.2", "loss 3.2"),
    ("\x9b31mred", "red"),
    ("50%\x1b[K\x1b[1A", "50%"),
    ("\x1b[?25lhidden cursor", "hidden cursor"),
    ("\x1b]0;a title\x07text", "text"),
    ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
    ("\x1bPq#0;2;0\x1b\\after a device string", "after a device string"),
    ("\x1b(Bcharset \x1b7and cursor", "charset and cursor"),
    ("\x1b]0;an endless title hides nothing", "0;an endless title hides nothing"),
    ("plain [31m brackets", "plain [31m brackets"),
    ("ends in \x1b", "ends in \x1b"),
]


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("plain text, [brackets] and ünïcödé 😀", "plain text, [brackets] and ünïcödé 😀"),
        ("\x1b[31mred", "<1b>[31mred"),
        ("two\nlines\r\n", "two<0a>lines<0d><0a>"),
        ("a\tb", "a b"),
        ("nul\x00 del\x7f", "nul<00> del<7f>"),
        ("c1 \x9b31m", "c1 <U+009B>31m"),
        ("user\u202egnp.exe", "user<U+202E>gnp.exe"),
        ("line\u2028paragraph\u2029", "line<U+2028>paragraph<U+2029>"),
        ("lone \udc80 surrogate", "lone <U+DC80> surrogate"),
        ("\ufeffmark", "<U+FEFF>mark"),
        ("", ""),
    ],
)
def test_controls_become_visible_stand_ins(given_text: str, shown: str) -> None:
    assert text.printable(given_text) == shown


@given(HOSTILE)
def test_no_control_comes_out(hostile: str) -> None:
    shown = text.printable(hostile)
    assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in shown)
    assert not set(shown) & set(BIDI)
    assert len(shown.splitlines()) <= 1
    shown.encode()


@given(HOSTILE)
def test_printing_twice_changes_nothing_more(hostile: str) -> None:
    assert text.printable(text.printable(hostile)) == text.printable(hostile)


def test_a_long_line_is_cut_with_the_number_of_characters_left_out() -> None:
    assert text.printable("x" * 133, limit=10) == "x" * 10 + " [+123 characters]"
    assert text.printable("x" * 10, limit=10) == "x" * 10
    assert text.printable("x" * 3000) == "x" * 2000 + " [+1000 characters]"


@given(HOSTILE, st.integers(0, 50))
def test_the_mark_adds_up(hostile: str, limit: int) -> None:
    shown = text.printable(hostile, limit)
    assert shown.startswith(text.printable(hostile[:limit], limit))
    if len(hostile) > limit:
        assert shown.endswith(f" [+{len(hostile) - limit} characters]")


def test_invalid_bytes_stay_readable() -> None:
    assert text.decode(b"caf\xc3\xa9 \xff\xfe end") == "café \\xff\\xfe end"
    assert text.decode(b"cut short \xe2\x82") == "cut short \\xe2\\x82"


@given(st.binary())
def test_decoding_never_fails_and_can_be_encoded(data: bytes) -> None:
    text.decode(data).encode()


@given(st.text())
def test_decoding_gives_back_what_is_valid(original: str) -> None:
    assert text.decode(original.encode()) == original


@pytest.mark.parametrize(("escaped", "plain"), ESCAPED)
def test_escapes_are_stripped(escaped: str, plain: str) -> None:
    assert text.strip_ansi(escaped) == plain


@settings(deadline=None)  # the first query starts the threads of polars
@given(st.one_of(st.sampled_from([escaped for escaped, _ in ESCAPED]), HOSTILE))
def test_both_regex_engines_strip_the_same(escaped: str) -> None:
    escaped = escaped.encode("utf-8", "replace").decode()  # polars holds no surrogates
    assert pl.Series([escaped]).str.replace_all(text.ANSI, "").item() == re.sub(text.ANSI, "", escaped)
