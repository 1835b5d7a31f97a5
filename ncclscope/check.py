"""Runs a pack's own tests: every sample of every parser, every test of every rule."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import regex

from ncclscope import analyse, parse, times, views
from ncclscope import rules as ruling
from ncclscope.case import Case
from ncclscope.findings import Finding
from ncclscope.packs import Event, Pack, Parser, Rule, RuleTest, Sample
from ncclscope.prefixes import python_pattern
from ncclscope.rows import Rows
from ncclscope.schema import SEVERITIES


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that is not as declared: where, and what."""

    where: str
    what: str


# A hand-written pattern that needs longer than this on its own sample has run away.
TIMEOUT_S = 2.0


def every(_: Path) -> bool:
    """Chooses all declarations."""
    return True


def parsers(pack: Pack, chosen: Callable[[Path], bool] = every) -> Iterator[Failure]:
    """Everything wrong with the chosen parsers of a pack; those of other packs still claim lines."""
    engine = parse.Engine.of(pack)
    for parser in pack.parsers.values():
        if not chosen(parser.path):
            continue
        yield from _compiles(parser)
        proved: set[str] = set()
        for sample in parser.samples:
            proved.add(sample.kind or sample.table)
            if parser.reader is None:
                yield from _sample(engine, sample)
        yield from _unproved(parser, proved)


def _compiles(parser: Parser) -> Iterator[Failure]:
    for pattern in [line.prefix for line in parser.lines if line.prefix] + [event.pattern for event in parser.events]:
        try:
            pl.Series(["x"]).str.extract_groups(pattern)
            regex.compile(python_pattern(pattern))
        except (pl.exceptions.ComputeError, regex.error) as error:
            yield Failure(parser.path.name, f"pattern {pattern!r}: {error}")


def _unproved(parser: Parser, proved: set[str]) -> Iterator[Failure]:
    for event in parser.events:
        if event.kind not in proved and event.table not in proved:
            yield Failure(parser.path.name, f"event {event.kind} has no sample")


def rows_of(engine: parse.Engine, content: str) -> list[dict[str, Any]]:
    """Every row that a text gives, as dicts with `table`, columns and fields together, in line order."""
    lines = parse.lines_of(0, content.encode("utf-8", "surrogateescape"), 0, 1)
    parsed = parse.parse(engine, lines)
    found = [rows for several in parsed.tables.values() for rows in several]
    out: list[dict[str, Any]] = []
    for rows in times.resolve(found, lines).rows:
        out.extend(_plain(rows))
    return sorted(out, key=lambda row: (row["no"], row["part"], row["table"]))


def _plain(rows: Rows) -> Iterator[dict[str, Any]]:
    for row in rows.frame.iter_rows(named=True):
        keys, values = row.pop("keys", None) or [], row.pop("values", None) or []
        yield {"table": rows.table, "kind": rows.table} | dict(zip(keys, values, strict=True)) | row


def _sample(engine: parse.Engine, sample: Sample) -> Iterator[Failure]:
    content = sample.text.removeprefix("\n")
    try:
        rows = rows_of(engine, content)
    except (pl.exceptions.PolarsError, ValueError) as error:
        yield Failure(sample.where, f"{type(error).__name__}: {error}")
        return
    wanted = sample.kind or sample.table
    kinds = [row["kind"] for row in rows]
    if wanted == "none":
        if rows:
            yield Failure(sample.where, f"must match nothing, but is {kinds}: {content[:160]!r}")
        return
    mine = [row for row in rows if row["kind"] == wanted or row["table"] == wanted]
    if not mine:
        yield Failure(sample.where, f"no {wanted}, but {kinds or 'nothing'}: {content[:160]!r}")
        return
    if "\n" not in content and len(rows) > 1:
        yield Failure(sample.where, f"one line gives {kinds}: {content[:160]!r}")
    yield from _fields(engine, sample, mine[0])
    if "\n" not in content:
        rivals = _rivals(engine, mine[0], content)
        if len(rivals) > 1:
            yield Failure(sample.where, f"claimed by {', '.join(rivals)}: {content[:160]!r}")


