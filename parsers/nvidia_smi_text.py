"""Reads what nvidia-smi prints for people: `-q`, `topo -m`, `nvlink -s` and `-e`, `-L`, `dmon` and `pmon`."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any, BinaryIO

import polars as pl

from ncclscope import clock
from ncclscope.sources import Source

Found = Iterator[tuple[str, pl.DataFrame]]

CHUNK_BYTES = 4 << 20
LONGEST_LINE = 4096  # of a line in these formats; longer ones are not ours
MOST_ROWS = 100_000  # held before they are handed over

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
FAULT = re.compile(r"(?i)^(?:\[?(?:unknown error|gpu is lost|gpu requires reset)[^\]]*\]?|\[?err!\]?)$")
CTIME = re.compile(r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} (?:[A-Z]{3,4} )?20[0-9]{2}\s*$")
GPU_NAMED = re.compile(r"^GPU (\d+): (.+?) \(UUID: ((?:GPU|MIG)-[0-9A-Za-z/-]+)\)")
GPU_SECTION = re.compile(r"^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\s*$")
BUS_ID = re.compile(r"^0000([0-9a-f]{4}:)")

# --- nvidia-smi -q: the last words of the path to a value, and the name the CSV query has for it.
REASONS = {
    "idle": "gpu_idle",
    "applications clocks setting": "applications_clocks_setting",
    "sw power cap": "sw_power_cap",
    "hw slowdown": "hw_slowdown",
    "hw thermal slowdown": "hw_thermal_slowdown",
    "hw power brake slowdown": "hw_power_brake_slowdown",
    "sync boost": "sync_boost",
    "sw thermal slowdown": "sw_thermal_slowdown",
    "display clock setting": "display_clock_setting",
}
ALARMS = ("hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown", "sw_thermal_slowdown")
COUNTED = {
    "sw power capping": "sw_power_cap",
    "sync boost": "sync_boost",
    "sw thermal slowdown": "sw_thermal_slowdown",
    "hw thermal slowdown": "hw_thermal_slowdown",
    "hw power braking": "hw_power_brake_slowdown",
}
VALUES = {
    "temperature/gpu current temp": "temperature.gpu",
    "temperature/gpu t.limit temp": "temperature.gpu.tlimit",
    "temperature/memory current temp": "temperature.memory",
    "temperature/gpu slowdown temp": "temperature.gpu.slowdown",
    "temperature/gpu shutdown temp": "temperature.gpu.shutdown",
    "temperature/gpu max operating temp": "temperature.gpu.max_operating",
    "power readings/power draw": "power.draw",
    "power readings/average power draw": "power.draw.average",
    "power readings/instantaneous power draw": "power.draw.instant",
    "power readings/power limit": "power.limit",
    "power readings/current power limit": "power.limit",
    "power readings/enforced power limit": "enforced.power.limit",
    "power readings/default power limit": "power.default_limit",
    "power readings/min power limit": "power.min_limit",
    "power readings/max power limit": "power.max_limit",
    "clocks/graphics": "clocks.current.graphics",
    "clocks/sm": "clocks.current.sm",
    "clocks/memory": "clocks.current.memory",
    "clocks/video": "clocks.current.video",
    "max clocks/graphics": "clocks.max.graphics",
    "max clocks/sm": "clocks.max.sm",
    "max clocks/memory": "clocks.max.memory",
    "applications clocks/graphics": "clocks.applications.graphics",
    "applications clocks/memory": "clocks.applications.memory",
    "fb memory usage/total": "memory.total",
    "fb memory usage/reserved": "memory.reserved",
    "fb memory usage/used": "memory.used",
    "fb memory usage/free": "memory.free",
    "utilization/gpu": "utilization.gpu",
    "utilization/memory": "utilization.memory",
    "pci/replays since reset": "pcie.replay.counter",
    "pci/replay number rollovers": "pcie.replay.rollovers",
    "pci/link width current": "pcie.link.width.current",
    "link width/current": "pcie.link.width.current",
    "link width/max": "pcie.link.width.max",
    "pcie generation/current": "pcie.link.gen.current",
    "pcie generation/max": "pcie.link.gen.max",
    "remapped rows/correctable error": "remapped_rows.correctable",
    "remapped rows/uncorrectable error": "remapped_rows.uncorrectable",
    "remapped rows/pending": "remapped_rows.pending",
    "remapped rows/remapping failure occurred": "remapped_rows.failure",
    "retired pages/single bit ecc": "retired_pages.single_bit_ecc.count",
    "retired pages/double bit ecc": "retired_pages.double_bit.count",
    "retired pages/pending page blacklist": "retired_pages.pending",
    "/performance state": "pstate",
    "/persistence mode": "persistence_mode",
    "mig mode/current": "mig.mode.current",
    "ecc mode/current": "ecc.mode.current",
}
ECC = {
    "sram correctable": "corrected.{}.sram",
    "sram uncorrectable": "uncorrected.{}.sram",
    "sram uncorrectable parity": "uncorrected.{}.sram.parity",
    "sram uncorrectable sec-ded": "uncorrected.{}.sram.secded",
    "sram threshold exceeded": "uncorrected.{}.sram.thresholdExceeded",
    "dram correctable": "corrected.{}.dram",
    "dram uncorrectable": "uncorrected.{}.dram",
}
REPAIRS = ("channel repair pending", "tpc repair pending", "unrepairable memory")
STATES = {"/gpu recovery action": "gpu_recovery_action", "fabric/state": "fabric.state", "fabric/status": "fabric.status"}
GOOD_STATES = ("none", "completed", "success", "n/a", "healthy", "not supported")
WORDS = {"active": 1.0, "not active": 0.0, "yes": 1.0, "no": 0.0, "enabled": 1.0, "disabled": 0.0}
MEASURE = re.compile(r"^(-?[0-9]+(?:\.[0-9]+)?)\s*(?:(x)|([A-Za-z%/]+(?:\(s\))?))?$")
PAIR = re.compile(r"^( *)(\S(?:.*?\S)?)\s*:(?:\s(.*))?$")
HEADING = re.compile(r"^( *)([A-Za-z][A-Za-z0-9 ./()&-]{1,60})$")
TOP = re.compile(
    r"^ {0,4}(?:Clocks (?:Event|Throttle) Reasons(?: Counters)?|ECC Errors|Remapped Rows|Retired Pages|Temperature"
    r"|(?:GPU )?Power Readings|Clocks|Applications Clocks|Max Clocks|FB Memory Usage|Utilization|Fabric|PCI|ECC Mode)$"
)
LOG_TOP = re.compile(r"^(?:Timestamp|Driver Version|CUDA Version|Attached GPUs)\s+: ")

# --- nvlink, topo, dmon
LINK = re.compile(r"^\s*Link (\d+): (?:(<inactive>)|([0-9.]+) GB/s|(.+?)(?: -)?: ?([0-9][0-9.eE+-]*)(?: .*)?)\s*$")
ALL_INACTIVE = "NVML: Unable to retrieve NVLink information as all links are inactive"
MATRIX = re.compile(r"^\s*(?:GPU\d+|NIC\d+|mlx\w+)(?:\s+(?:GPU\d+|NIC\d+|mlx\w+))*(?:\s+(?:CPU|NUMA|GPU NUMA)\b.*)?$")
ENDPOINT = re.compile(r"GPU\d+|NIC\d+|mlx\w+")
CELL = r"(?:X|NV\d+|SYS|NODE|PHB|PXB|PIX|PSB|SOC|C2C|BAR1|N/A|OK)"
MATRIX_ROW = re.compile(rf"^\s*(GPU\d+|NIC\d+|mlx\w+)\s+({CELL}(?:\s+{CELL})*)(?:\s+(.*))?$")
LEGEND = re.compile(r"^\s*(?:(?:NIC )?Legend:|(?:X|SYS|NODE|PHB|PXB|PIX|NV#|PSB|SOC)\s+= .*)$")
NIC_NAME = re.compile(r"^\s*(NIC\d+): (\S+)\s*$")
MONITOR_ROW = re.compile(r"^\s*(?:\d{8}\s+)?(?:\d\d:\d\d:\d\d\s+)?\d{1,3}(?:\s+(?:[0-9.]+|-|C|G|C\+G|M\+C))+(?:\s+\S.*)?$")
DMON = {
    "pwr": ("power.draw", "W"),
    "temp": ("temperature.gpu", "C"),
    "gtemp": ("temperature.gpu", "C"),
    "mtemp": ("temperature.memory", "C"),
    "sm": ("utilization.gpu", "%"),
    "mem": ("utilization.memory", "%"),
    "enc": ("utilization.encoder", "%"),
    "dec": ("utilization.decoder", "%"),
    "jpg": ("utilization.jpeg", "%"),
    "ofa": ("utilization.ofa", "%"),
    "mclk": ("clocks.current.memory", "MHz"),
    "pclk": ("clocks.current.sm", "MHz"),
    "pviol": ("violation.power", "%"),
    "tviol": ("violation.thermal", None),
    "fb": ("memory.used", "MB"),
    "bar1": ("memory.bar1.used", "MB"),
    "ccpm": ("protected_memory.used", "MB"),
    "sbecc": ("ecc.errors.corrected.aggregate.total", None),
    "dbecc": ("ecc.errors.uncorrected.aggregate.total", None),
    "pci": ("pcie.replay.counter", None),
    "rxpci": ("pcie.rx", "MB/s"),
    "txpci": ("pcie.tx", "MB/s"),
}
COUNTERS = re.compile(
    r"ecc\.errors\.(?!.*thresh)|retired_pages\.\w+\.count|remapped_rows\.(?:un)?correctable$|clocks_event_reasons_counters|pcie\.replay"
)


def read(stream: BinaryIO, source: Source) -> Found:
    """Metrics, and events for identities, faults, throttle reasons, links and topology; see the TOML beside."""
    reader = Reader()
    for number, line in lines_of(stream):
        reader.line(number, line)
        if reader.full:
            yield from reader.flush()
    reader.end()
    yield from reader.flush()


def lines_of(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """Numbered lines without ends and colours; the tail of a very long line is dropped."""
    number, held = 0, b""
    while data := stream.read(CHUNK_BYTES):
        *whole, held = (held + data).split(b"\n")
        held = held[:LONGEST_LINE]
        for line in whole:
            number += 1
            yield number, plain(line)
    if held:
        yield number + 1, plain(held)


def plain(line: bytes) -> str:
    """Text of a line."""
    text = line[:LONGEST_LINE].decode("utf-8", "replace").rstrip("\r\n \t")
    return ANSI.sub("", text) if "\x1b" in text else text


METRICS = {
    "line": pl.UInt64,
    "ts": pl.Datetime("us"),
    "ts_clock": pl.Int8,
    "gpu": pl.Int32,
    "pid": pl.Int32,
    "device": pl.String,
    "name": pl.String,
    "value": pl.Float64,
    "unit": pl.String,
    "mode": pl.String,
}
EVENTS = {
    "line": pl.UInt64,
    "ts": pl.Datetime("us"),
    "ts_clock": pl.Int8,
    "gpu": pl.Int32,
    "pid": pl.Int32,
    "kind": pl.String,
    "severity": pl.Int8,
    "message": pl.String,
    "fields": pl.List(pl.Struct({"key": pl.String, "value": pl.String})),
}


class Out:
    """Rows not yet handed over, as columns."""

    def __init__(self) -> None:
        self.metrics: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.frames: list[tuple[str, pl.DataFrame]] = []
        self.unread: list[int] = []
        self.damaged: list[int] = []

    def metric(self, line: int, name: str, value: float, unit: str | None = None, **more: Any) -> dict[str, Any]:
        """Keeps one number; returns the row, which may still be completed."""
        mode = more.pop("mode", None) or ("counter" if COUNTERS.match(name) else "gauge")
        row = {"line": line, "name": name, "value": value, "unit": unit, "mode": mode, **more}
        self.metrics.append(row)
        return row

    def event(self, line: int, kind: str, severity: int, message: str, fields: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Keeps one event; returns the row."""
        pairs = [{"key": key, "value": str(value)} for key, value in fields.items() if value is not None]
        row = {"line": line, "kind": kind, "severity": severity, "message": message, "fields": pairs, **more}
        self.events.append(row)
        return row

    def take(self) -> Found:
        """Everything kept, once."""
        for table, rows, schema in (("metrics", self.metrics, METRICS), ("events", self.events, EVENTS)):
            if rows:
                yield table, pl.DataFrame([[row.get(name) for row in rows] for name in schema], schema=schema, strict=False)
        yield from self.frames
        for table, lines in (("unread", self.unread), ("damaged", self.damaged)):
            if lines:
                yield table, pl.DataFrame({"line": lines}, schema={"line": pl.UInt64})
        self.metrics, self.events, self.frames, self.unread, self.damaged = [], [], [], [], []


