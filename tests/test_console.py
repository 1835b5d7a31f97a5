"""What goes to which stream: bytes to stdout, notes and the bar to stderr, colours only where they are wanted."""

import io
import sys
import time

import pytest

from ncclscope import console


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "stream", "coloured"),
    [
        ({"TERM": "xterm"}, Terminal(), True),
        ({"TERM": "xterm"}, io.StringIO(), False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, Terminal(), False),
        ({"TERM": "dumb"}, Terminal(), False),
        ({}, Terminal(), False),
    ],
)
def test_colours_need_a_terminal_and_leave(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], stream: io.StringIO, coloured: bool
) -> None:
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert console.has_colour(stream) == coloured


def test_results_are_utf_8_in_any_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    console.emit("caf\u00e9 \ud800\n")
    assert raw.getvalue() == b"caf\xc3\xa9 \\ud800\n"


def test_notes_never_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, encoding="ascii"))
    console.note("caf\u00e9")
    assert raw.getvalue() == b"caf\\xe9\n"


def test_width_is_that_of_the_terminal_within_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert console.width() == console.PLAIN_WIDTH
    monkeypatch.setattr(sys, "stdout", Terminal())
    for columns, width in (("20", 40), ("100", 100), ("400", 120)):
        monkeypatch.setenv("COLUMNS", columns)
        assert console.width() == width


def test_a_bar_is_drawn_late_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "PATIENCE_S", 0.02)
    monkeypatch.setattr(console, "REDRAW_S", 0.01)
    stream = Terminal()
    with console.Bar(stream) as bar:
        bar.say("reading", 0.5)
        deadline = time.monotonic() + 5
        while "reading" not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "reading  [##########----------]  0 s" in stream.getvalue()
    assert stream.getvalue().endswith(f"\r{'':79}\r")


def test_short_work_draws_no_bar() -> None:
    stream = Terminal()
    with console.Bar(stream) as bar:
        bar.say("reading", 0.5)
    assert stream.getvalue() == ""


def test_without_a_terminal_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "PATIENCE_S", 0.0)
    stream = io.StringIO()
    with console.Bar(stream):
        time.sleep(0.02)
    assert stream.getvalue() == ""


def test_without_a_terminal_a_line_says_now_and_then_that_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "UNWATCHED_S", 0.01)
    stream = io.StringIO()
    with console.Bar(stream) as bar:
        bar.say_whole(lambda: "jobs 1/2 " + "x" * 200)
        deadline = time.monotonic() + 5
        while stream.getvalue().count("\n") < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    lines = stream.getvalue().splitlines()
    assert len(lines) >= 2
    assert all(len(line) <= 79 for line in lines)
    assert "\r" not in stream.getvalue()


def test_a_note_wipes_the_bar_before_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(console, "PATIENCE_S", 0.01)
    stream = Terminal()
    with console.Bar(stream) as bar:
        bar.say("reading", 0.5)
        deadline = time.monotonic() + 5
        while "reading" not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        bar.note("job-1: healthy")
    assert f"\r{'':79}\r" in stream.getvalue()
    assert capsys.readouterr().err == "job-1: healthy\n"


def test_a_bar_fits_a_line() -> None:
    bar = console.Bar(Terminal())
    for share in (None, 0.0, 1.0, 7.0):
        bar.say("x" * 500, share)
        assert len(bar.line()) <= 79


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (14_234_567, "14.2 MB"), (3.2e9, "3.2 GB"), (5e12, "5.0 TB")]
)
def test_sizes_are_for_people(count: float, said: str) -> None:
    assert console.size(count) == said
