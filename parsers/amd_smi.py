"""Reads tables of rocm-smi and amd-smi: a heading and one row a GPU, lines `GPU[0] : name: value`, and CSV."""

import re
from typing import BinaryIO

from ncclscope.reading import Found, Taker, taken
from ncclscope.sources import Source

LONGEST_LINE = 4096
CONCISE = re.compile(r"^(?:GPU|Device)\s+.*(?:SCLK|AvgPwr)\b")
MONITOR = re.compile(r"^\s*GPU\s+(?:[A-Z_%]+\s*)*(?:POWER|GFX_CLK|GFX_CLOCK|GPU_T(?:EMP)?|HOTSPOT_TEMP)")
ROW = re.compile(r"^\s*(\d{1,2})\s+\S")
LINE = re.compile(r"^GPU\[(\d+)\]\s*: (?:[\w./:-]+ )??(.+?)\s*: *(\S.*)$")
NUMBER = r"(-?\d+(?:\.\d+)?)"
# What stands behind a number tells what it is: rows of the concise table have no fixed columns over its releases.
TEMPERATURE = re.compile(rf"{NUMBER} ?°?[cC](?![a-z])")
POWER = re.compile(rf"{NUMBER} ?W\b")
CLOCK = re.compile(rf"{NUMBER} ?M[hH]z")
PERCENT = re.compile(rf"{NUMBER} ?%")
# name of a column or of a line, lower case -> metric, unit
NAMES: tuple[tuple[str, str, str | None], ...] = (
    (r"junction|hotspot", "temperature.hotspot", "C"),
    (r"mem.*temp|temp.*(?:mem|hbm)|^mem_t$", "temperature.memory", "C"),
    (r"edge|^gpu_t(emp)?$|^temp", "temperature.gpu", "C"),
    (r"max.*power|pwrcap|power_?cap", "power.limit", "W"),
    (r"power|avgpwr|socket", "power.draw", "W"),
    (r"^sclk|^gfx_?cl", "clocks.current.sm", "MHz"),
    (r"^gpu use|^gpu%|^gfx(_util)?%?$|gfx_activity", "utilization.gpu", "%"),
)


def read(stream: BinaryIO, source: Source) -> Found:
    """Gauges of every GPU, as nvidia-smi's are called where they mean the same."""
    return taken(stream, Reader(), LONGEST_LINE)


def metric_of(name: str) -> tuple[str, str | None] | None:
    """Metric and unit of a column's or a line's name."""
    word = name.strip().lower()
    for pattern, metric, unit in NAMES:
        if re.search(pattern, word):
            return metric, unit
    return None


class Reader(Taker):
    """The heading at hand."""

    def __init__(self) -> None:
        super().__init__()
        self.heading = ""
        self.columns: list[str] = []

    def line(self, number: int, text: str) -> bool:
        """Takes a line; False if it is something else."""
        if found := LINE.match(text):
            return self._named(number, int(found[1]), found[2], found[3])
        if CONCISE.match(text):
            self.heading, self.columns = text, []
            return True
        if MONITOR.match(text):
            self.heading, self.columns = "monitor", text.split()
            return True
        if text.lower().startswith("gpu,"):
            self.heading, self.columns = "csv", [word.strip() for word in text.split(",")]
            return True
        if self.heading == "csv" and re.match(r"^\d+,", text):
            return self._csv(number, text)
        if self.heading and (found := ROW.match(text)):
            if self.heading == "monitor":
                return self._monitor(number, text)
            return self._concise(number, int(found[1]), text[found.end(1) :])
        return bool(re.match(r"^[= ]*(?:ROCm System Management|Concise (?:Hardware )?Info|End of ROCm|=+$)|^\s+\(", text))

    def _keep(self, number: int, gpu: int, metric: str, value: str, unit: str | None) -> None:
        self.rows.metric(number, metric, float(value), unit, gpu=gpu)

    def _named(self, number: int, gpu: int, name: str, value: str) -> bool:
        meant = metric_of(name)
        # `sclk clock level: 1: (1502Mhz)` has its number in brackets
        found = re.match(rf"^(?:\d+: )?\(?{NUMBER}(?:Mhz|W|c)?\)?$", value.strip(), re.IGNORECASE)
        if meant and found:
            self._keep(number, gpu, meant[0], found[1], meant[1])
        return True

    def _concise(self, number: int, gpu: int, text: str) -> bool:
        temperature = TEMPERATURE.search(text)
        power, clock, percent = POWER.findall(text), CLOCK.findall(text), PERCENT.findall(text)
        if not (temperature or power or clock):
            return False
        if temperature:
            name = "temperature.hotspot" if "unction" in self.heading or self.heading.startswith("Device") else "temperature.gpu"
            self._keep(number, gpu, name, temperature[1], "C")
        capped = "PwrCap" in self.heading
        if len(power) > capped:
            self._keep(number, gpu, "power.draw", power[0], "W")
        if capped and power and float(power[-1]) > 0:
            self._keep(number, gpu, "power.limit", power[-1], "W")
        if clock:
            self._keep(number, gpu, "clocks.current.sm", clock[0], "MHz")
        if percent and self.heading.rstrip().endswith("GPU%"):
            self._keep(number, gpu, "utilization.gpu", percent[-1], "%")
        return True

    def _monitor(self, number: int, text: str) -> bool:
        # units stand apart from their numbers
        words = [word for word in text.split() if not re.fullmatch(r"W|°?C|%|MHz|MB|GB|MB/s|Mb/s", word)]
        if len(words) != len(self.columns):
            return False
        return self._cells(number, words)

    def _csv(self, number: int, text: str) -> bool:
        words = [word.strip() for word in text.split(",")]
        return len(words) == len(self.columns) and self._cells(number, words)

    def _cells(self, number: int, words: list[str]) -> bool:
        if not words[0].isdigit():
            return False
        for name, word in zip(self.columns[1:], words[1:], strict=True):
            meant = metric_of(name)
            if meant and (found := re.match(rf"^{NUMBER}(?: ?(?:W|C|%|MHz))?$", word)):
                self._keep(number, int(words[0]), meant[0], found[1], meant[1])
        return True