class Reader:
    """Knows which of the formats the lines at hand belong to."""

    def __init__(self) -> None:
        self.out = Out()
        self.time: tuple[datetime | None, int | None] = (None, None)
        self.query = Query(self.out)
        self.links = Links(self.out)
        self.matrix = Matrix(self.out)
        self.monitor = Monitor(self.out)
        self.seen: set[tuple[Any, ...]] = set()
        self.mode: Callable[[int, str], bool] | None = None

    @property
    def full(self) -> bool:
        """Is it time to hand rows over?"""
        # What is open in -q may still learn the index of its GPU.
        return len(self.out.metrics) + len(self.out.unread) > MOST_ROWS and self.mode != self.query.line

    def flush(self) -> Found:
        """Rows so far."""
        self.monitor.close()
        yield from self.out.take()

    def end(self) -> None:
        """The last block is complete."""
        for part in (self.query, self.links, self.matrix, self.monitor):
            part.close()

    def line(self, number: int, text: str) -> None:
        """Gives a line to the format that goes on, else to the one that begins here."""
        if not text.strip():
            return
        if CTIME.match(text):
            self.time = when(text)
            self.query.time = self.links.time = self.matrix.time = self.time
            return
        if self.mode is not None and self.mode(number, text):
            return
        for part in (self.monitor, self.links, self.matrix, self.query):
            if part.begins(text):
                if self.mode is not None and self.mode != part.line:
                    self.end()
                self.mode = part.line
                part.line(number, text)
                return
        if self.mode is not None:
            self.end()
            self.mode = None
        self.out.unread.append(number)


