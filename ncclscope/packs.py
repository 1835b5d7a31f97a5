"""Finds packs and loads what they declare: parsers (TOML) and rules (SQL with a TOML comment)."""

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import tomli

from ncclscope import dialect, schema, vocabulary
from ncclscope.declarations import Block, Code, Event, Line, Pack, PackError, Parser, Reader, Rule, RuleTest, Sample

__all__ = [
    "Block",
    "Code",
    "Event",
    "Line",
    "Pack",
    "PackError",
    "Parser",
    "Reader",
    "Root",
    "Rule",
    "RuleTest",
    "Sample",
    "load",
    "load_parser",
    "load_rule",
    "parsers_digest",
    "replaced",
    "roots",
    "severity",
    "shipped",
]


def shipped() -> Path:
    """The pack that ships: beside the module in a wheel, one level up in a checkout."""
    here = Path(__file__).resolve().parent
    return here if (here / "parsers").is_dir() else here.parent


@dataclass(frozen=True, slots=True)
class Root:
    """One pack on disk: the directory a person would name, and its two folders."""

    path: Path
    parsers: Path
    rules: Path

    @classmethod
    def of(cls, named: str | Path) -> "Root":
        """A directory, or half of one: `parsers:DIR` and `rules:DIR` name a pack or the folder itself."""
        half, colon, rest = str(named).partition(":")
        if not colon or half not in HALVES:
            path = Path(named)
            return cls(path, path / "parsers", path / "rules")
        path, nothing = Path(rest), Path(rest) / "-"
        folder = path / half if (path / half).is_dir() else path
        return cls(path, *(folder if half == name else nothing for name in HALVES))

    def parser_files(self) -> list[Path]:
        """Its parser declarations, in order."""
        return sorted(self.parsers.glob("*.toml"))

    def rule_files(self) -> list[Path]:
        """Its rules, in order of their folders."""
        return sorted(self.rules.rglob("*.sql"))


HALVES = ("parsers", "rules")


def roots(extra: Sequence[str | Path] = ()) -> list[Root]:
    """The shipped pack, installed packs by name, then those given. Raises PackError when one does not exist."""
    found: list[str | Path] = [shipped()]
    for point in sorted(metadata.entry_points(group="ncclscope.packs"), key=lambda p: p.name):
        module = point.load()
        found.append(Path(module.__path__[0]))
    given = [Root.of(named) for named in extra]
    for root in given:
        if not root.path.is_dir():
            raise PackError(f"{root.path}: no such pack directory")
        if not (root.parser_files() or root.rule_files()):
            raise PackError(f"{root.path}: no pack: it holds neither parsers/*.toml nor rules/**/*.sql")
    return [Root.of(named) for named in found] + given


def load(extra: Sequence[str | Path] = (), *, parsers: bool = True, rules: bool = True) -> Pack:
    """All packs as one. Raises PackError with file and reason."""
    all_parsers: dict[str, Parser] = {}
    all_rules: dict[str, Rule] = {}
    for root in roots(extra):
        if parsers:
            all_parsers |= {path.stem: _once(load_parser, path) for path in root.parser_files()}
        if rules:
            all_rules |= {path.stem: _once(load_rule, path) for path in root.rule_files()}
    return Pack(all_parsers, all_rules)


def parsers_digest(extra: Sequence[str | Path] = ()) -> str:
    """Changes whenever what parsers make of a line could; needs no pack to be loaded."""
    digest = hashlib.sha256(str(schema.SCHEMA_VERSION).encode())
    for root in roots(extra):
        for path in root.parser_files():
            digest.update(path.read_bytes())
            with contextlib.suppress(ValueError):
                digest.update(Code.beside(path).read_bytes())
    return digest.hexdigest()


T = TypeVar("T")
_LOADED: dict[tuple[object, ...], Any] = {}


def _once(load_one: Callable[[Path], T], path: Path) -> T:
    """What a file declares, read again only when the file has changed: a command asks for its pack several times."""
    state = path.stat()
    key = (load_one, path, state.st_mtime_ns, state.st_size)
    if key not in _LOADED:
        _LOADED[key] = load_one(path)
    loaded: T = _LOADED[key]
    return loaded


def replaced(extra: Sequence[str | Path] = ()) -> list[tuple[str, Path, Path]]:
    """Each id that a later pack declares again: the id, the file it had, and the file it has now."""
    known: dict[tuple[str, str], Path] = {}
    out: list[tuple[str, Path, Path]] = []
    for root in roots(extra):
        for path in (*root.parser_files(), *root.rule_files()):
            key = (path.suffix, path.stem)
            if key in known:
                out.append((path.stem, known[key], path))
            known[key] = path
    return out


def load_parser(path: Path) -> Parser:
    """One parser declaration. Raises PackError."""
    try:
        data = tomli.loads(path.read_text("utf-8"))
        return _parser(path, data)
    except (tomli.TOMLDecodeError, dialect.DialectError, KeyError, TypeError, ValueError) as error:
        detail = f"missing {error}" if isinstance(error, KeyError) else str(error)
        raise PackError(f"{path}: {detail}") from error


def _parser(path: Path, data: Mapping[str, Any]) -> Parser:
    _only(data, {"title", "reference", "line", "event", "sample", "reader"}, "parser")
    parser = path.stem
    reader = None
    if "reader" in data:
        row = data["reader"]
        _only(row, {"sniff", "name", "kinds"}, "reader")
        reader = Reader(parser, row["sniff"], row.get("name", ""), Code.beside(path), row.get("kinds", {}))
    return Parser(
        id=parser,
        path=path,
        title=data["title"],
        reference=data.get("reference", ""),
        lines=tuple(_line(parser, row) for row in data.get("line", ())),
        events=tuple(_event(parser, row) for row in data.get("event", ())),
        samples=tuple(_sample(path, n, row) for n, row in enumerate(data.get("sample", ()), 1)),
        reader=reader,
    )


