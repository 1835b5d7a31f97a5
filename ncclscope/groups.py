"""Which declared literals stand in which texts, so that a pattern meets only the texts that can match it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

# A literal of at most so many bytes stands in most lines, some several times: it is looked for when somebody asks.
COMMON_BYTES = 3
_JOIN = "\x1f"


@dataclass(frozen=True)
class Groups:
    """Texts grouped by the literals they hold: `held` and `rows` go together. Rows are those of `at`."""

    texts: pl.Series
    at: pl.Series
    common: tuple[str, ...]
    held: tuple[frozenset[str], ...]
    rows: tuple[pl.Series, ...]

    @classmethod
    def of(cls, texts: pl.Series, at: pl.Series, literals: Sequence[str]) -> "Groups":
        """One pass over the texts finds all literals that are not common; `at` has a row number for each text."""
        rare = [literal for literal in literals if len(literal) > COMMON_BYTES]
        common = tuple(literal for literal in literals if len(literal) <= COMMON_BYTES)
        if not rare or texts.is_empty():
            return cls(texts, at, common, (), ())
        keys = texts.str.extract_many(rare, overlapping=True).list.join(_JOIN)
        grouped = pl.DataFrame({"key": keys, "row": at}).group_by("key", maintain_order=True).agg("row")
        held = tuple(frozenset(key.split(_JOIN)) if key else frozenset() for key in grouped["key"].to_list())
        return cls(texts, at, common, held, tuple(grouped["row"]))

    @cached_property
    def seen(self) -> frozenset[str]:
        """All literals that stand in some text; the common ones may."""
        return frozenset(self.common).union(*self.held)

    def having(self, literals: Sequence[str]) -> pl.Series | None:
        """Rows whose text holds any of the literals; None when there is none."""
        if any(len(literal) <= COMMON_BYTES for literal in literals):
            found = self.at.filter(self.texts.str.contains_any(list(literals)))
            return found if len(found) else None
        found = [rows for held, rows in zip(self.held, self.rows, strict=True) if not held.isdisjoint(literals)]
        return pl.concat(found) if found else None
