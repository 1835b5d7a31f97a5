"""Handing over: what was copied is kept in a file too, and the report is written where the case is."""

from collections.abc import Sequence
from pathlib import Path

from ncclscope import report as reports
from ncclscope.formats import markdown
from ncclscope.tui.desk import Desk

CLIP = "clip.txt"


def keep(case: Path, text: str) -> str:
    """Appends a copied text to `clip.txt` of the case; its path, or "" where the case cannot be written."""
    path = case / CLIP
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text + "\n")
    except OSError:
        return ""
    return str(path)


def write_report(desk: Desk, marks: Sequence[str], stamp: str) -> Path:
    """The report with the marked lines, in the directory where the app was started, or else in the case's."""
    text = markdown.as_markdown(reports.build(desk.case))
    if marks:
        text += "\n## Marked lines\n\n" + "".join(f"    {mark}\n" for mark in marks)
    name = f"ncclscope-report-{stamp}.md"
    for folder in (Path.cwd(), desk.path):
        path = folder / name
        try:
            path.write_text(text, "utf-8")
            return path
        except OSError:
            continue
    raise OSError(f"neither {Path.cwd()} nor {desk.path} can be written")
