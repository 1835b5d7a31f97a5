"""The tables: complete, consistent with what is written, and documented."""

import re
from pathlib import Path

import pytest
from conftest import PORT_DOWN
from support import case_of

from ncclscope import schema

TYPES = {"BIGINT", "BOOLEAN", "DOUBLE", "INTEGER", "MAP(VARCHAR, VARCHAR)", "TIMESTAMP", "TINYINT", "UBIGINT", "UINTEGER", "VARCHAR"}
# Columns that hold a quantity say in which unit.
MEASURED = re.compile(r"_(us|ms|bytes|s)$")


@pytest.mark.parametrize("table", schema.TABLES, ids=lambda table: table.name)
def test_a_table_is_documented(table: schema.Table) -> None:
    assert table.doc
    assert all(column.doc for column in table.columns)
    assert len(set(table.names)) == len(table.names)
    assert re.fullmatch("[a-z_]+", table.name)
    assert all(re.fullmatch("[a-z_0-9]+", name) for name in table.names)


@pytest.mark.parametrize("table", schema.TABLES, ids=lambda table: table.name)
def test_types_are_those_that_parquet_and_duckdb_share(table: schema.Table) -> None:
    assert {column.type.removesuffix("[]") for column in table.columns if not column.type.startswith("STRUCT")} <= TYPES


@pytest.mark.parametrize("table", schema.TABLES, ids=lambda table: table.name)
def test_quantities_have_units(table: schema.Table) -> None:
    assert [column.name for column in table.columns if MEASURED.search(column.name) and not column.unit] == []
    assert [column.name for column in table.columns if column.type == "TIMESTAMP" and column.unit != "UTC"] == []


def test_rows_of_sources_begin_with_their_key() -> None:
    for table in (schema.EVENTS, *schema.DENSE):
        assert table.names[:3] == ["file_id", "line", "part"]


def test_names_of_tables_differ() -> None:
    assert len(schema.BY_NAME) == len(schema.TABLES)


def test_a_case_has_every_table_with_its_columns_and_types(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(PORT_DOWN)
    case = case_of(tmp_path / "a.log", tmp_path / "case")
    for table in schema.TABLES:
        described = {row[0]: row[1] for row in case.sql(f"DESCRIBE SELECT * FROM {table.name}")}
        for column in table.columns:
            assert described[column.name].replace('"', "") == column.type, f"{table.name}.{column.name}"


def test_any_duckdb_shell_sees_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    (tmp_path / "a.log").write_text(PORT_DOWN)
    case = case_of(tmp_path / "a.log", tmp_path / "case")
    monkeypatch.chdir(case.path)
    shell = duckdb.connect()
    shell.execute((case.path / "views.sql").read_text("utf-8"))
    query = "SELECT host, hca, event FROM nccl_net_ib_async_event"
    assert shell.execute(query).fetchall() == case.sql(query) == [("node064", "mlx5_5", "port error")]
