"""Prefixes of one text at a time, for the few lines that continue a record: the declarations of `prefixes` in Python's re."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ncclscope.prefixes import DEPTH, Prefixes

# Groups that tell one speaker from another; times, severities and source lines change from line to line.
SPEAKER_GROUPS = frozenset(
    {
        "rank",
        "host",
        "pid",
        "local_rank",
        "task",
        "label_host",
        "worker",
        "worker_pid",
        "worker_ip",
        "role",
        "pod",
        "program",
    }
)
MEMO_LINES = 50_000


@dataclass(frozen=True, slots=True)
class Peeler:
    """Takes the prefixes off one text. `bits` has the declarations that a literal calls for, one bit each."""

    prefixes: Prefixes
    bits: Mapping[str, int]
    always: int
    _known: dict[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, prefixes: Prefixes) -> "Peeler":
        """For the same declarations as the columns."""
        bits: dict[str, int] = {}
        for number, line in enumerate(prefixes.front):
            for literal in line.literals:
                bits[literal] = bits.get(literal, 0) | 1 << number
        return cls(prefixes, bits, sum(1 << number for number, line in enumerate(prefixes.front) if not line.literals))

    def peel(self, text: str) -> tuple[str, Mapping[str, str]]:
        """The message and who speaks: labels only, without times and severities."""
        # Interleaved records scan past the same lines again and again.
        if text not in self._known:
            if len(self._known) >= MEMO_LINES:
                self._known.clear()
            self._known[text] = self._peel(text)
        return self._known[text]

    def _peel(self, text: str) -> tuple[str, Mapping[str, str]]:
        said: dict[str, str] = {}
        wanted = self.always
        for literal, bits in self.bits.items():
            if literal in text:
                wanted |= bits
        lines = [line for number, line in enumerate(self.prefixes.front) if wanted >> number & 1]
        for _ in range(DEPTH):
            before = text
            for line in lines:
                if match := compiled(line.prefix).match(text):
                    said.update((k, v) for k, v in match.groupdict().items() if v and k in SPEAKER_GROUPS)
                    text = text[match.end() :]
            if text == before:
                break
        return text, said


def python_pattern(pattern: str) -> str:
    """A marked pattern as Python's `re` takes it."""
    return pattern.replace(r"(?-u:\b)", r"\b").replace(r"(?-u:\B)", r"\B").replace("(?P<_>)", "")


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """A declared pattern for Python's `re`, when it is first needed: all of them would take longer than a small case."""
    return re.compile(python_pattern(pattern))
