"""What a table of a case is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """One column: DuckDB type, what it means and, where it has one, its unit."""

    name: str
    type: str
    doc: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a case. `rows_from` is `source` (written by parcels) or `case` (derived at commit)."""

    name: str
    doc: str
    columns: tuple[Column, ...]
    rows_from: str = "source"

    @property
    def names(self) -> list[str]:
        """Column names, in order."""
        return [column.name for column in self.columns]


def columns(*rows: tuple[str, ...]) -> tuple[Column, ...]:
    """Columns from name, type, meaning and unit."""
    return tuple(Column(*row) for row in rows)
