"""What the declarations say of themselves, as pages: a rule, a kind of finding, a kind of event, a parser."""

import difflib
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ncclscope import schema, vocabulary
from ncclscope.packs import Event, Pack, Parser, Rule

EXAMPLE_LINES = 8


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its paragraphs; or lines that stay as they are."""

    heading: str
    paragraphs: tuple[str, ...]
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What there is to say about one name."""

    name: str
    title: str
    sections: tuple[Section, ...]


def pages(name: str, pack: Pack) -> list[Page]:
    """Everything known under a name; a kind comes with the rules that find it. Empty when nothing is."""
    found = [rule_page(pack.rules[name])] if name in pack.rules else []
    found += [parser_page(pack.parsers[name])] if name in pack.parsers else []
    if any(vocabulary.matches(name, kind) for kind in _finding_kinds(pack)):
        found.append(kind_page(name, pack))
    if name in event_kinds(pack):
        found.append(event_page(name, pack))
    return found


def near(name: str, pack: Pack) -> list[str]:
    """Names that may have been meant."""
    known = [*pack.rules, *pack.parsers, *_finding_kinds(pack), *event_kinds(pack)]
    inside = [one for one in known if name.lower() in one.lower()]
    return list(dict.fromkeys([*inside, *difflib.get_close_matches(name, known, 5)]))[:8]


def rule_page(rule: Rule) -> Page:
    """A rule in prose."""
    meaning = vocabulary.KINDS.get(vocabulary.family(rule.kind), "")
    facts = f"{rule.kind} ({meaning}). {rule.severity.capitalize()} {rule.role}, {rule.confidence}."
    sections = [
        Section("Kind", (facts,)),
        Section("What it means", paragraphs(rule.explanation)),
        Section("What to do", tuple(line.strip() for line in rule.advice.splitlines() if line.strip())),
        Section("When it is wrong", paragraphs(rule.false_positives)),
        Section("It explains", _listed(rule.explains)),
        Section("It needs lines of", _listed(rule.needs)),
        Section("References", rule.references),
        Section("Lines that make it fire", tuple(_example(rule)), verbatim=True),
    ]
    return Page(rule.id, rule.title, tuple(section for section in sections if section.paragraphs))


def _example(rule: Rule) -> Iterator[str]:
    """The first lines of the first test that fires."""
    for test in rule.tests:
        if test.fires:
            for name, content in test.logs.items():
                lines = content.strip("\n").splitlines()
                yield f"{name}:"
                yield from lines[:EXAMPLE_LINES]
                if len(lines) > EXAMPLE_LINES:
                    yield "..."
            return


def kind_page(kind: str, pack: Pack) -> Page:
    """A kind of finding, or all below a word of it, and which rules find it."""
    meant = {one: text for one, text in vocabulary.KINDS.items() if vocabulary.matches(kind, one)}
    title = meant.get(kind) or vocabulary.KINDS.get(vocabulary.family(kind)) or "kinds of findings"
    found = [rule for rule in pack.rules.values() if vocabulary.matches(kind, rule.kind)]
    sections = [
        Section("Kinds", tuple(f"{one}: {text}" for one, text in meant.items() if one != kind)),
        Section("What it may lead to", (_limit(kind),) if kind in vocabulary.KINDS else ()),
        Section("Rules", tuple(f"{rule.id}: {rule.title}" for rule in found) or ("none yet",)),
    ]
    return Page(kind, title, tuple(section for section in sections if section.paragraphs))


def _limit(kind: str) -> str:
    if kind in vocabulary.SUSPECT_ONLY:
        return "At most a suspicion: it tells where, not why."
    if kind in vocabulary.BY_REQUEST:
        return "A job that ended by request: nothing failed."
    return "A cause, where the evidence is sure enough."


def event_page(kind: str, pack: Pack) -> Page:
    """A kind of event: where it is declared, its fields, and a line of it."""
    view = kind.replace(".", "_")
    parsers = [parser for parser in pack.parsers.values() if kind in kinds_of(parser)]
    fields = dict.fromkeys(name for parser in parsers for name in kinds_of(parser)[kind])
    samples = [sample.text.strip("\n") for parser in parsers for sample in parser.samples if sample.kind == kind]
    sections = [
        Section("Read by", tuple(f"{parser.id}: {parser.title}" for parser in parsers)),
        Section("Fields", _listed(fields)),
        Section("Ask for it", (f'ncclscope sql CASE "SELECT * FROM {view}"',), verbatim=True),
        Section("A sample", tuple(samples[0].splitlines()[:EXAMPLE_LINES]) if samples else (), verbatim=True),
    ]
    return Page(kind, "a kind of event", tuple(section for section in sections if section.paragraphs))


def parser_page(parser: Parser) -> Page:
    """A parser: what it reads and what becomes of it."""
    kinds = kinds_of(parser)
    sections = [
        Section("Described in", (parser.reference,) if parser.reference else ()),
        Section("Fills", _listed(tables_of(parser))),
        Section("Kinds of events", tuple(f"{kind}: {', '.join(fields) or 'no fields'}" for kind, fields in kinds.items())),
        Section("Samples", (f"{len(parser.samples)}",)),
    ]
    return Page(parser.id, parser.title, tuple(section for section in sections if section.paragraphs))


def tables_of(parser: Parser) -> list[str]:
    """The tables that a parser fills."""
    names = {event.table for event in parser.events} | {line.other and "events" for line in parser.lines}
    names |= {sample.table for sample in parser.samples if sample.table in schema.BY_NAME}
    names |= {"events"} if parser.reader and parser.reader.kinds else set()
    return sorted(names - {""})


def event_kinds(pack: Pack) -> list[str]:
    """Every declared kind of event."""
    return sorted({kind for parser in pack.parsers.values() for kind in kinds_of(parser)})


def kinds_of(parser: Parser) -> dict[str, list[str]]:
    """The kinds of events that a parser declares, with their fields."""
    kinds: dict[str, list[str]] = {}
    for event in parser.events:
        if event.table == "events":
            known = kinds.setdefault(event.kind, [])
            known += [name for name in _fields(event) if name not in known]
    for kind, fields in (parser.reader.kinds if parser.reader else {}).items():
        kinds.setdefault(kind, []).extend(fields)
    for line in parser.lines:
        if line.other:
            kinds.setdefault(line.other, [])
    return dict(sorted(kinds.items()))


def _fields(event: Event) -> list[str]:
    merged = {name for names in event.coalesce.values() for name in names}
    return [name for name in (*event.groups, *event.constants, *event.coalesce) if name not in merged and name != "_"]


def _finding_kinds(pack: Pack) -> list[str]:
    return sorted({*vocabulary.KINDS, *(rule.kind for rule in pack.rules.values())})


def paragraphs(text: str) -> tuple[str, ...]:
    """Prose as paragraphs on one line each."""
    return tuple(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


def _listed(values: Iterable[str] | Mapping[str, object]) -> tuple[str, ...]:
    joined = ", ".join(values)
    return (joined,) if joined else ()


def as_text(page: Page, width: int = 80) -> str:
    """A page for a terminal."""
    lines = textwrap.wrap(f"{page.name}: {page.title}", width, break_on_hyphens=False)
    for section in page.sections:
        lines += ["", section.heading]
        for paragraph in section.paragraphs:
            if section.verbatim:
                lines.append(f"  {paragraph}")
            else:
                lines += textwrap.wrap(paragraph, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"
