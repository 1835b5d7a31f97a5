"""What documentation is made from declarations: `python -m ncclscope.docs [DIR]` writes it.

That is three pages of `docs/`, in the README beside that folder the picture of a report and the panes of the application
(which `docs/panes.sh` captures), and the reports beside the sample cases.
"""

import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from ncclscope import analyse, explain, packs, report, samples, schema, views, vocabulary
from ncclscope.case import open_case
from ncclscope.formats import text
from ncclscope.formats.markdown import escaped, fenced
from ncclscope.packs import Pack, Parser, Rule

GENERATED = "<!-- Written by `python -m ncclscope.docs` from the declarations; edit those instead. -->"
PANES = ("triage", "timeline")
_DERIVED = "Derived when a case is committed."
_READ = "Written by parcels, from sources."


def pages(pack: Pack) -> dict[str, str]:
    """Each page by its file name."""
    made = {"rules.md": _rules(pack), "parsers.md": _parsers(pack), "tables.md": _tables()}
    return {name: "\n".join([GENERATED, "", *lines]) + "\n" for name, lines in made.items()}


def _rules(pack: Pack) -> Iterator[str]:
    rules = sorted(pack.rules.values(), key=lambda rule: (rule.kind, rule.id))
    yield "# Rules"
    yield ""
    counted = f"{len(rules)} rules find {len({rule.kind for rule in rules})} kinds of faults."
    yield f"{counted} `ncclscope explain NAME` prints the same in a terminal."
    for kind, several in groupby(rules, key=lambda rule: vocabulary.family(rule.kind)):
        yield from ("", f"## {kind}", "", f"{escaped(vocabulary.KINDS[kind]).capitalize()}.")
        for rule in several:
            yield from _rule(rule)


def _rule(rule: Rule) -> Iterator[str]:
    page = explain.rule_page(rule)
    yield from ("", f"### {rule.id}", "", f"**{escaped(rule.title)}**")
    for section in page.sections:
        if section.verbatim:
            yield from ("", f"{section.heading}:", "", *fenced(section.paragraphs))
        else:
            first, *rest = section.paragraphs
            yield from ("", f"*{section.heading}.* {escaped(first)}")
            yield from (text for paragraph in rest for text in ("", escaped(paragraph)))


def _parsers(pack: Pack) -> Iterator[str]:
    kinds = explain.event_kinds(pack)
    yield "# Parsers"
    yield ""
    yield f"{len(pack.parsers)} parsers recognise {len(kinds)} kinds of events. Each kind is a view: `nccl.comm.init` is `nccl_comm_init`."
    yield ""
    yield "| parser | reads | fills |"
    yield "| --- | --- | --- |"
    for parser in pack.parsers.values():
        yield f"| [{parser.id}](#{parser.id}) | {escaped(parser.title)} | {', '.join(explain.tables_of(parser))} |"
    for parser in pack.parsers.values():
        yield from _parser(parser)


def _parser(parser: Parser) -> Iterator[str]:
    yield from ("", f"## {parser.id}", "", f"{escaped(parser.title)}. {len(parser.samples)} samples.")
    if parser.reference:
        yield from ("", f"*Described in* {escaped(parser.reference)}")
    kinds = explain.kinds_of(parser)
    if kinds:
        yield from ("", "| kind | fields |", "| --- | --- |")
    for kind, fields in kinds.items():
        yield f"| {kind} | {', '.join(fields)} |"


def _tables() -> Iterator[str]:
    yield "# Tables"
    yield ""
    yield (
        "A case is a directory of Parquet files with these tables. Times are UTC without a zone, ids are integers, and what is "
        'not known is NULL. Ask with `ncclscope sql CASE "SELECT ..."`, or run `views.sql` of the case in any DuckDB shell.'
    )
    for table in schema.TABLES:
        yield from ("", f"## {table.name}", "", f"{escaped(table.doc).capitalize()}. {_DERIVED if table.rows_from == 'case' else _READ}")
        yield from ("", "| column | type | unit | meaning |", "| --- | --- | --- | --- |")
        for column in table.columns:
            yield f"| {column.name} | {column.type} | {column.unit} | {escaped(column.doc)} |"
    yield from ("", "# Views that rules share", "", "| view | rows |", "| --- | --- |")
    for name, sql in views.shared().items():
        yield f"| {name} | {escaped(_comment(sql))} |"


def _comment(sql: str) -> str:
    """The comment that a view begins with."""
    lines = []
    for line in sql.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    return " ".join(lines)


def built(sample: str) -> report.Report:
    """The report of a sample case, from nothing."""
    with tempfile.TemporaryDirectory(prefix="ncclscope-docs-") as work:
        logs = samples.folder() / sample / "logs"
        directory = analyse.scan_case([str(logs)], analyse.Options(case=Path(work) / "case", workers=1))
        return report.build(open_case(directory, packs.load(), views.shared()))


def picture() -> str:
    """What `ncclscope demo` prints where there is no terminal, as a block of code."""
    return f"```text\n$ ncclscope demo\n{text.as_text(built(samples.HUNG))}```"


def expected(made: report.Report) -> str:
    """What is kept of a report beside its sample case: all but how much was read and checked, which every new rule changes."""
    return re.sub(r"\d+ checks", "all checks", text.as_text(made).partition("WHAT WAS READ")[0])


def panes(folder: Path) -> str:
    """The captured panes of the application that the README shows, as blocks of code."""
    shown = [(folder / "panes" / f"{name}.txt") for name in PANES]
    return "\n\n".join(f"```text\n{path.read_text('utf-8').rstrip()}\n```" for path in shown if path.is_file())


def between(readme: str, mark: str, shown: str) -> str:
    """The README with something between its two marks of a name."""
    return re.sub(rf"(<!-- {mark} -->\n).*(<!-- /{mark} -->)", lambda marks: f"{marks[1]}{shown}\n{marks[2]}", readme, flags=re.S)


def main(argv: list[str]) -> int:
    """Writes the pages to a directory; if none is given to that of the checkout, and the reports beside the sample cases."""
    folder = Path(argv[0]) if argv else packs.shipped() / "docs"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in pages(packs.load()).items():
        (folder / name).write_text(content, "utf-8")
    readme = folder.parent / "README.md"
    if readme.is_file():
        shown = between(readme.read_text("utf-8"), "demo", picture())
        readme.write_text(between(shown, "panes", panes(folder)), "utf-8")
    if not argv:
        for name in samples.names():
            (samples.folder() / name / samples.EXPECTED).write_text(expected(built(name)), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
