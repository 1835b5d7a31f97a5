"""`ncclscope sql`: one SELECT over a case, with nothing else within its reach."""

import argparse
import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from ncclscope import console
from ncclscope.case import Case, CaseError, QueryError
from ncclscope.commands import DONE, UsageError, opening
from ncclscope.text import printable

BATCH = 2000
# A table is for reading: wider cells are cut.
CELL = 60


def run(args: argparse.Namespace) -> int:
    """Prints the rows of the query."""
    cases = opening.open_all(args)
    if len(cases) > 1:
        raise UsageError(f"{len(cases)} cases are there; name one of them, with --job or by its directory.")
    case = cases[0]
    case.narrowing = opening.part(args).where()
    case.lock()
    columns, rows = select(case, args.query)
    for text in _FORMS[args.format](columns, rows):
        console.emit(text)
    return DONE


def select(case: Case, query: str) -> tuple[list[str], Iterator[Sequence[Any]]]:
    """Columns and rows of a person's query over a locked case. Raises UsageError where it is refused or wrong."""
    try:
        result = case.select(query)
    except CaseError as error:
        raise _refused(error) from error

    def rows() -> Iterator[Sequence[Any]]:
        try:
            while some := result.fetchmany(BATCH):
                yield from some
        except QueryError as error:
            raise _refused(error) from error

    return [column[0] for column in result.description or ()], rows()


def _refused(error: Exception) -> UsageError:
    """DuckDB's own words and suggestion, without its picture of a statement that nobody wrote."""
    said = " ".join(str(error).partition("\n\nLINE ")[0].split())
    return UsageError(f"the query cannot run: {printable(said)}; docs/tables.md lists tables and columns.")


def _tsv(columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> Iterator[str]:
    yield "\t".join(columns) + "\n"
    for row in rows:
        yield "\t".join(_shown(value) for value in row) + "\n"


def _csv(columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(["" if value is None else _shown(value) for value in row])
        if buffer.tell() > 1 << 16:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _json(columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> Iterator[str]:
    before = "[\n"
    for row in rows:
        yield before + json.dumps(dict(zip(columns, map(_plain, row), strict=True)))
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _table(columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> Iterator[str]:
    cells = [[_cut(_shown(value)) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    for line in (columns, ["-" * width for width in widths], *cells):
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"


_FORMS = {"tsv": _tsv, "csv": _csv, "json": _json, "table": _table}


def _shown(value: Any) -> str:
    """A value on one line; nothing for NULL."""
    if value is None:
        return ""
    if isinstance(value, (list, dict, tuple)):
        return printable(json.dumps(_plain(value), ensure_ascii=False), 1 << 20)
    return printable(str(value), 1 << 20)


def _plain(value: Any) -> Any:
    """A value as JSON has it; what JSON has no word for becomes its text."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else str(value)


def _cut(text: str) -> str:
    return text if len(text) <= CELL else text[: CELL - 3] + "..."
