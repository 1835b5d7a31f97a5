"""A case as a report: one dict, and its three printed forms."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ncclscope import evidence
from ncclscope.case import Case
from ncclscope.text import printable

SCHEMA_VERSION = "1"
_NOBODY: dict[str, list[Any]] = {"hosts": [], "ranks": [], "gpus": [], "devices": []}


def build(case: Case) -> dict[str, Any]:
    """The report of a committed case, in the contract's order; the same bytes for the same input."""
    found = case.rows("SELECT * FROM findings")
    texts = evidence.texts(case, [_key(e) for f in found for e in f["evidence"]])
    names = dict(case.sql("SELECT DISTINCT file_id, name FROM pieces"))
    findings = [_finding(f, texts, names) for f in found]
    verdicts = _verdicts(case, {f["finding_id"]: f for f in found})
    return {
        "schema_version": SCHEMA_VERSION,
        "case": _case(case),
        "verdict": _headline(verdicts),
        "verdicts": verdicts,
        "findings": findings,
        "checks": case.rows("SELECT rule, status FROM checks ORDER BY rule"),
        "files": _files(case),
    }


def _case(case: Case) -> dict[str, Any]:
    began, ended = case.sql("SELECT min(began), max(ended) FROM verdicts")[0]
    world, given = case.sql("SELECT max(world_size), count(DISTINCT rank) FILTER (WHERE given) FROM ranks")[0]
    hosts, hosts_given = case.sql("SELECT count(DISTINCT host), count(DISTINCT host) FILTER (WHERE given) FROM hosts")[0]
    attempts = case.sql("SELECT count(*) FROM verdicts")[0][0]
    return {
        "paths": list(case.manifest["paths"]),
        "began": _time(began),
        "ended": _time(ended),
        "world_size": world,
        "hosts": hosts,
        "hosts_given": hosts_given,
        "ranks_given": given,
        "attempts": attempts,
    }


def _verdicts(case: Case, found: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    out = []
    for row in case.rows("SELECT * FROM verdicts ORDER BY attempt"):
        finding = found.get(row["finding_id"] or "")
        culprit = {name: list(finding[name]) for name in _NOBODY} if finding and _names(row["status"], finding) else dict(_NOBODY)
        out.append(
            {
                "attempt": row["attempt"],
                "status": row["status"],
                "sentence": printable(row["sentence"]),
                "kind": finding["kind"] if finding else "",
                "confidence": finding["confidence"] if finding else "",
                "culprit": {**culprit, "either": bool(finding and finding["either"])},
                "finding_id": row["finding_id"],
                "next": [printable(text) for text in row["next"]],
            }
        )
    return out


def _names(status: str, finding: Mapping[str, Any]) -> bool:
    """Symptoms name those who suffer, never a culprit."""
    return status in ("cause_found", "suspect") and finding["role"] == "cause"


def _headline(verdicts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return verdicts[-1]


def _finding(row: Mapping[str, Any], texts: Mapping[evidence.Key, str], names: Mapping[int, str]) -> dict[str, Any]:
    lines = [
        {"file": printable(names.get(e["file_id"], "")), "line": e["line"], "text": printable(texts.get(_key(e), ""))}
        for e in row["evidence"]
    ]
    plain = ("finding_id", "rule", "kind", "severity", "role", "confidence", "title", "summary", "advice")
    return {
        **{name: row[name] for name in plain},
        "summary": printable(row["summary"]),
        "attempt": row["attempt"],
        "culprit": {name: list(row[name]) for name in _NOBODY},
        "either": row["either"],
        "began": _time(row["began"]),
        "ended": _time(row["ended"]),
        "explained_by": row["explained_by"],
        "evidence": lines,
        "evidence_total": row["evidence_total"],
    }


def _files(case: Case) -> list[dict[str, Any]]:
    rows = case.rows(
        """SELECT CASE WHEN member IS NULL THEN path ELSE path || '/' || member END AS path, status, lines, matched, unknown, damaged, error
        FROM files ORDER BY argument, files.path, member NULLS FIRST"""
    )
    return [{**row, "path": printable(row["path"])} for row in rows]


def _key(e: Mapping[str, int]) -> evidence.Key:
    return e["file_id"], e["line"], e["part"]


def _time(value: datetime | None) -> str | None:
    if value is None:
        return None
    return value.isoformat(timespec="microseconds" if value.microsecond else "seconds") + "Z"


def as_json(report: Mapping[str, Any]) -> str:
    """The report as JSON text."""
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"
