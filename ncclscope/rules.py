"""Runs rules over a case: each a SELECT over views, each result checked against the contract of a finding."""

import json
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ncclscope import case as case_module
from ncclscope import findings as fi
from ncclscope import schema
from ncclscope.case import Case
from ncclscope.findings import Finding
from ncclscope.packs import Pack, Rule

ALLOWED = frozenset(
    {*("summary", "evidence", "hosts", "ranks", "gpus", "devices", "comm", "attempt", "either"), *("began", "ended", "confidence")}
    | {"role", "severity", "advice"}
)
# Results must be the same rows every time, for any number of threads.
UNSTABLE = re.compile(r"\b(any_value|first|last|arg_max|arg_min|max_by|min_by|random|now|current_timestamp|uuid)\s*\(", re.I)
UNORDERED = re.compile(r"\b(list|array_agg|string_agg|group_concat)\s*\(", re.I)


@dataclass(frozen=True, slots=True)
class Check:
    """How one rule went."""

    rule: str
    status: str
    findings: int
    error: str | None


def run(case: Case, rules: Iterable[Rule], seen: set[str]) -> tuple[list[Finding], list[Check]]:
    """Findings, folded and in order, and one check for each rule; `seen` holds the parsers that recognised something."""
    found: list[Finding] = []
    checks: list[Check] = []
    by_id = {rule.id: rule for rule in rules}
    for rule in by_id.values():
        try:
            # Evidence is rows: without any there is no finding, and planning a query costs more than that look.
            mine = [fi.from_row(rule, row) for row in case.rows(rule.sql)] if case.may_return(rule.sql) else []
        except (case_module.QueryError, ValueError) as error:
            checks.append(Check(rule.id, "failed", 0, " ".join(str(error).split())[:300]))
            continue
        found += mine
        status = "fired" if mine else ("silent" if _applies(rule, seen) else "not_applicable")
        checks.append(Check(rule.id, status, len(mine), None))
    unique = {finding.finding_id: finding for finding in found}
    moments = _moments(case, sorted({key for f in unique.values() for key in f.evidence}))
    timed = [fi.earliest(fi.bounded(finding, moments), moments) for finding in unique.values()]
    return fi.fold(fi.only_where_wanted(timed, by_id), by_id), checks


def _moments(case: Case, keys: Sequence[fi.Key]) -> dict[fi.Key, fi.Moment]:
    """When these lines were written, for those of which that is known.

    A carried time without a later one below it says nothing of the latest, though it ends with its resolution.
    """
    if not keys:
        return {}
    rows = " UNION ALL ".join(f"SELECT file_id, line, part, ts, ts_max, ts_from FROM {t.name}" for t in (schema.EVENTS, *schema.DENSE))
    wanted = "SELECT unnest($1::UBIGINT[]) AS file_id, unnest($2::UBIGINT[]) AS line, unnest($3::UINTEGER[]) AS part"
    found = case.sql(
        f"""SELECT file_id, line, part, min(ts),
               min(CASE WHEN ts_from <> 'carried' THEN ts WHEN ts_max > ts + INTERVAL 1 SECOND THEN ts_max END)
        FROM ({rows}) JOIN ({wanted}) USING (file_id, line, part) WHERE ts IS NOT NULL GROUP BY ALL""",
        *(list(column) for column in zip(*keys, strict=True)),
    )
    return {(file_id, line, part): fi.Moment(ts, latest) for file_id, line, part, ts, latest in found}


def _applies(rule: Rule, seen: set[str]) -> bool:
    return not rule.needs or any(name == need or name.startswith(need) for need in rule.needs for name in seen)


def problems(rule: Rule, empty: Case) -> list[str]:
    """Why a rule cannot be used, found by binding it against empty tables."""
    out = []
    if match := UNSTABLE.search(rule.sql):
        out.append(f"{match[1]}() gives other rows on other runs; order explicitly")
    out += [f"{name}() needs ORDER BY, or its rows come in any order" for name in unordered(rule.sql)]
    try:
        columns = [column[0] for column in empty.run(rule.sql).description or ()]
    except case_module.QueryError as error:
        return [*out, " ".join(str(error).split())]
    extra = sorted(set(columns) - ALLOWED)
    missing = sorted({"summary", "evidence"} - set(columns))
    out += [f"column {name!r} is not part of a finding" for name in extra]
    out += [f"column {name!r} is required" for name in missing]
    return out


def unordered(sql: str) -> list[str]:
    """Aggregates into lists without an ORDER BY inside their parentheses."""
    out = []
    for match in UNORDERED.finditer(sql):
        depth, i = 1, match.end()
        while i < len(sql) and depth:
            depth += {"(": 1, ")": -1}.get(sql[i], 0)
            i += 1
        if not re.search(r"\bORDER\s+BY\b", sql[match.end() : i], re.I):
            out.append(match[1])
    return out


def empty_case(pack: Pack, shared: dict[str, str]) -> Case:
    """A case without a row, to bind rules against; its directory is needed only while it is opened."""
    with tempfile.TemporaryDirectory(prefix="ncclscope-empty-") as directory:
        manifest = {"schema": schema.SCHEMA_VERSION, "parcels": {}, "pieces": []}
        (Path(directory) / schema.MANIFEST).write_text(json.dumps(manifest))
        return case_module.open_case(Path(directory), pack, shared)


def as_rows(found: Sequence[Finding]) -> list[list[Any]]:
    """Findings as rows of the table."""
    rows = []
    for f in found:
        evidence = [{"file_id": a, "line": b, "part": c} for a, b, c in f.evidence]
        rows.append(
            [
                *(f.finding_id, f.attempt, f.rule, f.kind, f.severity, f.role, f.confidence, f.title, f.summary, f.advice),
                *(list(f.hosts), list(f.ranks), list(f.gpus), list(f.devices), f.comm, f.either, f.began, f.ended),
                *(f.explained_by, evidence, f.evidence_total),
            ]
        )
    return rows