_LINE_KEYS = {"prefix", "literal", "always", "split", "level", "other", "severity", "types", "wrapper", "json", "name"}


def _line(parser: str, row: Mapping[str, Any]) -> Line:
    _only(row, _LINE_KEYS, "line")
    prefix = row.get("prefix", "")
    split = row.get("split", "")
    if not (split or row.get("literal") or row.get("always")):
        raise ValueError(f"line {prefix!r}: needs a literal, or always = true")
    return Line(
        parser=parser,
        prefix=dialect.marked(prefix) if prefix else "",
        groups=tuple(dialect.groups(prefix)),
        literals=_texts(row.get("literal", ())),
        split=split,
        level=tuple((text, severity(word)) for text, word in row.get("level", {}).items()),
        other=row.get("other", ""),
        severity={key: severity(word) for key, word in row.get("severity", {}).items()},
        types=row.get("types", {}),
        wrapper=row.get("wrapper", False),
        json=row.get("json", {}),
    )


_EVENT_KEYS = {"kind", "literal", "pattern", "but", "types", "severity", "table", "set", "coalesce", "wrap", "block"}


def _event(parser: str, row: Mapping[str, Any]) -> Event:
    _only(row, _EVENT_KEYS, "event")
    kind = row["kind"]
    literals = _texts(row["literal"])
    if not literals or not all(literals):
        raise ValueError(f"event {kind}: an empty literal would match every line")
    table = row.get("table", "events")
    if table not in schema.BY_NAME:
        raise ValueError(f"event {kind}: no table {table!r}")
    try:
        pattern = dialect.marked(row["pattern"])
        names = dialect.groups(row["pattern"])
        but = dialect.ascii_pattern(row.get("but", ""))
    except dialect.DialectError as error:
        raise ValueError(f"event {kind}: {error}") from error
    block = row.get("block")
    return Event(
        parser=parser,
        kind=kind,
        literals=literals,
        pattern=pattern,
        but=but,
        groups=tuple(names),
        types=row.get("types", {}),
        severity=severity(row["severity"]) if "severity" in row else None,
        table=table,
        constants={key: str(value) for key, value in row.get("set", {}).items()},
        coalesce={key: tuple(value) for key, value in row.get("coalesce", {}).items()},
        wrap=row.get("wrap", False),
        block=_block(block) if block else None,
    )


def _block(row: Mapping[str, Any]) -> Block:
    _only(row, {"more", "last", "tail", "max"}, "block")
    more, last, tail = (dialect.ascii_pattern(row.get(key, "")) for key in ("more", "last", "tail"))
    return Block(more, last, tail, max=row.get("max", 500))


def _sample(path: Path, number: int, row: Mapping[str, Any]) -> Sample:
    _only(row, {"line", "lines", "kind", "table", "rows", "fields", "name"}, "sample")
    return Sample(
        text=row["line"] if "line" in row else row["lines"],
        kind=row.get("kind", ""),
        table=row.get("table", ""),
        rows=row.get("rows"),
        fields=row.get("fields", {}),
        where=f"{path.name}: sample {number}",
    )


def load_rule(path: Path) -> Rule:
    """One rule: a SQL file that begins with a TOML comment. Raises PackError."""
    text = path.read_text("utf-8")
    begin, end = text.find("/*"), text.find("*/")
    if begin != 0 or end < 0:
        raise PackError(f"{path}: a rule begins with /* TOML */")
    try:
        return _rule(path, tomli.loads(text[2:end]), text[end + 2 :].strip().rstrip(";"))
    except (tomli.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        detail = f"missing {error}" if isinstance(error, KeyError) else str(error)
        raise PackError(f"{path}: {detail}") from error


_RULE_KEYS = {
    *("title", "kind", "severity", "role", "confidence", "explains", "needs", "explanation"),
    *("advice", "false_positives", "references", "test", "unless"),
}


def _rule(path: Path, data: Mapping[str, Any], sql: str) -> Rule:
    _only(data, _RULE_KEYS, "rule")
    vocabulary.check(data["kind"], data["severity"], data["role"], data.get("confidence", "likely"))
    return Rule(
        id=path.stem,
        path=path,
        title=data["title"],
        kind=data["kind"],
        severity=data["severity"],
        role=data["role"],
        confidence=data.get("confidence", "likely"),
        explains=tuple(data.get("explains", ())),
        needs=tuple(data.get("needs", ())),
        unless=tuple(data.get("unless", ())),
        explanation=data["explanation"].strip(),
        advice=data["advice"].strip(),
        false_positives=data.get("false_positives", "").strip(),
        references=tuple(data.get("references", ())),
        sql=sql,
        tests=tuple(RuleTest(row["fires"], row.get("logs", {}), row.get("expect", {})) for row in data.get("test", ())),
    )


def severity(word: str) -> int:
    """0 to 4 for debug, info, warning, error, fatal. Raises ValueError."""
    if word not in schema.SEVERITIES:
        raise ValueError(f"no severity {word!r}; one of {', '.join(schema.SEVERITIES)}")
    return schema.SEVERITIES.index(word)


def _texts(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _only(row: Mapping[str, Any], allowed: set[str], what: str) -> None:
    extra = sorted(set(row) - allowed)
    if extra:
        raise ValueError(f"{what}: unknown key {extra[0]!r}; allowed: {', '.join(sorted(allowed))}")
