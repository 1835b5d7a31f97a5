"""What must have rows for a query to have any, told from its syntax alone: most of a pack's rules need not even be planned.

A condition is True (nobody can tell), the name of a relation, or ("all" | "any", conditions). It is on the safe side: a query
that returns a row always meets it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Condition = bool | str | tuple[str, tuple[Any, ...]]
Node = Mapping[str, Any]

# The query that gives the syntax of another.
SYNTAX = "SELECT json_serialize_sql($1, skip_empty := true, skip_null := true, skip_default := true)"
# Without GROUP BY a query with one of these has a row whatever it reads; every aggregate function of DuckDB 2.0.
_AGGREGATES = """
any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min arg_min_null
arg_min_nulls_last argmax argmin array_agg avg bit_and bit_or bit_xor bitstring_agg bool_and bool_or combine_aggr corr count
count_if count_star countif covar_pop covar_samp decimal_average entropy favg first fsum group_concat histogram histogram_exact
kahan_sum kurtosis kurtosis_pop last list listagg lttb mad max max_by mean median min min_by mode product quantile quantile_cont
quantile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile sem
skewness stddev stddev_pop stddev_samp string_agg sum sum_no_overflow sumkahan var_pop var_samp variance variant_group_object
"""
AGGREGATES = frozenset(_AGGREGATES.split())


def condition(node: Node, above: Mapping[str, Condition] | None = None) -> Condition:
    """Of a node of DuckDB's `json_serialize_sql`; `above` are the named queries that it may read."""
    known = dict(above or {})
    for named in node.get("cte_map", {}).get("map", ()):
        known[named["key"].lower()] = condition(named["value"].get("query_node") or {}, known)
    if node.get("type") == "SELECT_NODE":
        return _select(node, known)
    if node.get("type") == "SET_OPERATION_NODE":
        children = [condition(child, known) for child in node.get("children", ())]
        if node.get("setop_type") == "UNION" and children:
            return _joined("any", children)
        return children[0] if node.get("setop_type") == "EXCEPT" and children else True
    return True


def holds(wanted: Condition, has_rows: Callable[[str], bool]) -> bool:
    """Is it met? Names are asked for only while that is open."""
    if isinstance(wanted, bool):
        return wanted
    if isinstance(wanted, str):
        return has_rows(wanted)
    how, parts = wanted
    return (all if how == "all" else any)(holds(part, has_rows) for part in parts)


def _select(node: Node, known: Mapping[str, Condition]) -> Condition:
    if not node.get("from_table") or _makes_a_row(node):
        return True
    return _joined("all", [_relation(node["from_table"], known), *_demanded(node.get("where_clause"), known)])


def _makes_a_row(node: Node) -> bool:
    """Does it aggregate everything into one row, which is there without any to aggregate?"""
    if node.get("group_expressions"):
        return any(not chosen for chosen in node.get("group_sets", ()))
    aggregates = [_aggregates(item) for item in node.get("select_list", ())]
    if node.get("aggregate_handling") == "FORCE_AGGREGATES":
        return all(aggregates)
    return any(aggregates) or bool(node.get("having"))


def _aggregates(expression: Any) -> bool:
    return any(one.get("class") == "FUNCTION" and one.get("function_name", "").lower() in AGGREGATES for one in _inside(expression))


def _inside(expression: Any) -> Iterator[Node]:
    """An expression and all below it; not into windows, nor into queries of their own."""
    if isinstance(expression, Mapping):
        if expression.get("class") in ("WINDOW", "SUBQUERY"):
            return
        yield expression
        for part in expression.values():
            yield from _inside(part)
    elif isinstance(expression, list):
        for part in expression:
            yield from _inside(part)


def _relation(table: Node, known: Mapping[str, Condition]) -> Condition:
    kind = table.get("type")
    if kind == "BASE_TABLE":
        name = table["table_name"].lower()
        return known.get(name, name)
    if kind == "SUBQUERY":
        return condition(table["subquery"]["node"], known)
    if kind != "JOIN":
        return True
    left, right = (_relation(table[side], known) for side in ("left", "right"))
    join = table.get("join_type", "INNER")
    if join in ("INNER", "SEMI"):
        return _joined("all", [left, right])
    if join in ("LEFT", "ANTI", "SINGLE", "MARK"):
        return left
    return right if join == "RIGHT" else _joined("any", [left, right])


def _demanded(where: Node | None, known: Mapping[str, Condition]) -> list[Condition]:
    """What EXISTS and IN ask for, where the whole condition fails without."""
    if not where:
        return []
    if where.get("type") == "CONJUNCTION_AND":
        return [one for part in where.get("children", ()) for one in _demanded(part, known)]
    if where.get("class") == "SUBQUERY" and where.get("subquery_type") in ("EXISTS", "ANY"):
        return [condition(where["subquery"]["node"], known)]
    return []


def _joined(how: str, parts: Sequence[Condition]) -> Condition:
    """All or any of them, as simple as it goes: names first, which are sooner asked than what is below."""
    flat: list[Condition] = []
    for part in parts:
        flat += part[1] if isinstance(part, tuple) and part[0] == how else [part]
    open_ones = [part for part in flat if part is not True]
    if how == "any" and len(open_ones) < len(flat):
        return True
    unique = sorted(dict.fromkeys(open_ones), key=lambda part: isinstance(part, tuple))
    if not unique:
        return True
    return unique[0] if len(unique) == 1 else (how, tuple(unique))
