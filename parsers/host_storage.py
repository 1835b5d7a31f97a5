"""Reads how disks and NFS mounts of a host answer: iostat -x and nfsiostat."""

import re
from typing import BinaryIO

from ncclscope.reading import Found, Taker, Time, taken, when
from ncclscope.sources import Source

LONGEST_LINE = 4096
HEAD = re.compile(r"^Linux \S+ \(([\w.-]+)\)\s+\S+\s")
CLOCK = re.compile(r"^(\d\d)/(\d\d)/(\d{2,4}) (\d\d:\d\d:\d\d(?: [AP]M)?)$")
COLUMNS = re.compile(r"^Device:?\s+(\S.*%util)$")
DISK = re.compile(r"^([A-Za-z][\w.-]*)((?:\s+\d+[.,]\d+)+)$")
MOUNT = re.compile(r"^(\S+:/\S*) mounted on (/\S*):$")
OPERATION = re.compile(r"^(read|write):\s+(ops/s\s.*)$")
NUMBERS = re.compile(r"^\s+[\d.]+(?:\s+(?:[\d.]+|\([\d.]+%\)))+$")
OTHER = re.compile(r"^(?:avg-cpu:|Average:|\s+(?:ops/s\s+rpc bklog|-?[\d.]+))")


def read(stream: BinaryIO, source: Source) -> Found:
    """Metrics of each report; the first of a run is an average over the whole time before."""
    return taken(stream, Reader(), LONGEST_LINE)


class Reader(Taker):
    """The report at hand."""

    def __init__(self) -> None:
        super().__init__()
        self.host: str | None = None
        self.time: Time = (None, None)
        self.columns: list[str] = []
        self.mount = ""
        self.operation = ""

    def line(self, number: int, text: str) -> bool:
        """Takes a line; False if it is something else."""
        if found := HEAD.match(text):
            self.host = found[1].split(".")[0]
            return True
        if found := CLOCK.match(text):
            self.time = clock(found)
            return True
        if found := COLUMNS.match(text):
            self.columns, self.mount = found[1].split(), ""
            return True
        if found := MOUNT.match(text):
            self.mount, self.operation, self.columns = found[2], "", []
            return True
        if self.mount:
            return self._nfs(number, text)
        if self.columns and (found := DISK.match(text)):
            return self._disk(number, found[1], found[2])
        return bool(OTHER.match(text))

    def _disk(self, number: int, device: str, numbers: str) -> bool:
        values = [float(value.replace(",", ".")) for value in numbers.split()]
        if len(values) != len(self.columns):
            return False
        row = dict(zip(self.columns, values, strict=True))
        waits = [row[name] for name in ("r_await", "w_await") if name in row] or [row.get("await", 0.0)]
        moved = sum(row.get(name, 0.0) * scale for name, scale in (("rkB/s", 1), ("wkB/s", 1), ("rMB/s", 1024), ("wMB/s", 1024)))
        for name, value, unit in (("disk.await", max(waits), "ms"), ("disk.util", row["%util"], "%"), ("disk.throughput", moved, "kB/s")):
            self.rows.metric(number, name, value, unit, time=self.time, host=self.host, device=device)
        return True

    def _nfs(self, number: int, text: str) -> bool:
        if found := OPERATION.match(text):
            self.operation = found[1]
            self.columns = re.split(r"\s{2,}", found[2])
            return True
        if self.operation and NUMBERS.match(text):
            # a share stands in brackets behind its number
            values = [float(value) for value in re.sub(r"\s*\([\d.]+%\)", "", text).split()]
            row = dict(zip(self.columns, values, strict=False))
            for name, column, unit in (("ops", "ops/s", "1/s"), ("rtt", "avg RTT (ms)", "ms"), ("exe", "avg exe (ms)", "ms")):
                if column in row:
                    self.rows.metric(
                        number, f"nfs.{name}.{self.operation}", row[column], unit, time=self.time, host=self.host, device=self.mount
                    )
            self.operation = ""
            return True
        return bool(OTHER.match(text))


def clock(found: re.Match[str]) -> Time:
    """Of the line above a report, in the form that most locales give: month first."""
    month, day, year, time = found.groups()
    return when(f"{year if len(year) == 4 else '20' + year}-{month}-{day} {time}")