@lru_cache(maxsize=4096)
def when(text: str) -> tuple[datetime | None, int | None]:
    """Time and clock of a time string."""
    found = clock.read_times(pl.Series([text.strip()]))
    return found["ts"][0], found["clock"][0]


def bus_id(text: str) -> str:
    """A PCI address as the kernel writes it: 0000:9a:00.0."""
    return BUS_ID.sub(r"\1", text.lower())


class Query:
    """`nvidia-smi -q`: sections by indent, `Key : value` inside."""

    def __init__(self, out: Out) -> None:
        self.out = out
        self.time: tuple[datetime | None, int | None] = (None, None)
        self.path: list[tuple[int, str]] = []
        self.driver: str | None = None
        self.attached = 0
        self._reset()

    def _reset(self) -> None:
        self.order: list[str] = []
        self.rows: list[tuple[int, dict[str, Any]]] = []
        self.identity: dict[str, Any] = {}
        self.process: dict[str, str] = {}

    def begins(self, text: str) -> bool:
        """Does the line open a log, a GPU or a section?"""
        return "NVSMI LOG" in text or bool(GPU_SECTION.match(text) or TOP.match(text) or LOG_TOP.match(text))

    def line(self, number: int, text: str) -> bool:
        """Takes a line of the log; False if it is something else."""
        if "NVSMI LOG" in text:
            self.close()
            self.driver, self.attached = None, 0
            return True
        if found := GPU_SECTION.match(text):
            self._identify()
            self.order.append(bus_id(found[1]))
            self.identity = {"line": number, "bdf": self.order[-1], "driver": self.driver}
            self.path = []
            return True
        if found := PAIR.match(text):
            return self._pair(number, len(found[1]), found[2], (found[3] or "").strip())
        if (found := HEADING.match(text)) and (found[1] or TOP.match(text)):
            self._enter(len(found[1]), found[2])
            return True
        return text.startswith("    ")

    def _enter(self, indent: int, key: str) -> None:
        while self.path and self.path[-1][0] >= indent:
            self.path.pop()
        self.path.append((indent, key.lower()))

    def _pair(self, number: int, indent: int, key: str, value: str) -> bool:
        if indent == 0 and LOG_TOP.match(f"{key} : "):
            if key == "Timestamp":
                self.close()
                self.time = when(value)
            elif key == "Driver Version":
                self.driver = value
            elif key == "Attached GPUs" and value.isdecimal():
                self.attached = int(value)
            return True
        if indent == 0 or indent > 40 or len(key) > 60:
            return False
        self._enter(indent, key)
        self._value(number, key.lower(), value)
        return True

    def _value(self, number: int, key: str, value: str) -> None:
        above = [name for _, name in self.path[:-1]]
        section = above[-1] if above else ""
        section = section.removeprefix("gpu ").replace("throttle", "event")
        self._names(number, section, key, value)
        state = STATES.get(f"{section}/{key}") or (f"fabric.health.{key.replace(' ', '_')}" if section == "health" else None)
        if state:
            self._state(number, state, value)
            return
        name = self._name(above, section, key)
        if not name:
            return
        if FAULT.match(value):
            fields = {"field": name, "value": value, "cells": 1, "bdf": self._bdf()}
            self._keep(self.out.event(number, "gpu.fault", 3, f"{name} reads {value}", fields, **self._when()))
            return
        self._number(number, name, value)

    def _name(self, above: list[str], section: str, key: str) -> str | None:
        """What the CSV query calls it, or None."""
        inside = " ".join(above).replace("throttle", "event")
        if "clocks event reasons counters" in inside:
            return f"clocks_event_reasons_counters.{COUNTED[key]}" if key in COUNTED else None
        if "clocks event reasons" in inside:
            return f"clocks_event_reasons.{REASONS[key]}" if key in REASONS else None
        if "ecc errors" in above and section in ("volatile", "aggregate"):
            if key in REPAIRS:
                return f"ecc.{key.replace(' ', '_')}"
            return f"ecc.errors.{ECC[key].format(section)}" if key in ECC else None
        if section == "bank remap availability histogram":
            return f"remapped_rows.histogram.{key}"
        return VALUES.get(f"{section}/{key}")

    def _number(self, number: int, name: str, value: str) -> None:
        low = value.lower()
        if low in WORDS:
            self._keep(self.out.metric(number, name, WORDS[low], None, **self._when(), device=self._bdf()))
            reason = name.removeprefix("clocks_event_reasons.")
            if low == "active" and reason not in (name, "gpu_idle"):
                level = 2 if reason in ALARMS else 1
                fields = {"reason": reason, "bdf": self._bdf()}
                self._keep(self.out.event(number, "gpu.throttle", level, f"clocks held down: {reason}", fields, **self._when()))
        elif name == "pstate" and re.match(r"^P\d{1,2}$", value):
            self._keep(self.out.metric(number, name, float(value[1:]), None, **self._when(), device=self._bdf()))
        elif found := MEASURE.match(value):
            self._keep(self.out.metric(number, name, float(found[1]), found[3], **self._when(), device=self._bdf()))

    def _state(self, number: int, name: str, value: str) -> None:
        good = value.lower() in GOOD_STATES
        fields = {"field": name, "value": value, "device": self._bdf()}
        self._keep(self.out.event(number, "gpu.state", 1 if good else 2, f"{name}: {value}", fields, **self._when()))

    def _names(self, number: int, section: str, key: str, value: str) -> None:
        if not section and key in ("product name", "gpu uuid", "serial number") and self.identity:
            self.identity[{"product name": "name", "gpu uuid": "uuid", "serial number": "serial"}[key]] = value
        elif key == "process id":
            self.process = {"pid": value}
        elif key == "name" and self.process.get("pid", "").isdecimal():
            fields = {"name": value, "bdf": self._bdf()}
            pid = int(self.process.pop("pid"))
            self._keep(self.out.event(number, "gpu.process", 1, f"process {pid} {value}", fields, pid=pid, **self._when()))

    def _bdf(self) -> str | None:
        return self.order[-1] if self.order else None

    def _when(self) -> dict[str, Any]:
        return {"ts": self.time[0], "ts_clock": self.time[1]}

    def _keep(self, row: dict[str, Any]) -> None:
        if self.order:
            self.rows.append((len(self.order) - 1, row))

    def _identify(self) -> None:
        if self.identity:
            line, known = self.identity.pop("line"), {k: v for k, v in self.identity.items() if v not in ("N/A", None)}
            said = f"GPU {known.get('bdf')} {known.get('name', '')}".rstrip()
            self._keep(self.out.event(line, "gpu.identity", 1, said, known, **self._when()))
            self.identity = {}

    def close(self) -> None:
        """Numbers the GPUs when all of them were listed: their order is that of the index."""
        self._identify()
        if self.attached and len(self.order) == self.attached:
            for at, row in self.rows:
                row["gpu"] = at
                if row.get("kind") == "gpu.identity":
                    row["fields"].append({"key": "index_from", "value": "position"})
        self._reset()
        self.path = []


