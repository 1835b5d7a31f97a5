"""Who may import whom: modules form layers and imports only go down; heavy libraries stand behind few doors."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ncclscope

ROOT = Path(ncclscope.__file__).parent

# From the top down. A new module gets a place here; one layer's modules do not import each other. A package counts as
# one module, inside which imports are free.
LAYERS = (
    {"__main__"},
    {"cli"},
    {"commands"},
    {"tui"},
    {"check", "corpus", "docs", "batch", "early", "fleet", "compare"},
    {"analyse", "ledger", "glance"},
    {"report", "scan"},
    {"bounds", "reuse"},
    {"evidence", "tables", "ingest"},
    {"parse", "readers", "sources"},
    {"parts", "parquet", "parcels", "jobs", "derived", "rules", "verdict", "views", "weakened"},
    {"attempts", "loads", "offsets", "hypotheses", "records", "walk", "times", "findings", "explain", "samples"},
    {"case"},
    {"peeler", "literals"},
    {"prefixes", "rows", "archives", "blocks", "lines", "reading"},
    {"packs", "arguments", "executors", "formats", "progress"},
    {"shards"},
    {"clock", "locks", "margins", "narrow", "overtime"},
    {
        *("chance", "console", "zones", "dates", "declarations", "decompress", "dialect", "groups", "pathhints", "schema", "text"),
        *("emptiness", "summaries", "timeline", "vocabulary"),
    },
)
# Heavy libraries and the modules that may import them.
DOORS = {
    "duckdb": {"case"},
    "textual": {"tui"},
    "rich": {"tui"},
    "pyarrow": {"parquet", "decompress"},
    "polars": {
        *("check", "clock", "groups", "ingest", "lines", "parse", "parts", "parquet"),
        *("literals", "margins", "prefixes", "readers", "reading", "records", "rows", "times"),
    },
    "distributed": {"executors"},
    "isal": {"decompress"},
    "hyperscan": {"literals"},
    "regex": {"check"},
}


def _name(path: Path) -> str:
    """A module by its first word below the package."""
    return path.relative_to(ROOT).with_suffix("").parts[0]


# In a wheel the packs lie inside the package; they are data here.
PACKS = ("parsers", "rules", "sample_logs")
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py" and path.relative_to(ROOT).parts[0] not in PACKS)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


@cache
def _imports(path: Path) -> tuple[str, ...]:
    return tuple(_imported(ast.parse(path.read_text("utf-8"))))


def _imported(tree: ast.AST) -> Iterator[str]:
    """Dotted names of everything imported, at the top or inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _ours(path: Path) -> set[str]:
    known = {_name(file) for file in FILES}
    words = [name.split(".") for name in _imports(path)]
    return {parts[1] for parts in words if parts[0] == "ncclscope" and len(parts) > 1 and parts[1] in known}


def test_every_module_has_one_layer() -> None:
    assert sum(map(len, LAYERS)) == len(LEVEL)
    assert {_name(path) for path in FILES} == set(LEVEL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_only_go_down(path: Path) -> None:
    mine = _name(path)
    wrong = {name for name in _ours(path) if name != mine and LEVEL[name] <= LEVEL[mine]}
    assert not wrong, f"{mine} imports {wrong}, which is not below it"


@pytest.mark.parametrize("library", DOORS)
def test_heavy_libraries_stand_behind_their_doors(library: str) -> None:
    users = {_name(path) for path in FILES if library in {name.split(".")[0] for name in _imports(path)}}
    assert users <= DOORS[library]


def test_files_stay_short() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert not {name: length for name, length in lengths.items() if length > 500}


def test_functions_stay_short() -> None:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    lengths = {
        f"{path.relative_to(ROOT)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, functions)
    }
    assert not {name: length for name, length in lengths.items() if length > 60}
    assert sorted(lengths.values())[len(lengths) // 2] <= 10
