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
    """Texts grouped by the literals they hold: `held` and `rows` go together, rows in order."""

    texts: pl.Series
    held: tuple[frozenset[str], ...]
    rows: tuple[pl.Series, ...]

    @classmethod
    def of(cls, texts: pl.Series, literals: Sequence[str]) -> "Groups":
        """One pass over the texts finds all literals that are not common."""
        rare = [literal for literal in literals if len(literal) > COMMON_BYTES]
        if not rare or texts.is_empty():
            return cls(texts, (), ())
        keys = texts.str.extract_many(rare, overlapping=True).list.join(_JOIN).alias("key")
        grouped = keys.to_frame().with_row_index("row").group_by("key", maintain_order=True).agg("row")
        held = tuple(frozenset(key.split(_JOIN)) if key else frozenset() for key in grouped["key"].to_list())
        return cls(texts, held, tuple(grouped["row"]))

    @cached_property
    def everything(self) -> pl.Series:
        """All rows."""
        return pl.arange(0, len(self.texts), eager=True, dtype=pl.UInt32)

    @cached_property
    def _seen(self) -> frozenset[str]:
        return frozenset().union(*self.held)

    def having(self, literals: Sequence[str]) -> pl.Series | None:
        """Rows whose text holds any of the literals; None when there is none."""
        common = [literal for literal in literals if len(literal) <= COMMON_BYTES]
        if common:
            found = self.texts.str.contains_any(list(literals)).arg_true()
            return found if len(found) else None
        if self._seen.isdisjoint(literals):
            return None
        wanted = frozenset(literals)
        found = [rows for held, rows in zip(self.held, self.rows, strict=True) if not wanted.isdisjoint(held)]
        return found[0] if len(found) == 1 else pl.concat(found)
