"""Joins the physical lines of one record: tracebacks, tables, and what a terminal's width has broken."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ncclscope.packs import Event
from ncclscope.peeler import Peeler, compiled

# Lines of other speakers that may stand between two lines of one record (ranks interleaved in one file).
MAX_BETWEEN = 400
# A terminal breaks a line into few pieces.
MAX_WRAPPED = 3

LineAt = Callable[[int], str | None]


@dataclass(frozen=True, slots=True)
class Record:
    """Text of a record, its lines joined by newlines, and the indexes of those lines."""

    text: str
    lines: tuple[int, ...]


def assemble(event: Event, start: int, first: str, line_at: LineAt, peeler: Peeler) -> Record:
    """The record that the message `first` of line `start` begins; `line_at` gives raw text or None past the end."""
    assert event.block is not None
    more, last, tail = (compiled(p) if p else None for p in _patterns(event))
    _, speaker = peeler.peel(line_at(start) or "")
    texts, lines = [first], [start]
    stage = "more"
    between = 0
    for index in range(start + 1, start + 1 + event.block.max + MAX_BETWEEN):
        raw = line_at(index)
        if raw is None or len(texts) > event.block.max:
            break
        message, who = peeler.peel(raw)
        if who != speaker:
            between += 1
            if not speaker or between > MAX_BETWEEN:
                break
            continue
        if stage == "more" and more is not None and more.search(message):
            pass
        elif stage == "more" and last is not None:
            if not last.search(message):
                break
            stage = "tail"
        elif tail is not None and tail.search(message):
            stage = "tail"
        else:
            break
        texts.append(message)
        lines.append(index)
    return Record("\n".join(texts), tuple(lines))


def _patterns(event: Event) -> Sequence[str]:
    assert event.block is not None
    return event.block.more, event.block.last, event.block.tail


def unglue(text: str, marks: Mapping[str, str]) -> str:
    """The text with a newline before each further prefix; `marks` gives the prefix pattern for each split literal."""
    cuts: list[int] = []
    begin = 0
    for at, literal in sorted((at, mark) for mark in marks for at in _all(mark, text)):
        # A bare literal is a quotation: a prefix names someone.
        if begin and (match := compiled(marks[literal]).search(text[begin:at])) and any(match.groups()):
            cut = begin + match.start()
            cuts += [cut] if text[cut - 1] != "\n" else []
        begin = at + len(literal)
    pieces, last = [], 0
    for cut in cuts:
        pieces.append(text[last:cut])
        last = cut
    return "\n".join([*pieces, text[last:]])


def _all(literal: str, text: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def rejoin(start: int, first: str, line_at: LineAt, peeler: Peeler) -> Iterator[Record]:
    """The message with the next one to three lines, joined as a hard wrap breaks them: in a word, or at a blank."""
    text, spaced, lines = first, first, [start]
    begun = line_at(start) or ""
    _, speaker = peeler.peel(begun)
    for index in range(start + 1, start + 1 + MAX_WRAPPED):
        raw = line_at(index)
        if raw is None:
            return
        message, who = peeler.peel(raw)
        # What a launcher puts before every line stands before the continuation too; the program's own label does not, and
        # may have said another host, or another rank, than the launcher's.
        around = raw.removesuffix(message)
        if not who.items() <= speaker.items() and not (around and begun.startswith(around)):
            return
        text, spaced = text + message.rstrip(), f"{spaced.rstrip()} {message.strip()}"
        lines.append(index)
        yield Record(text, tuple(lines))
        yield Record(spaced, tuple(lines))
