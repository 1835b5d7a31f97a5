"""From arguments to a case: opens what is one, and has what is not read by a child process."""

import argparse
import os
import pty
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ncclscope.case import CaseError
from ncclscope.schema import MANIFEST
from ncclscope.text import printable, strip_ansi

# What `scan` says by its exit status when there is a case nevertheless.
_USABLE = (0, 3, 4)
# In a case whose evidence is not read to its end.
MARK = "reading"
_PAUSE = re.compile(r"[\r\n]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to show: cases, or evidence that is no case yet."""

    cases: tuple[Path, ...] = ()
    evidence: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    is_folder: bool = False
    follow: bool = False
    filter: str = ""
    # The directory of the case in which the last session stood, to stand there again.
    resume: str = ""
    # A tour over the samples instead of evidence of one's own.
    is_tour: bool = False


def is_case(path: str | Path) -> bool:
    """Is it the directory of a case?"""
    return (Path(path) / MANIFEST).is_file()


def cases_in(folder: str | Path) -> tuple[Path, ...]:
    """The cases that a folder holds, in order of their names."""
    try:
        return tuple(sorted(path.parent for path in Path(folder).glob(f"*/{MANIFEST}")))
    except OSError:
        return ()


def wanted(args: argparse.Namespace) -> Wanted:
    """What the arguments ask for. A folder that holds cases is the list of them."""
    paths = [str(path) for path in args.paths]
    follow = bool(getattr(args, "follow", False))
    words = " ".join([*(getattr(args, "filter", None) or ()), *_narrowed(args)])
    if all(is_case(path) for path in paths):
        return Wanted(tuple(Path(path) for path in paths), is_folder=len(paths) > 1, filter=words)
    if len(paths) == 1 and (found := cases_in(paths[0])):
        return Wanted(found, is_folder=True, filter=words)
    return Wanted((), tuple(paths), tuple(_options(args)), follow=follow, filter=words)


def _narrowed(args: argparse.Namespace) -> Iterator[str]:
    """The filter that the arguments begin with."""
    for name, word in (("rank", "rank"), ("host", "host"), ("since", "after"), ("until", "before")):
        value = getattr(args, name, None)
        values = value if isinstance(value, list) else [value]
        if any(values):
            yield shlex.quote(f"{word}:{','.join(str(one) for one in values)}")


def _options(args: argparse.Namespace) -> Iterator[str]:
    """The options of `scan` among the arguments."""
    for pack in getattr(args, "packs", None) or ():
        half, _, path = pack.rpartition(":")
        yield from (f"--{half}" if half in ("parsers", "rules") else "--pack", path if half else pack)
    for name in ("case", "workers", "timezone"):
        value = getattr(args, name, None)
        if value:
            yield from (f"--{name}", str(value))


class Scan:
    """A child process that reads evidence into a case; it draws its progress for a terminal that is a pipe to us."""

    def __init__(self, evidence: Sequence[str], options: Sequence[str]) -> None:
        self.command = [sys.executable, "-m", "ncclscope", "scan", "--early", *options, "--", *evidence]
        self.evidence = list(evidence)
        self.process: subprocess.Popen[bytes] | None = None
        self.said = ""

    def run(self, tell: Callable[[str], None] = lambda _: None, early: Callable[[Path], None] = lambda _: None) -> Path:
        """Waits for the case; tells how far it is, and when there is a first verdict. Raises CaseError with what the child said last."""
        ours, theirs = pty.openpty()
        with os.fdopen(ours, "rb", buffering=0) as stream:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs)
            os.close(theirs)
            named: list[str] = []
            printing = threading.Thread(target=_named, args=(self.process.stdout, named, early), daemon=True)
            printing.start()
            for text in _lines(stream.fileno()):
                self.said = text
                tell(text)
        self.process.wait()
        printing.join()
        if self.process.returncode in _USABLE and named and is_case(named[-1]):
            return Path(named[-1])
        raise CaseError(self.said or f"the scan ended with status {self.process.returncode}")

    def stop(self) -> None:
        """Ends the child; what it has read is kept for the next time."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()


def _named(stream: IO[bytes] | None, named: list[str], early: Callable[[Path], None]) -> None:
    """The directories that the child prints, each as it comes: the last one is the case, read whole."""
    for line in stream or ():
        named.append(line.decode("utf-8", "surrogateescape").rstrip("\n"))
        if is_case(named[-1]) and (Path(named[-1]) / MARK).exists():
            early(Path(named[-1]))


def _lines(descriptor: int) -> Iterator[str]:
    """What a terminal would show, line by line."""
    rest = ""
    while True:
        try:
            data = os.read(descriptor, 4096)
        except OSError:
            # The other end of a pseudo-terminal closed.
            return
        if not data:
            return
        *whole, rest = _PAUSE.split(rest + data.decode("utf-8", "replace"))
        yield from (printable(strip_ansi(text)).strip() for text in whole if text.strip())
