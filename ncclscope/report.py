"""A case as a report: one value with everything that the printed forms show, and that the JSON form is."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ncclscope import evidence, hypotheses, tables, vocabulary
from ncclscope.case import Case, CaseError
from ncclscope.findings import Key
from ncclscope.text import printable

SCHEMA_VERSION = "1"
SCHEMA_FILE = Path(__file__).with_name("report.schema.json")
CHECKED = ("fired", "silent", "not_applicable", "failed")
_LEVELS = ("hosts", "ranks", "gpus", "devices")
# Only these verdicts accuse somebody; symptoms name those who suffered.
_ACCUSING = ("cause_found", "suspect")

Report = dict[str, Any]


def build(case: Case) -> Report:
    """The report of a committed case, in the contract's order; the same bytes for the same input. Raises CaseError."""
    found = case.rows("SELECT * FROM findings")
    checks = case.rows("SELECT rule, status, error FROM checks ORDER BY rule")
    missing = {one.attempt: one.missing for one in tables.evidence(case, len(checks))}
    verdicts = _verdicts(case, found, missing)
    if not verdicts:
        raise CaseError(f"{case.path} has no verdict, so its scan did not finish")
    files = _files(case)
    return {
        "schema_version": SCHEMA_VERSION,
        "case": _case(case, len(verdicts)),
        "verdict": _headline(verdicts),
        "verdicts": verdicts,
        "findings": _findings(case, found),
        "checks": [_safe(check) for check in checks],
        "files": files,
        "totals": _totals(files, checks),
        "missing": [printable(what) for what in missing.get(verdicts[-1]["attempt"], ())],
    }


def as_json(report: Mapping[str, Any]) -> str:
    """The report as JSON text."""
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def exceeds(report: Mapping[str, Any], severity: str) -> bool:
    """Is there a finding at least this severe?"""
    worst = vocabulary.SEVERITIES.index(severity)
    return any(vocabulary.SEVERITIES.index(f["severity"]) <= worst for f in report["findings"])


def is_whole(report: Mapping[str, Any]) -> bool:
    """Could every source be read to its end?"""
    return not any(file["status"] in ("failed", "partial") for file in report["files"])


def is_usable(report: Mapping[str, Any]) -> bool:
    """Was any line of the input recognised?"""
    return any(file["matched"] for file in report["files"])


def _headline(verdicts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The answer: the last attempt's verdict, or the earlier one that the last attempt failed of."""
    chosen = next(one for one in verdicts if one["headline"])
    if chosen is verdicts[-1]:
        return chosen
    return {**chosen, "sentence": f"{chosen['sentence']} Attempt {verdicts[-1]['attempt']} failed as a result."}


def _case(case: Case, attempts: int) -> dict[str, Any]:
    began, ended = case.sql("SELECT min(began), max(ended) FROM verdicts")[0]
    world, ranks = case.sql("SELECT max(world_size), count(DISTINCT rank) FILTER (WHERE given) FROM ranks")[0]
    hosts, given = case.sql("SELECT count(DISTINCT host), count(DISTINCT host) FILTER (WHERE given) FROM hosts")[0]
    return {
        "paths": [printable(path) for path in case.manifest["paths"]],
        "began": _time(began),
        "ended": _time(ended),
        "world_size": world,
        "hosts": hosts,
        "hosts_given": given,
        "ranks_given": ranks,
        "attempts": attempts,
        **({"grouping": printable(case.manifest["job"]["how"])} if case.manifest.get("job") else {}),
    }


def _verdicts(case: Case, found: Sequence[Mapping[str, Any]], missing: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
    named = {f["finding_id"]: f for f in found}
    lacks = dict(case.sql("SELECT finding_id, what FROM weakened ORDER BY finding_id, what"))
    out = []
    for row in case.rows("SELECT * FROM verdicts ORDER BY attempt"):
        mine = [f for f in found if f["attempt"] == row["attempt"]]
        guesses = hypotheses.of(mine, row["finding_id"], missing.get(row["attempt"], ()), lacks)
        out.append({**_verdict(row, named.get(row["finding_id"] or "")), "hypotheses": [_guess(one) for one in guesses]})
    return out


def _guess(one: hypotheses.Hypothesis) -> dict[str, Any]:
    return {
        **{"finding_id": one.finding_id, "sentence": printable(one.sentence), "confidence": one.confidence},
        **{"for": list(one.speaks_for), "against": _safe(one.against), "settle": _safe(one.settle)},
    }


def _verdict(row: Mapping[str, Any], finding: Mapping[str, Any] | None) -> dict[str, Any]:
    accused = finding if finding and row["status"] in _ACCUSING and finding["role"] == "cause" else None
    return {
        "attempt": row["attempt"],
        "status": row["status"],
        "sentence": printable(row["sentence"]),
        "kind": finding["kind"] if finding else "",
        "confidence": finding["confidence"] if finding else "",
        "culprit": {**_culprit(accused), "either": bool(finding and finding["either"])},
        "finding_id": row["finding_id"],
        "next": [printable(text) for text in row["next"]],
        "headline": row["headline"],
        "began": _time(row["began"]),
        "ended": _time(row["ended"]),
    }


def _culprit(finding: Mapping[str, Any] | None) -> dict[str, list[Any]]:
    return {name: _safe(finding[name]) if finding else [] for name in _LEVELS}


def _findings(case: Case, found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    texts = evidence.texts(case, [_key(e) for f in found for e in f["evidence"]])
    names = {file_id: printable(name) for file_id, name in case.sql("SELECT DISTINCT file_id, name FROM pieces")}
    return [_finding(f, texts, names) for f in found]


def _finding(row: Mapping[str, Any], texts: Mapping[Key, str], names: Mapping[int, str]) -> dict[str, Any]:
    lines = [
        {"file": names.get(e["file_id"], ""), "line": e["line"], "text": printable(texts[_key(e)])} for e in row["evidence"]
    ]
    lines.sort(key=lambda line: (line["file"], line["line"]))
    plain = ("finding_id", "rule", "kind", "severity", "role", "confidence", "title", "summary")
    return {
        **{name: printable(row[name]) for name in plain},
        "advice": "\n".join(printable(line) for line in row["advice"].splitlines()),
        "attempt": row["attempt"],
        "culprit": _culprit(row),
        "either": row["either"],
        "comm": _safe(row["comm"]),
        "began": _time(row["began"]),
        "ended": _time(row["ended"]),
        "explained_by": row["explained_by"],
        "evidence": lines,
        "evidence_total": row["evidence_total"],
    }


def _files(case: Case) -> list[dict[str, Any]]:
    rows = case.rows(
        """SELECT concat_ws('/', f.path, f.member) AS path, status, lines, matched, unknown, damaged, error
        FROM files f ORDER BY argument, f.path, member NULLS FIRST"""
    )
    return [_safe(row) for row in rows]


def _totals(files: Sequence[Mapping[str, Any]], checks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    counted = ("lines", "matched", "unknown", "damaged")
    return {
        "files": len(files),
        **{name: sum(file[name] for file in files) for name in counted},
        "checks": {status: sum(check["status"] == status for check in checks) for status in CHECKED},
    }


def _key(e: Mapping[str, int]) -> Key:
    return e["file_id"], e["line"], e["part"]


def _time(value: datetime | None) -> str | None:
    if value is None:
        return None
    return value.isoformat(timespec="microseconds" if value.microsecond else "seconds") + "Z"


def _safe(value: Any) -> Any:
    """The value with every text in it printable."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {key: _safe(one) for key, one in value.items()}
    return [_safe(one) for one in value] if isinstance(value, (list, tuple)) else value
