"""What packs declare, as values: prefixes, events and samples of parsers, readers, rules and their tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class PackError(Exception):
    """A declaration that cannot be used; the message names file and reason."""


@dataclass(frozen=True, slots=True)
class Line:
    """A prefix: `front` form consumes the start of the text, `split` form stands left of a literal."""

    parser: str
    prefix: str
    groups: tuple[str, ...]
    literals: tuple[str, ...]
    split: str
    level: tuple[tuple[str, int], ...]
    other: str
    severity: Mapping[str, int]
    types: Mapping[str, str]
    wrapper: bool
    json: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Block:
    """How following lines join the record that one line begins."""

    more: str
    last: str
    tail: str
    max: int


@dataclass(frozen=True, slots=True)
class Event:
    """One pattern for messages, and what becomes of its groups."""

    parser: str
    kind: str
    literals: tuple[str, ...]
    pattern: str
    # Of what the pattern matches, this is not meant; "" for nothing. The dialect has no look-ahead.
    but: str
    groups: tuple[str, ...]
    types: Mapping[str, str]
    severity: int | None
    table: str
    constants: Mapping[str, str]
    coalesce: Mapping[str, tuple[str, ...]]
    wrap: bool
    block: Block | None

    @property
    def dense(self) -> bool:
        """Does it fill a table of its own, with a pattern that takes the whole message? Such are offered a message first."""
        whole = self.pattern.startswith("(?:^") and self.pattern.endswith("$)(?P<_>)")
        return self.table != "events" and whole and not self.block and not self.wrap


@dataclass(frozen=True, slots=True)
class Sample:
    """Text that proves a declaration, and what must come out."""

    text: str
    kind: str
    table: str
    rows: int | None
    fields: Mapping[str, Any]
    where: str


@dataclass(frozen=True, slots=True)
class Code:
    """The Python half of a reader: a file, or a folder with `__init__.py`. Its text is the path to load."""

    path: Path

    @classmethod
    def beside(cls, declaration: Path) -> "Code":
        """NAME.py or NAME/ beside NAME.toml. Raises ValueError where neither is there."""
        file, folder = declaration.with_suffix(".py"), declaration.with_suffix("") / "__init__.py"
        if not (file.is_file() or folder.is_file()):
            raise ValueError(f"reader needs {file.name} or {folder.parent.name}/{folder.name} beside it")
        return cls(folder if folder.is_file() else file)  # as import prefers

    def __str__(self) -> str:
        return str(self.path)

    def read_bytes(self) -> bytes:
        """All that it consists of: what is read anew must be known by it."""
        if self.path.name != "__init__.py":
            return self.path.read_bytes()
        files = (path for path in self.path.parent.rglob("*") if path.is_file() and path.parent.name != "__pycache__")
        return b"".join(path.read_bytes() for path in sorted(files))


@dataclass(frozen=True, slots=True)
class Reader:
    """A parser that takes whole sources: `module` defines read(stream, source)."""

    parser: str
    sniff: str
    name: str
    module: Code
    kinds: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Parser:
    """One TOML file."""

    id: str
    path: Path
    title: str
    reference: str
    lines: tuple[Line, ...] = ()
    events: tuple[Event, ...] = ()
    samples: tuple[Sample, ...] = ()
    reader: Reader | None = None


@dataclass(frozen=True, slots=True)
class RuleTest:
    """Log text and how many findings it must give; `expect` compares columns of the first finding."""

    fires: int
    logs: Mapping[str, str]
    expect: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """One SQL file: what is wrong, why it matters and what to do."""

    id: str
    path: Path
    title: str
    kind: str
    severity: str
    role: str
    confidence: str
    explains: tuple[str, ...]
    needs: tuple[str, ...]
    # Kinds of findings beside which this one says nothing new.
    unless: tuple[str, ...]
    explanation: str
    advice: str
    false_positives: str
    references: tuple[str, ...]
    sql: str
    tests: tuple[RuleTest, ...]


@dataclass(frozen=True, eq=False)
class Pack:
    """Parsers and rules, later packs having replaced those of the same id."""

    parsers: Mapping[str, Parser] = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)

    @property
    def lines(self) -> list[Line]:
        """All prefixes, in a fixed order."""
        return [line for parser in self.parsers.values() for line in parser.lines]

    @property
    def events(self) -> list[Event]:
        """All event patterns, in a fixed order."""
        return [event for parser in self.parsers.values() for event in parser.events]

    @property
    def readers(self) -> list[Reader]:
        """All readers, in a fixed order."""
        return [parser.reader for parser in self.parsers.values() if parser.reader]
