"""Views that rules share: one SQL file each, named after the view. They are rows of reasoning that anybody can query."""

from pathlib import Path

from ncclscope.case import Case


def shared() -> dict[str, str]:
    """Name and definition of every shared view."""
    folder = Path(__file__).parent
    return {path.stem: path.read_text("utf-8").strip().rstrip(";") for path in sorted(folder.glob("*.sql"))}


def write(case: Case) -> None:
    """Leaves `views.sql` in the case, with which any DuckDB shell sees what rules see."""
    names = [*case.kind_views, *shared()]
    statements = case.script(names)
    half = case.path / "views.sql.part"
    half.write_text(statements, "utf-8")
    half.replace(case.path / "views.sql")
