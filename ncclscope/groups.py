"""Which declared literals stand in which texts, so that a pattern meets only the texts that can match it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

_JOIN = "\x1f"


@dataclass(frozen=True)
class Groups:
    """Texts grouped by the literals they hold: `held` and `rows` go together. Rows are those of `at`."""

    texts: pl.Series
    at: pl.Series
    short: int
    held: tuple[frozenset[str], ...] = ()
    rows: tuple[pl.Series, ...] = ()
    _common: dict[str, pl.Series] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: pl.Series, at: pl.Series, literals: Sequence[str], short: int = 0) -> "Groups":
        """One pass over the texts finds all literals; `at` has a row number for each text.

        Literals of at most `short` characters stand in most texts, some several times: they are looked for when somebody
        asks.
        """
        rare = [literal for literal in literals if len(literal) > short]
        if not rare or texts.is_empty():
            return cls(texts, at, short)
        keys = texts.str.extract_many(rare, overlapping=True).list.join(_JOIN)
        grouped = pl.DataFrame({"key": keys, "row": at}).group_by("key", maintain_order=True).agg("row")
        held = tuple(frozenset(key.split(_JOIN)) if key else frozenset() for key in grouped["key"].to_list())
        return cls(texts, at, short, held, tuple(grouped["row"]))

    @cached_property
    def seen(self) -> frozenset[str]:
        """All literals that stand in some text, but for the short ones."""
        return frozenset().union(*self.held)

    def having(self, literals: Sequence[str]) -> pl.Series:
        """Rows whose text holds any of the literals, each once."""
        found = [rows for held, rows in zip(self.held, self.rows, strict=True) if not held.isdisjoint(literals)]
        found += [self._having(literal) for literal in literals if len(literal) <= self.short]
        if len(found) < 2:
            return found[0] if found else self.at.clear()
        return pl.concat(found).unique() if self.short else pl.concat(found)

    def _having(self, literal: str) -> pl.Series:
        if literal not in self._common:
            self._common[literal] = self.at.filter(self.texts.str.contains(literal, literal=True))
        return self._common[literal]
