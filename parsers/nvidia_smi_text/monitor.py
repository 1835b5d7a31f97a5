"""`nvidia-smi dmon` and `pmon`: a heading that repeats, and rows of as many words."""

import re
from typing import Any

import polars as pl

from ncclscope import clock

from ..nvidia_smi.words import mode_of
from .names import MONITOR
from .out import Out

HEADING = re.compile(r"^#\s*(?:Date\s+)?(?:Time\s+)?gpu\s+\w")
UNDER_HEADING = re.compile(r"^#\s*(?:YYYYMMDD|HH:MM:SS|Idx)\b")
ROW = re.compile(r"^\s*(?:\d{8}\s+)?(?:\d\d:\d\d:\d\d\s+)?\d{1,3}(?:\s+(?:[0-9.]+|-|C|G|C\+G|M\+C))+(?:\s+\S.*)?$")


class Monitor:
    """The columns of the heading at hand and the rows below it."""

    def __init__(self, out: Out) -> None:
        self.out = out
        self.names: list[str] = []
        self.numbers: list[int] = []
        self.texts: list[str] = []
        self.seen: set[tuple[Any, ...]] = set()

    def begins(self, text: str) -> bool:
        """Is it the heading, or a row after something else?"""
        if not text.startswith("#"):
            return bool(self.names and ROW.match(text)) and self._fits(text)
        return HEADING.match(text) is not None

    def line(self, number: int, text: str) -> bool:
        """Takes a heading or a row; False if it is something else."""
        if text.startswith("#"):
            if self.begins(text):
                names = text.lstrip("#").split()
                if len(set(names)) < len(names):
                    return False
                if names != self.names:
                    self.close()
                    self.names = names
                return True
            return UNDER_HEADING.match(text) is not None
        if not self.names or not (text[0].isdigit() or text[0] == " ") or not ROW.match(text):
            return False
        if self._fits(text):
            self.numbers.append(number)
            self.texts.append(text)
        else:
            self.out.damaged.append(number)
        return True

    def _fits(self, text: str) -> bool:
        return len(text.split(None, len(self.names) - 1)) == len(self.names)

    def close(self) -> None:
        """Turns the rows so far into metrics, column by column."""
        if not self.numbers:
            return
        last = len(self.names) - 1
        words = pl.Series(self.texts).str.strip_chars().str.replace_all(r"\s+", " ").str.splitn(" ", last + 1)
        frame = words.struct.unnest()
        frame.columns = self.names
        lines = pl.DataFrame({"line": self.numbers, "gpu": frame["gpu"].cast(pl.Int32, strict=False)}, schema_overrides={"line": pl.UInt64})
        lines = lines.with_columns(self._times(frame))
        if "pid" in self.names:
            lines = lines.with_columns(pid=frame["pid"].cast(pl.Int32, strict=False))
            self._processes(lines, frame)
        for name in self.names:
            if name not in MONITOR or ("pid" in self.names and name in ("pwr", "temp")):
                continue
            metric, unit = MONITOR[name]
            metric = f"process.{metric}" if "pid" in self.names else metric
            values = lines.with_columns(
                pl.lit(None, pl.String).alias("device"),
                pl.lit(metric).alias("name"),
                frame[name].cast(pl.Float64, strict=False).alias("value"),
                pl.lit(unit or None, pl.String).alias("unit"),
                pl.lit(mode_of(metric)).alias("mode"),
            ).filter(pl.col("value").is_not_null() & pl.col("value").is_finite())
            if values.height:
                self.out.frames.append(("metrics", values))
        self.numbers, self.texts = [], []

    def _times(self, frame: pl.DataFrame) -> list[pl.Series]:
        if not {"Date", "Time"} <= set(frame.columns):
            return []  # a time of day alone is no time
        day = frame["Date"]
        text = day.str.slice(0, 4) + "-" + day.str.slice(4, 2) + "-" + day.str.slice(6, 2) + " " + frame["Time"]
        found = clock.read_times(text)
        return [found["ts"], found["clock"].alias("ts_clock")]

    def _processes(self, lines: pl.DataFrame, frame: pl.DataFrame) -> None:
        name = self.names[-1]
        rows = lines.with_columns(frame[name].alias("command")).filter(pl.col("pid").is_not_null())
        for row in rows.unique(["gpu", "pid", "command"], keep="first", maintain_order=True).iter_rows(named=True):
            key = (row["gpu"], row["pid"], row["command"])
            if key not in self.seen:
                self.seen.add(key)
                more = {name: row.get(name) for name in ("ts", "ts_clock", "gpu", "pid")}
                said = f"process {row['pid']} {row['command']}"
                self.out.event(row["line"], "gpu.process", 1, said, {"name": row["command"]}, **more)
