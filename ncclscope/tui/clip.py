"""Handing over: what was copied is kept in a file too, and the report is written where the app was started."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ncclscope.text import printable

CLIP = "clip.txt"
LEGEND = "One character a column: `X` error, `#` ended, `!` warning, `?` waiting, `>` starting, `=` working, `.` alive."


def keep(case: Path, text: str) -> str:
    """Appends a copied text to `clip.txt` of the case; its path, or "" where the case cannot be written."""
    path = case / CLIP
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text + "\n")
    except OSError:
        return ""
    return str(path)


def write_report(case: Path, marks: Sequence[str], stamp: str, drawn: str = "") -> Path:
    """The report with the timeline as it is drawn and the marked lines, where the app was started, or else in the case. Raises OSError.

    A child process builds it: it needs parsers, rules and libraries that the app never loads.
    """
    command = [sys.executable, "-m", "ncclscope", "report", "--format", "md", str(case)]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 3) or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OSError(printable(said[-1] if said else f"status {done.returncode}"))
    text = done.stdout.decode("utf-8", "replace")
    if drawn:
        text += f"\n## Timeline\n\n{LEGEND}\n\n" + "".join(f"    {line}\n" for line in drawn.splitlines())
    if marks:
        text += "\n## Marked lines\n\n" + "".join(f"    {mark}\n" for mark in marks)
    for folder in (Path.cwd(), case):
        path = folder / f"ncclscope-report-{stamp}.md"
        try:
            path.write_text(text, "utf-8")
            return path
        except OSError:
            continue
    raise OSError(f"neither {Path.cwd()} nor {case} can be written")
