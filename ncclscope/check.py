"""Runs a pack's own tests: every sample of every parser, every test of every rule."""

import io
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polars as pl
import regex

from ncclscope import analyse, parse, sources, times, views
from ncclscope import rules as ruling
from ncclscope.case import Case
from ncclscope.findings import Finding
from ncclscope.packs import Event, Pack, Parser, Reader, Rule, RuleTest, Sample, load
from ncclscope.peeler import python_pattern
from ncclscope.readers import load_module
from ncclscope.rows import Rows
from ncclscope.schema import BY_NAME, SEVERITIES


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that is not as declared: where, and what."""

    where: str
    what: str


Chooser = Callable[[Path], bool]
# A hand-written pattern that needs longer than this on its own sample has run away.
TIMEOUT_S = 2.0
# Fewer rules than this are checked before another process has started.
RULES_A_WORKER = 4


def every(_: Path) -> bool:
    """Chooses all declarations."""
    return True


def parsers(pack: Pack, chosen: Chooser = every) -> Iterator[Failure]:
    """Everything wrong with the chosen parsers of a pack; those of other packs still claim lines."""
    engine = parse.Engine.of(pack)
    for parser in pack.parsers.values():
        if chosen(parser.path):
            yield from _compiles(parser)
            yield from _read_samples(parser) if parser.reader else _line_samples(engine, parser)
            yield from _unproved(parser)


def _line_samples(engine: parse.Engine, parser: Parser) -> Iterator[Failure]:
    contents = [sample.text.removeprefix("\n") for sample in parser.samples]
    for sample, content, rows in zip(parser.samples, contents, rows_of_each(engine, contents), strict=True):
        yield from _sample(engine, sample, content, rows)


def _read_samples(parser: Parser) -> Iterator[Failure]:
    """Samples of a parser that reads whole sources: how many rows, and the first of them."""
    assert parser.reader is not None
    for sample in parser.samples:
        wanted = sample.kind or sample.table
        try:
            every_row = list(_reader_rows(parser.reader, sample.text))
        except Exception as error:
            # A reader is a program that anybody may write.
            yield Failure(sample.where, f"{type(error).__name__}: {error}")
            continue
        rows = [row for row in every_row if wanted in (row["kind"], row["table"])]
        if len(rows) != (len(rows) if sample.rows is None else sample.rows) or not rows:
            yield Failure(sample.where, f"{len(rows)} rows of {wanted}, not {sample.rows or 'some'}")
        else:
            yield from (Failure(sample.where, what) for what in _differences(sample, rows[0], {}))


def _reader_rows(reader: Reader, content: str) -> Iterator[dict[str, Any]]:
    source = sources.Source(0, 0, "sample", None, "", len(content), 0, None, None)
    for table, frame in load_module(str(reader.module)).read(io.BytesIO(content.encode()), source):
        for row in frame.iter_rows(named=True) if table in BY_NAME else ():
            fields = row.pop("fields", None) or {}
            pairs = fields.items() if isinstance(fields, dict) else ((one["key"], one["value"]) for one in fields)
            yield {"table": table, "kind": table} | {key: value for key, value in pairs if value is not None} | row


def _compiles(parser: Parser) -> Iterator[Failure]:
    written = [text for event in parser.events for text in (event.pattern, event.but) if text]
    for pattern in [line.prefix for line in parser.lines if line.prefix] + written:
        try:
            pl.Series(["x"]).str.extract_groups(pattern)
            regex.compile(python_pattern(pattern))
        except (pl.exceptions.ComputeError, regex.error) as error:
            yield Failure(parser.path.name, f"pattern {pattern!r}: {error}")


def _unproved(parser: Parser) -> Iterator[Failure]:
    proved = {sample.kind or sample.table for sample in parser.samples}
    for event in parser.events:
        if event.kind not in proved and event.table not in proved:
            yield Failure(parser.path.name, f"event {event.kind} has no sample")


def rows_of(engine: parse.Engine, content: str) -> list[dict[str, Any]]:
    """Every row that a text gives, as dicts with `table`, columns and fields together, in line order."""
    return rows_of_each(engine, [content])[0]


def rows_of_each(engine: parse.Engine, contents: Sequence[str]) -> list[list[dict[str, Any]]]:
    """The rows of each text, all of them parsed as one batch of sources, as a scan does."""
    if not contents:
        return []
    blocks = [parse.lines_of(n, text.encode("utf-8", "surrogateescape"), 0, 1) for n, text in enumerate(contents)]
    lines = pl.concat(blocks)
    parsed = parse.parse(engine, lines)
    found = [rows for several in parsed.tables.values() for rows in several]
    out: list[list[dict[str, Any]]] = [[] for _ in contents]
    for rows in times.resolve(found, lines).rows:
        for row in _plain(rows):
            out[row["src"]].append(row)
    return [sorted(rows, key=lambda row: (row["no"], row["part"], row["table"])) for rows in out]


def _plain(rows: Rows) -> Iterator[dict[str, Any]]:
    for row in rows.frame.iter_rows(named=True):
        keys, values = row.pop("keys", None) or [], row.pop("values", None) or []
        yield {"table": rows.table, "kind": rows.table} | dict(zip(keys, values, strict=True)) | row


def _sample(engine: parse.Engine, sample: Sample, content: str, rows: Sequence[dict[str, Any]]) -> Iterator[Failure]:
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
    for line in (*engine.prefixes.front, *engine.prefixes.split):
        types |= line.types
    for event in engine.events:
        if event.kind == row["kind"]:
            types |= event.types
    yield from (Failure(sample.where, what) for what in _differences(sample, row, types))


def _differences(sample: Sample, row: Mapping[str, Any], types: Mapping[str, str]) -> Iterator[str]:
    """Fields of a row that are not what the sample says."""
    for name, declared in sample.fields.items():
        if name == "time":
            continue
        is_word = name == "severity" and isinstance(declared, str)
        wanted = SEVERITIES.index(declared) if is_word else declared
        if typed(row.get(name), types.get(name, ""), wanted) != wanted:
            yield f"{name} is {row.get(name)!r}, not {wanted!r}"


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
        if event.but and regex.search(python_pattern(event.but), message, timeout=TIMEOUT_S):
            return False
        return regex.search(python_pattern(event.pattern), message, timeout=TIMEOUT_S) is not None
    except TimeoutError:
        return True


def rules(pack: Pack, chosen: Chooser = every, extra: tuple[str, ...] = ()) -> Iterator[Failure]:
    """Everything wrong with the rules of a pack: each is bound against empty tables, each test's logs go the whole way."""
    empty = ruling.empty_case(pack, views.shared())
    for rule in pack.rules.values():
        if chosen(rule.path):
            yield from _rule(pack, rule, empty, extra)


def rules_at_once(pack: Pack, chosen: Chooser, extra: tuple[str, ...], workers: int) -> list[Failure]:
    """The same by several processes, in order of rules: a test costs half a second."""
    names = [rule.id for rule in pack.rules.values() if chosen(rule.path)]
    workers = min(workers, len(names) // RULES_A_WORKER)
    if workers < 2:
        return list(rules(pack, chosen, extra))
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        parts = pool.map(rules_named, [names[n::workers] for n in range(workers)], [extra] * workers)
    return sorted((failure for part in parts for failure in part), key=lambda failure: failure.where)


def rules_named(names: Sequence[str], extra: tuple[str, ...]) -> list[Failure]:
    """Everything wrong with rules of these names."""
    return list(rules(load(extra), lambda path: path.stem in names, extra))


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
