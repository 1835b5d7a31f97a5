"""Views that rules share: one SQL file each, named after the view. They are rows of reasoning that anybody can query."""

import re
from collections import Counter
from pathlib import Path

from ncclscope.case import Case


def shared() -> dict[str, str]:
    """Name and definition of every shared view."""
    folder = Path(__file__).parent
    return {path.stem: path.read_text("utf-8").strip().rstrip(";") for path in sorted(folder.glob("*.sql"))}


def write(case: Case) -> None:
    """Leaves `views.sql` in the case, with which any DuckDB shell sees what rules see."""
    names = [*case.kind_views, *shared()]
    statements = _shortened(case.script(names))
    half = case.path / "views.sql.part"
    half.write_text(statements, "utf-8")
    half.replace(case.path / "views.sql")


_EMPTY = re.compile(r'^CREATE OR REPLACE VIEW "(\w+)" AS\nSELECT (NULL::.*) WHERE false;$', re.M)
_COLUMN = ", NULL::"


def _shortened(statements: str) -> str:
    """The same with what most views of kinds without rows have in common written once.

    A folder of a thousand small cases would else hold more of this text than of anything else.
    """
    columns = [match[2].split(_COLUMN) for match in _EMPTY.finditer(statements)]
    head: list[str] = []
    alike = columns
    while len(alike) * 2 > len(columns):
        column, count = Counter(some[len(head)] if len(some) > len(head) else "" for some in alike).most_common(1)[0]
        if not column or count * 2 <= len(columns):
            break
        alike = [some for some in alike if len(some) > len(head) and some[len(head)] == column]
        head.append(column)
    if not head:
        return statements
    shared = _COLUMN.join(head)

    def short(match: re.Match[str]) -> str:
        rest = match[2].removeprefix(shared)
        if rest == match[2] or rest[:1] not in ("", ","):
            return match[0]
        return f'CREATE OR REPLACE VIEW "{match[1]}" AS\nSELECT *{rest} FROM no_lines_;'

    return f"CREATE OR REPLACE VIEW no_lines_ AS\nSELECT {shared} WHERE false;\n\n{_EMPTY.sub(short, statements)}"
