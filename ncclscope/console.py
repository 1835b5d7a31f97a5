"""The two streams: results go to stdout as UTF-8 bytes, everything else to stderr. Imports no heavy library."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import IO

# Work that ends sooner shows no bar.
PATIENCE_S = 1.0
REDRAW_S = 0.2
# Where nobody watches, a line so often says that work goes on.
UNWATCHED_S = 60.0
# What is left of some work is estimated from this share and time on.
EARLIEST, EARLIEST_S = 0.05, 2.0
PLAIN_WIDTH = 80
NARROWEST, WIDEST = 40, 120


def emit(text: str) -> None:
    """Writes a result to stdout: the same bytes whatever locale the machine has."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    buffer.write(text.encode("utf-8", "backslashreplace"))
    buffer.flush()


def note(text: str) -> None:
    """Writes one line to stderr; a terminal that cannot show a character gets an escape."""
    encoding = sys.stderr.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr, flush=True)


def has_colour(stream: IO[str]) -> bool:
    """May colours be used? Only on a terminal that can, and never with NO_COLOR."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def has_colour_on_stdout() -> bool:
    """The same for results."""
    return has_colour(sys.stdout)


def is_interactive() -> bool:
    """Is somebody there to press keys?"""
    return sys.stdin.isatty() and sys.stdout.isatty()


def width() -> int:
    """Columns for a report: 80, or those of the terminal within reason."""
    if not sys.stdout.isatty():
        return PLAIN_WIDTH
    return max(NARROWEST, min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, WIDEST))


class Bar:
    """A line on stderr that says how far some work is: on a terminal for what takes longer than a second, else once a minute."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream = stream or sys.stderr
        self.text = ""
        self.share: float | None = None
        self.whole: Callable[[], str] | None = None
        self._began = time.monotonic()
        self._done = threading.Event()
        self._drawing = threading.Lock()
        self._is_drawn = False
        self._thread = threading.Thread(target=self._draw_on if self.stream.isatty() else self._write_on, daemon=True)

    def __enter__(self) -> "Bar":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._done.set()
        if self._thread.ident is not None:
            self._thread.join()

    def say(self, text: str, share: float | None = None) -> None:
        """What is being done, and which share of it is done, if that is known."""
        self.text, self.share = text, share

    def say_whole(self, line: Callable[[], str]) -> None:
        """A line of one's own, asked for whenever it is drawn."""
        self.whole = line

    def note(self, text: str) -> None:
        """Writes a line above the bar."""
        with self._drawing:
            self._wipe()
            note(text)

    def line(self) -> str:
        """The bar as it would be drawn now, for at most 79 columns."""
        if self.whole is not None:
            return self.whole()[:79]
        elapsed = f"{time.monotonic() - self._began:.0f} s"
        if self.share is None:
            return f"{self.text[:60]}  {elapsed}"
        filled = round(20 * min(max(self.share, 0.0), 1.0))
        spent = time.monotonic() - self._began
        # Too early, an estimate is a guess.
        left = f", {spent / self.share - spent:.0f} s left" if EARLIEST <= self.share < 1 and spent >= EARLIEST_S else ""
        return f"{self.text[:34]}  [{'#' * filled}{'-' * (20 - filled)}]  {elapsed}{left}"

    def _draw_on(self) -> None:
        pause = PATIENCE_S
        while not self._done.wait(pause):
            with self._drawing:
                self.stream.write(f"\r{self.line()[:79]:<79}")
                self.stream.flush()
                self._is_drawn, pause = True, REDRAW_S
        with self._drawing:
            self._wipe()

    def _wipe(self) -> None:
        if self._is_drawn:
            self.stream.write(f"\r{'':<79}\r")
            self.stream.flush()
            self._is_drawn = False

    def _write_on(self) -> None:
        while not self._done.wait(UNWATCHED_S):
            print(self.line()[:79], file=self.stream, flush=True)


def size(count: float) -> str:
    """Bytes as a person reads them: `14.2 MB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
