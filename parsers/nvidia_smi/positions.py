"""The index of a GPU from where its row stands in a poll, for files without any column that names a GPU."""

from collections.abc import Sequence

import polars as pl

from .cells import Cells

SAMPLE_ROWS = 2000


class Positions:
    """Guesses the index of GPUs from where rows stand in a poll, for files without any column that names a GPU."""

    def __init__(self) -> None:
        self.how = ""
        self.decided = False
        self.gap_us = 0
        self.period = 0
        self.last_ts: int | None = None
        self.last_line = 0
        self.last = -1

    def of(self, cells: Cells, numbers: pl.Series) -> pl.Series | None:
        """Index of each row, or None where nothing repeats."""
        if not self.decided:
            self.decided = True
            if cells.ts is not None:
                self.gap_us = poll_gap(cells.ts.head(SAMPLE_ROWS))
                self.how = "time"
            else:
                self.period = poll_length([v.head(SAMPLE_ROWS) for v in cells.values.values()])
                self.how = "repetition"
        if cells.ts is not None and self.gap_us:
            return self._by_time(cells.ts)
        return self._by_count(numbers) if self.period else None

    def _by_time(self, ts: pl.Series) -> pl.Series:
        us = ts.dt.epoch("us")
        steps = us.diff()
        steps[0] = us[0] - self.last_ts if self.last_ts is not None else self.gap_us + 1
        starts = steps > self.gap_us
        at = self._since(starts)
        self.last_ts, self.last = us[-1], at[-1]
        return at

    def _by_count(self, numbers: pl.Series) -> pl.Series:
        # Another line between two rows is where nvidia-smi was started again or failed: a new poll begins.
        starts = numbers.cast(pl.Int64).diff() != 1
        starts[0] = numbers[0] != self.last_line + 1
        at = self._since(starts) % self.period
        self.last_line, self.last = numbers[-1], at[-1]
        return at

    def _since(self, starts: pl.Series) -> pl.Series:
        """How many rows stand between each row and the last start."""
        rows = pl.arange(0, len(starts), eager=True, dtype=pl.Int32)
        begin = pl.select(pl.when(starts).then(rows)).to_series().forward_fill().fill_null(-1 - self.last)
        return (rows - begin).cast(pl.Int32)


def poll_gap(ts: pl.Series) -> int:
    """Microseconds that separate polls from the rows inside one, or 0 where polls cannot be told apart."""
    steps = ts.dt.epoch("us").diff().drop_nulls()
    if len(steps) < 3:
        return 0
    low, high = steps.quantile(0.05) or 0, steps.quantile(0.97) or 0
    gap = int((low + high) / 2)
    if high < 1000 or high < 5 * low:
        return 0
    runs = (steps > gap).rle().struct.unnest()
    lengths = runs.filter(~pl.col("value"))["len"].slice(1)
    return gap if len(lengths) == 0 or lengths.head(len(lengths) - 1).n_unique() <= 1 else 0


def poll_length(columns: Sequence[pl.Series]) -> int:
    """Rows of a poll: the shortest lag at which the values resemble themselves much more than at others; 0 if none."""
    columns = [c.drop_nulls() for c in columns if c.null_count() == 0 and c.n_unique() > 1]
    lags = range(1, min(17, len(columns[0]) // 3 + 1)) if columns else range(0)
    if len(lags) < 2:
        return 0
    scores = dict.fromkeys(lags, 0.0)
    for column in columns:
        apart = {lag: ((column - column.shift(lag)) ** 2).mean() or 0.0 for lag in lags}
        usual = sorted(apart.values())[len(apart) // 2] or max(apart.values())
        for lag, value in apart.items():
            scores[lag] += value / usual / len(columns) if usual else 1.0 / len(columns)
    for length in lags[1:]:
        others = [score for lag, score in scores.items() if lag % length]
        if scores[length] < 0.5 * min(others):
            return length
    return 0
