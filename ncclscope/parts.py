"""Cuts lines where several records share one: lone carriage returns, and prefixes in the middle of a text."""

import re
from collections.abc import Sequence

import polars as pl

from ncclscope import records, text
from ncclscope.literals import Literals
from ncclscope.packs import Line

# A second prefix in the middle of a text: the progress bar or the other rank before it ended without a newline.
GLUE = (
    r"(\[rank[0-9]+\]:[ ]?(?:\[[EWIFV][0-9]{3,4} |Traceback |[A-Z])"
    r"|\[[EWIFV][0-9]{3,4} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6,9} [\w.+-]+:[0-9]+\])"
)
_GLUED = r"(?:[^\s:>]|[ ]{2})" + GLUE
# Every match of GLUE holds one of them.
_GLUE_LITERALS = ["[rank", "[E", "[W", "[I", "[F", "[V"]


def parts_of(split: Sequence[Line], wanted: Literals, rows: pl.Series, texts: pl.Series) -> pl.DataFrame:
    """`row`, `part` and `text`, without colours; of lines that were cut only the parts that match `wanted`."""
    texts = _plain(texts)
    pieces = _unglued(split, texts)
    frame = pl.DataFrame({"row": rows, "part": pl.repeat(0, len(rows), dtype=pl.UInt32, eager=True), "text": pieces})
    several = pieces.str.contains("\n", literal=True)
    if not several.any():
        return frame
    cut = frame.filter(several).with_columns(pl.col("text").str.split("\n"))
    cut = cut.with_columns(part=pl.int_ranges(0, pl.col("text").list.len(), dtype=pl.UInt32)).explode("text", "part")
    return pl.concat([frame.filter(~several), cut.filter(wanted.stand_in(cut["text"]))])


def _plain(texts: pl.Series) -> pl.Series:
    """Without colours, and with a newline for each lone carriage return."""
    if texts.str.contains("\x1b", literal=True).any():
        texts = texts.str.replace_all(text.ANSI, "")
    # The right border of a box that rich drew, or of a row of a table: nothing of the message.
    if texts.str.contains_any(["│", "┃"]).any():
        texts = texts.str.replace(r"\s+[│┃]\s*$", "")
    rows = texts.str.contains(r"^\| ?\d{4}-\d\d-\d\d.* \|\s*$").arg_true()
    if len(rows):
        texts = texts.clone().scatter(rows, texts.gather(rows).str.replace(r" +\|\s*$", ""))
    return texts.str.replace_all("\r", "\n", literal=True) if texts.str.contains("\r", literal=True).any() else texts


def _unglued(split: Sequence[Line], texts: pl.Series) -> pl.Series:
    """Texts with a newline before each further prefix."""
    rows = texts.str.contains_any(_GLUE_LITERALS).arg_true()
    rows = rows.filter(texts.gather(rows).str.contains(_GLUED))
    if len(rows):
        mended = texts.gather(rows).str.replace_all(r"([^\s:>]|[ ]{2})" + GLUE, "${1}\n${2}")
        texts = texts.clone().scatter(rows, mended)
    if not split:
        return texts
    rows = (texts.str.count_matches("|".join(re.escape(line.split) for line in split)) > 1).arg_true()
    if len(rows):
        marks = {line.split: line.prefix for line in split}
        mended = pl.Series([records.unglue(glued, marks) for glued in texts.gather(rows)], dtype=pl.String)
        texts = texts.clone().scatter(rows, mended)
    return texts
