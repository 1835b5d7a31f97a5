"""Columns of cells as nvidia-smi prints them, turned into numbers, words and times."""

import math
import re

import polars as pl

from ncclscope import clock, dates

from .fields import Table
from .words import FAULT, MISSING, WORDS

MOST_WORDS = 10_000  # distinct cells of a column that are looked at
MEASURE = re.compile(r"^([-+]?[0-9]+(?:\.[0-9]+)?)( ?(?:%|[A-Za-z]{1,5}))$")
NUMBER = re.compile(r"^([-+]?[0-9]+(?:\.[0-9]+)?)(?: ?(?:%|[A-Za-z]{1,5}))?$")
HEX = re.compile(r"^0x[0-9A-Fa-f]{1,16}$")
PSTATE = re.compile(r"^P([0-9]{1,2})$")
STAMP = re.compile(r"^20[0-9]{2}[/-][0-9]{2}[/-][0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?$")


def words(column: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    """Texts with what means "no value" made null, and marks of cells that report a fault."""
    if column.dtype != pl.String:
        return column, None
    text = column.str.strip_chars()
    distinct = text.unique().drop_nulls().to_list()
    if len(distinct) > MOST_WORDS or all(len(t) > 50 for t in distinct):
        return text, None
    missing = [t for t in distinct if t.lower() in MISSING]
    fault = [t for t in distinct if FAULT.match(t)]
    marks = text.is_in(fault) if fault else None
    if missing or fault:
        text = pl.select(pl.when(text.is_in(missing + fault)).then(None).otherwise(text)).to_series()
    return text, marks


def numbers_of(table: Table, at: int, column: pl.Series) -> tuple[pl.Series, pl.Series | None, pl.Series | None]:
    """Values of a numeric column, marks of cells that report a fault, and marks of cells that are neither."""
    if column.dtype == pl.Float64:
        return finite(column), None, None
    text = column.str.strip_chars()
    if steady(text):
        # Clocks, limits, states and masks mostly stay the same for millions of rows.
        one = numbers_of(table, at, text.head(1))
        return one[0].gather(same := pl.repeat(0, len(text), dtype=pl.UInt32, eager=True)), *(
            None if mark is None else mark.gather(same) for mark in one[1:]
        )
    if table.wordy[at]:
        return other_cells(text, pl.repeat(None, len(text), dtype=pl.Float64, eager=True))
    values = text.str.strip_suffix(table.suffix[at]).cast(pl.Float64, strict=False)
    for _ in range(3):
        left = text.filter(values.is_null() & text.is_not_null())
        found = next((m for t in left.head(200).to_list() if (m := MEASURE.match(t))), None)
        if found is None:
            break
        # A unit that the header does not name, as behind other people's headers or none.
        table.suffix[at] = table.suffix[at] or found[2]
        values = values.fill_null(text.str.strip_suffix(found[2]).cast(pl.Float64, strict=False))
    if values.null_count() == text.null_count():
        return finite(values), None, None
    table.wordy[at] = values.null_count() == len(values) > 1
    return other_cells(text, values)


def other_cells(text: pl.Series, values: pl.Series) -> tuple[pl.Series, pl.Series | None, pl.Series | None]:
    """The same for a column with words among its cells."""
    known, fault, strange = {}, [], []
    for cell in text.filter(values.is_null() & text.is_not_null()).unique().to_list():
        low = cell.lower()
        if found := NUMBER.match(cell):
            known[cell] = float(found[1])
        elif low in WORDS:
            known[cell] = WORDS[low]
        elif HEX.match(cell):
            known[cell] = float(int(cell, 16))
        elif found := PSTATE.match(cell):
            known[cell] = float(found[1])
        elif FAULT.match(cell):
            fault.append(cell)
        elif low not in MISSING:
            strange.append(cell)
    if known:
        values = values.fill_null(text.replace_strict(known, default=None, return_dtype=pl.Float64))
    return (
        finite(values),
        text.is_in(fault) if fault else None,
        text.is_in(strange) if strange else None,
    )


def steady(text: pl.Series) -> bool:
    """Is every cell the same text?"""
    first = text[0] if len(text) > 1 else None
    return first is not None and bool((text.head(100) == first).all()) and bool((text == first).all())


def finite(values: pl.Series) -> pl.Series:
    """The values without NaN and infinity, which no gauge shows."""
    # A sum is finite only if all its terms are, and far cheaper than looking at each.
    if math.isfinite(values.sum()):
        return values
    return pl.select(pl.when(values.is_finite()).then(values)).to_series()


def times(stamps: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Times and clocks. The GPUs of a poll share the second, so only whole seconds are read as dates."""
    sample = stamps.drop_nulls()
    if len(sample) and all(STAMP.match(text) for text in (sample[0], sample[-1])):
        day = sample[0][4]
        seconds = stamps.str.slice(0, 19).str.to_datetime(f"%Y{day}%m{day}%d{sample[0][10]}%H:%M:%S", strict=False, time_unit="us")
        if seconds.null_count() == 0 and (stamps.str.len_bytes() == 23).all():
            ms = stamps.str.slice(20).cast(pl.Int64, strict=False)
            if ms.null_count() == 0:
                local = pl.repeat(dates.LOCAL, len(stamps), dtype=pl.Int8, eager=True)
                return pl.select(seconds + pl.duration(milliseconds=ms)).to_series(), local
    read_ = clock.read_times(stamps)
    return read_["ts"], read_["clock"]
