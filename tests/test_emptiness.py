"""Whether a query can have rows, told before it runs, against what DuckDB returns for every choice of empty tables."""

import itertools
import json

import duckdb
import pytest

from ncclscope import emptiness

TABLES = ("a", "b", "c")
# A query, and the tables without which it is known to return nothing: any one of the sets will do.
QUERIES = [
    ("SELECT x FROM a", ["a"]),
    ("SELECT count(*) FROM a", []),
    ("SELECT x, count(*) FROM a GROUP BY x", ["a"]),
    ("SELECT x, count(*) FROM a GROUP BY ALL", ["a"]),
    ("SELECT count(*) FROM a GROUP BY ALL", []),
    ("SELECT x FROM a GROUP BY GROUPING SETS ((x), ())", []),
    ("SELECT x FROM a GROUP BY ROLLUP (x)", []),
    ("SELECT 1 FROM a HAVING count(*) = 0", []),
    ("SELECT count(*) OVER () FROM a", ["a"]),
    ("SELECT max(x) + 1 FROM a", []),
    ("SELECT coalesce((SELECT max(x) FROM b), 0) FROM a", ["a"]),
    ("SELECT a.x FROM a, b", ["a", "b"]),
    ("SELECT a.x FROM a JOIN b USING (x)", ["a", "b"]),
    ("SELECT a.x FROM a LEFT JOIN b USING (x)", ["a"]),
    ("SELECT b.x FROM a RIGHT JOIN b USING (x)", ["b"]),
    ("SELECT x FROM a FULL JOIN b USING (x)", ["a b"]),
    ("SELECT a.x FROM a SEMI JOIN b USING (x)", ["a", "b"]),
    ("SELECT a.x FROM a ANTI JOIN b USING (x)", ["a"]),
    ("SELECT a.x FROM a ASOF JOIN b ON a.x >= b.x", ["a", "b"]),
    ("SELECT a.x FROM a ASOF LEFT JOIN b ON a.x >= b.x", ["a"]),
    ("SELECT x FROM a UNION ALL SELECT x FROM b UNION SELECT x FROM c", ["a b c"]),
    ("SELECT x FROM a EXCEPT SELECT x FROM b", ["a"]),
    ("SELECT x FROM a INTERSECT SELECT x FROM b", []),
    ("SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b)", ["a", "b"]),
    ("SELECT x FROM a WHERE NOT EXISTS (SELECT 1 FROM b)", ["a"]),
    ("SELECT x FROM a WHERE x IN (SELECT x FROM b) AND x > 0", ["a", "b"]),
    ("SELECT x FROM a WHERE x NOT IN (SELECT x FROM b)", ["a"]),
    ("SELECT x FROM a WHERE x IN (SELECT x FROM b) OR x > 0", ["a"]),
    ("WITH d AS (SELECT max(x) AS m FROM b) SELECT x FROM a, d", ["a"]),
    ("WITH d AS MATERIALIZED (SELECT x FROM b), e AS (SELECT x FROM d JOIN c USING (x)) SELECT x FROM e", ["b", "c"]),
    ("WITH a AS (SELECT x FROM b) SELECT x FROM a", ["b"]),
    ("WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 3) SELECT x FROM r", []),
    ("SELECT n.x FROM (SELECT x FROM a) n, LATERAL (SELECT unnest(range(3)) AS y) m", ["a"]),
    ("SELECT x FROM a ORDER BY x LIMIT 3", ["a"]),
    ("SELECT unnest([1, 2])", []),
    ("FROM a", ["a"]),
    ("SELECT * FROM (VALUES (1)) v(x)", []),
    ("SELECT x FROM a TABLESAMPLE 100 PERCENT", ["a"]),
]


def condition_of(con: duckdb.DuckDBPyConnection, query: str) -> emptiness.Condition:
    [(text,)] = con.execute(emptiness.SYNTAX, [query]).fetchall()
    return emptiness.condition(json.loads(text)["statements"][0]["node"])


@pytest.mark.parametrize(("query", "needed"), QUERIES)
def test_what_returns_rows_was_held_possible(query: str, needed: list[str]) -> None:
    con = duckdb.connect()
    condition = condition_of(con, query)
    for filled in itertools.product((False, True), repeat=len(TABLES)):
        there = dict(zip(TABLES, filled, strict=True))
        for name, has_rows in there.items():
            con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT 1 AS x {'' if has_rows else 'WHERE false'}")
        told = emptiness.holds(condition, there.__getitem__)
        assert told or not con.execute(query).fetchall(), f"{query} has rows with {there}"
        if any(not any(there[name] for name in group.split()) for group in needed):
            assert not told, f"{query} cannot have rows with {there}"


def test_every_aggregate_function_is_known() -> None:
    """One that is not would make a query look empty that has a row."""
    known = duckdb.connect().execute("SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'").fetchall()
    assert {name for (name,) in known} <= emptiness.AGGREGATES
