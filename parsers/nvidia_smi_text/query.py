"""`nvidia-smi -q`: sections by indent, `Key : value` inside."""

import re
from typing import Any

from ncclscope.reading import bus_id, when

from ..nvidia_smi.words import FAULT, GOOD_STATES, WORDS
from .names import COUNTED, ECC, QUERY, REASONS, STATES
from .out import Out

GPU_SECTION = re.compile(r"^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\s*$")
MEASURE = re.compile(r"^(-?[0-9]+(?:\.[0-9]+)?)\s*(?:(x)|([A-Za-z%/]+(?:\(s\))?))?$")
PAIR = re.compile(r"^( *)(\S(?:.*?\S)?)\s*:(?:\s(.*))?$")
HEADING = re.compile(r"^( *)([A-Za-z][A-Za-z0-9 ./()&-]{1,60})$")
TOP = re.compile(
    r"^ {0,8}(?:Clocks (?:Event|Throttle) Reasons(?: Counters)?|ECC Errors|Remapped Rows|Retired Pages|Temperature"
    r"|(?:GPU )?Power Readings|Clocks|Applications Clocks|Max Clocks|FB Memory Usage|Utilization|Fabric|PCI|ECC Mode)$"
)
LOG_TOP = re.compile(r"^(?:Timestamp|Driver Version|CUDA Version|Attached GPUs)\s+: ")
ALARMS = ("hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown", "sw_thermal_slowdown")
REPAIRS = ("channel repair pending", "tpc repair pending", "unrepairable memory")
IDENTITY = {"product name": "name", "gpu uuid": "uuid", "serial number": "serial"}


class Query:
    """The log at hand, and the GPU whose section is open."""

    def __init__(self, out: Out) -> None:
        self.out = out
        self.path: list[tuple[int, str]] = []
        self.driver: str | None = None
        self.attached = 0
        self._reset()

    def _reset(self) -> None:
        self.order: list[str] = []
        self.rows: list[tuple[int, list[Any]]] = []
        self.identified: list[list[dict[str, str]]] = []
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
                self.out.time = when(value)
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
        elif name := self._name(above, section, key):
            if FAULT.match(value):
                self._told(number, "gpu.fault", 3, f"{name} reads {value}", {"field": name, "value": value, "cells": 1, "bdf": self._bdf()})
            else:
                self._number(number, name, value)

    def _name(self, above: list[str], section: str, key: str) -> str | None:
        """What the CSV query calls it, or None."""
        inside = " ".join(above).replace("throttle", "event")
        if "clocks event reasons counters" in inside:
            return _below("clocks_event_reasons_counters", COUNTED.get(key))
        if "clocks event reasons" in inside:
            return _below("clocks_event_reasons", REASONS.get(key))
        if "ecc errors" in above and section in ("volatile", "aggregate"):
            if key in REPAIRS:
                return f"ecc.{key.replace(' ', '_')}"
            return _below("ecc.errors", ECC.get(key, "").format(section))
        if section == "bank remap availability histogram":
            return f"remapped_rows.histogram.{key}"
        return QUERY.get(f"{section}/{key}")

    def _number(self, number: int, name: str, value: str) -> None:
        low = value.lower()
        if low in WORDS:
            self._metric(number, name, WORDS[low])
            reason = name.removeprefix("clocks_event_reasons.")
            if low == "active" and reason not in (name, "gpu_idle"):
                level = 2 if reason in ALARMS else 1
                self._told(number, "gpu.throttle", level, f"clocks held down: {reason}", {"reason": reason, "bdf": self._bdf()})
        elif name == "pstate" and re.match(r"^P\d{1,2}$", value):
            self._metric(number, name, float(value[1:]))
        elif found := MEASURE.match(value):
            self._metric(number, name, float(found[1]), found[3])

    def _state(self, number: int, name: str, value: str) -> None:
        level = 1 if value.lower() in GOOD_STATES or value == "No" else 2
        self._told(number, "gpu.state", level, f"{name}: {value}", {"field": name, "value": value, "device": self._bdf()})

    def _names(self, number: int, section: str, key: str, value: str) -> None:
        if not section and key in IDENTITY and self.identity:
            self.identity[IDENTITY[key]] = value
        elif key == "process id":
            self.process = {"pid": value}
        elif key == "name" and self.process.get("pid", "").isdecimal():
            pid = int(self.process.pop("pid"))
            self._told(number, "gpu.process", 1, f"process {pid} {value}", {"name": value, "bdf": self._bdf()}, pid=pid)

    def _bdf(self) -> str | None:
        return self.order[-1] if self.order else None

    def _metric(self, number: int, name: str, value: float, unit: str | None = None) -> None:
        self._keep(self.out.number(number, name, value, unit, device=self._bdf()))

    def _told(self, number: int, kind: str, level: int, message: str, fields: dict[str, Any], **more: Any) -> list[Any]:
        return self._keep(self.out.told(number, kind, level, message, fields, **more))

    def _keep(self, row: list[Any]) -> list[Any]:
        if self.order:
            self.rows.append((len(self.order) - 1, row))
        return row

    def _identify(self) -> None:
        if self.identity:
            line, known = self.identity.pop("line"), {k: v for k, v in self.identity.items() if v not in ("N/A", None)}
            said = f"GPU {known.get('bdf')} {known.get('name', '')}".rstrip()
            row = self._told(line, "gpu.identity", 1, said, known)
            self.identified.append(row[-1])
            self.identity = {}

    def close(self) -> None:
        """Numbers the GPUs when all of them were listed: their order is that of the index."""
        self._identify()
        if self.attached and len(self.order) == self.attached:
            for at, row in self.rows:
                row[Out.GPU] = at
            for fields in self.identified:
                fields.append({"key": "index_from", "value": "position"})
        self._reset()
        self.path = []


def _below(group: str, name: str | None) -> str | None:
    """A name inside a group of fields."""
    return f"{group}.{name}" if name else None