class Links:
    """`nvidia-smi nvlink -s`, `-e` and `nvidia-smi -L`: GPUs with their NVLinks below."""

    def __init__(self, out: Out) -> None:
        self.out = out
        self.time: tuple[datetime | None, int | None] = (None, None)
        self.seen: set[tuple[Any, ...]] = set()
        self.most = 0
        self.gpu: int | None = None
        self.uuid: str | None = None
        self._reset()

    def _reset(self) -> None:
        self.first = 0
        self.active: list[int] = []
        self.inactive: list[tuple[int, int]] = []

    def begins(self, text: str) -> bool:
        """Does the line name a GPU with its UUID, or a link?"""
        return bool(GPU_NAMED.match(text) or LINK.match(text)) or ALL_INACTIVE in text

    def line(self, number: int, text: str) -> bool:
        """Takes a line; False if it is something else."""
        if found := GPU_NAMED.match(text):
            self._finish(True)
            self.gpu, self.uuid = int(found[1]), found[3]
            if (self.gpu, self.uuid) not in self.seen and self.uuid.startswith("GPU-"):
                self.seen.add((self.gpu, self.uuid))
                fields = {"uuid": self.uuid, "name": found[2], "index_from": "column"}
                self.out.event(number, "gpu.identity", 1, text.strip(), fields, gpu=self.gpu, **self._when())
            return True
        if ALL_INACTIVE in text:
            fields = {"link": "all", "uuid": self.uuid}
            self.out.event(number, "gpu.nvlink_inactive", 2, text.strip(), fields, gpu=self.gpu, **self._when())
            return True
        if found := LINK.match(text):
            self._link(number, int(found[1]), found)
            return True
        return False

    def _link(self, number: int, link: int, found: re.Match[str]) -> None:
        self.first = self.first or number
        device = f"nvlink{link}"
        if found[2]:
            self.inactive.append((number, link))
        elif found[3]:
            self.active.append(link)
            speed = number_of(found[3])
            if speed is not None:
                self.out.metric(number, "nvlink.speed", speed, "GB/s", device=device, gpu=self.gpu, **self._when())
        else:
            name = re.sub(r"[^a-z0-9]+", "_", found[4].lower()).strip("_").replace("crc_flit_errors", "crc_errors")
            value = number_of(found[5])
            if value is not None:
                mode = "gauge" if "ber" in name.split("_") else "counter"
                self.out.metric(number, f"nvlink.{name}", value, None, mode=mode, device=device, gpu=self.gpu, **self._when())

    def _finish(self, complete: bool) -> None:
        total = len(self.active) + len(self.inactive)
        self.most = max(self.most, total)
        # The last GPU of an excerpt may have lost its last links to the cut.
        if total and (complete or total == self.most):
            more = {"gpu": self.gpu, "device": self.uuid, **self._when()}
            self.out.metric(self.first, "nvlink.links_active", len(self.active), None, **more)
            self.out.metric(self.first, "nvlink.links_inactive", len(self.inactive), None, **more)
        for number, link in self.inactive:
            fields = {"link": link, "uuid": self.uuid, "active": len(self.active), "total": total}
            said = f"GPU {'?' if self.gpu is None else self.gpu}: NVLink {link} is inactive"
            self.out.event(number, "gpu.nvlink_inactive", 2, said, fields, gpu=self.gpu, **self._when())
        self._reset()

    def _when(self) -> dict[str, Any]:
        return {"ts": self.time[0], "ts_clock": self.time[1]}

    def close(self) -> None:
        """The list ends here."""
        self._finish(False)
        self.gpu = self.uuid = None


