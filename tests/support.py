"""Helpers of several test modules: packs and reports made for a test, and the schema every report must keep."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema

from ncclscope import analyse, packs, report, views
from ncclscope.case import Case, open_case

SCHEMA = json.loads(report.SCHEMA_FILE.read_text("utf-8"))
_VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

RULE = """/*
title    = "A line of nobody's"
kind     = "crash.python"
severity = "high"
role     = "cause"
explanation = "A test."
advice = "Look at it."
[[test]]
fires = 1
logs."a.log" = "n1:10:20 [0] NCCL INFO something odd"
[[test]]
fires = 0
logs."a.log" = "n1:10:20 [0] NCCL INFO something else"
*/
SELECT attempt, [host] AS hosts, message AS summary, [{'file_id': file_id, 'line': line, 'part': part}] AS evidence
FROM   nccl_other
WHERE  message LIKE '%something odd%'
"""


def pack(folder: Path, rule: str = RULE, name: str = "odd-line") -> Path:
    """A pack with one rule, which finds lines of NCCL that say `something odd`."""
    (folder / "rules" / "crash").mkdir(parents=True, exist_ok=True)
    (folder / "rules" / "crash" / f"{name}.sql").write_text(rule)
    return folder


def case_of(path: Path, directory: Path, extra: tuple[str, ...] = (), workers: int = 1) -> Case:
    """A case made anew from evidence."""
    made = analyse.scan_case([str(path)], analyse.Options(case=directory, packs=extra, workers=workers))
    return open_case(made, packs.load(extra), views.shared())


def valid(built: Mapping[str, Any]) -> Mapping[str, Any]:
    """The report, if it keeps the schema and has no member that the schema does not know."""
    errors = sorted(_VALIDATOR.iter_errors(built), key=str)
    assert not errors, errors[0]
    unknown = list(_undeclared(built, SCHEMA, "report"))
    assert not unknown, unknown
    return built


def _undeclared(value: Any, schema: Any, where: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", maxsplit=1)[1]]
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in schema["properties"]:
                yield f"{where}.{name}"
            elif schema["properties"][name] is not True:
                yield from _undeclared(inner, schema["properties"][name], f"{where}.{name}")
    elif isinstance(value, list):
        for one in value:
            yield from _undeclared(one, schema.get("items", {}), where)