def _fields(engine: parse.Engine, sample: Sample, row: dict[str, Any]) -> Iterator[Failure]:
    types: dict[str, str] = {}
    for event in engine.events:
        if event.kind == row["kind"]:
            types.update(event.types)
    for line in (*engine.prefixes.front, *engine.prefixes.split):
        types = {**dict(line.types), **types}
    for name, wanted in sample.fields.items():
        if name == "time":
            continue
        got = row.get(name)
        if name == "severity" and isinstance(wanted, str):
            wanted = SEVERITIES.index(wanted)
        if typed(got, types.get(name, ""), wanted) != wanted:
            yield Failure(sample.where, f"{name} is {got!r}, not {wanted!r}")


def typed(value: Any, written: str, like: Any) -> Any:
    """A field, which is stored as written, as the type its declaration or its expected value has."""
    if not isinstance(value, str):
        return value
    try:
        if written == "hex":
            return int(value, 16)
        if written == "int" or (isinstance(like, int) and not isinstance(like, bool)):
            return int(value.replace(",", ""))
        if written == "float" or isinstance(like, float):
            return float(value)
    except ValueError:
        return value
    return value


def _rivals(engine: parse.Engine, row: dict[str, Any], content: str) -> list[str]:
    """Kinds whose pattern takes this row's message, by the second engine."""
    message = row.get("message")
    if message is None:
        return []
    return [event.kind for event in engine.events if event.block is None and _takes(event, message, content)]


def _takes(event: Event, message: str, content: str) -> bool:
    if not any(literal in content for literal in event.literals):
        return False
    try:
        return regex.search(python_pattern(event.pattern), message, timeout=TIMEOUT_S) is not None
    except TimeoutError:
        return True


def rules(pack: Pack, chosen: Callable[[Path], bool] = every, extra: tuple[str, ...] = ()) -> Iterator[Failure]:
    """Everything wrong with the rules of a pack: each is bound against empty tables, each test's logs go the whole way."""
    empty = ruling.empty_case(pack, views.shared())
    for rule in pack.rules.values():
        if chosen(rule.path):
            yield from _rule(pack, rule, empty, extra)


def _rule(pack: Pack, rule: Rule, empty: Case, extra: tuple[str, ...]) -> Iterator[Failure]:
    where = f"{rule.path.parent.name}/{rule.path.name}"
    found = ruling.problems(rule, empty)
    yield from (Failure(where, problem) for problem in found)
    if not found:
        for number, test in enumerate(rule.tests, 1):
            yield from (Failure(f"{where}: test {number}", what) for what in _test(pack, rule, test, extra))
    if not any(test.fires for test in rule.tests) or all(test.fires for test in rule.tests):
        yield Failure(where, "needs a test that fires and a near miss that stays silent")


def _test(pack: Pack, rule: Rule, test: RuleTest, extra: tuple[str, ...]) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="ncclscope-test-") as directory:
        logs = Path(directory) / "logs"
        for name, content in test.logs.items():
            path = logs / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.removeprefix("\n"), "utf-8")
        case = analyse.read(Path(directory) / "case", [str(logs)], pack, extra)
        found, checks = ruling.run(case, [rule], set())
        if checks[0].status == "failed":
            yield checks[0].error or "failed"
        elif len(found) != test.fires:
            yield f"{len(found)} findings, not {test.fires}: {[f.summary for f in found]}"
        elif found:
            yield from _expected(found[0], test.expect)


def _expected(finding: Finding, expect: Mapping[str, Any]) -> Iterator[str]:
    for name, wanted in expect.items():
        got = getattr(finding, name)
        got = list(got) if isinstance(got, tuple) else (got.isoformat() if isinstance(got, datetime) else got)
        if got != wanted:
            yield f"{name} is {got!r}, not {wanted!r}"