def number_of(text: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 1e300 else None


class Matrix:
    """`nvidia-smi topo -m`: how each pair of GPUs and NICs is connected."""

    def __init__(self, out: Out) -> None:
        self.out = out
        self.time: tuple[datetime | None, int | None] = (None, None)
        self._reset()

    def _reset(self) -> None:
        self.columns: list[str] = []
        self.rest: list[str] = []
        self.rows: list[tuple[int, str, list[str], list[str]]] = []
        self.nics: dict[str, str] = {}

    def begins(self, text: str) -> bool:
        """Is it the heading of a matrix?"""
        return bool(MATRIX.match(text)) and "GPU0" in text and len(ENDPOINT.findall(text)) + text.count("Affinity") > 1

    def line(self, number: int, text: str) -> bool:
        """Takes a line; False if it is something else."""
        if self.begins(text):
            self.close()
            head = re.split(r"\s+(?=CPU Affinity|NUMA Affinity|GPU NUMA)", text.strip())
            self.columns = ENDPOINT.findall(head[0])
            self.rest = [re.split(r"\t|\s{2,}", name)[0].strip() for name in head[1:]]
            return True
        if found := MATRIX_ROW.match(text):
            cells = found[2].split()
            more = cells[len(self.columns) :] + (found[3] or "").split()
            self.rows.append((number, found[1], cells[: len(self.columns)], more))
            return True
        if found := NIC_NAME.match(text):
            self.nics[found[1]] = found[2]
            return True
        return bool(LEGEND.match(text))

    def close(self) -> None:
        """Everything about the matrix is known, the names of its NICs too."""
        when_ = {"ts": self.time[0], "ts_clock": self.time[1]}
        for number, label, cells, more in self.rows:
            if not label.startswith("GPU"):
                continue
            gpu = int(label[3:])
            for column, cell in zip(self.columns, cells, strict=False):
                # A pair of GPUs stands twice; NICs stand in every GPU's row.
                if cell == "X" or (column.startswith("GPU") and int(column[3:]) <= gpu):
                    continue
                other = self.nics.get(column, column)
                fields = {"a": label, "b": other, "path": cell, "nic": None if column.startswith("GPU") else other}
                self.out.event(number, "topo.link", 1, f"{label} {other} {cell}", fields, gpu=gpu, **when_)
            known = dict(zip(self.rest, more, strict=False))
            if known:
                fields = {"cpus": known.get("CPU Affinity"), "numa": known.get("NUMA Affinity")}
                said = f"{label} " + " ".join(str(value) for value in fields.values() if value)
                self.out.event(number, "topo.affinity", 1, said, fields, gpu=gpu, **when_)
        self._reset()


class Monitor:
    """`nvidia-smi dmon` and `pmon`: a heading that repeats, and rows of as many words."""

    def __init__(self, out: Out) -> None:
        self.out = out
        self.names: list[str] = []
        self.numbers: list[int] = []
        self.texts: list[str] = []
        self.seen: set[tuple[Any, ...]] = set()

    def begins(self, text: str) -> bool:
        """Is it the heading, or a row after something else?"""
        if not text.startswith("#"):
            return bool(self.names and MONITOR_ROW.match(text)) and len(text.split(None, len(self.names) - 1)) == len(self.names)
        return re.match(r"^#\s*(?:Date\s+)?(?:Time\s+)?gpu\s+\w", text) is not None

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
            return re.match(r"^#\s*(?:YYYYMMDD|HH:MM:SS|Idx)\b", text) is not None
        if not self.names or not (text[0].isdigit() or text[0] == " "):
            return False
        if not MONITOR_ROW.match(text):
            return False
        if len(text.split(None, len(self.names) - 1)) != len(self.names):
            self.out.damaged.append(number)
            return True
        self.numbers.append(number)
        self.texts.append(text)
        return True

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
            if name not in DMON or ("pid" in self.names and name in ("pwr", "temp")):
                continue
            metric, unit = DMON[name]
            metric = f"process.{metric}" if "pid" in self.names else metric
            values = lines.with_columns(
                pl.lit(None, pl.String).alias("device"),
                pl.lit(metric).alias("name"),
                frame[name].cast(pl.Float64, strict=False).alias("value"),
                pl.lit(unit, pl.String).alias("unit"),
                pl.lit("counter" if COUNTERS.match(metric) else "gauge").alias("mode"),
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
