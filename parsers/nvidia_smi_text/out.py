"""Rows of all formats of nvidia-smi's texts, with the time of the report they stand in."""

from typing import Any

from ncclscope.reading import Rows, Time

from ..nvidia_smi.words import COUNTERS


class Out(Rows):
    """Rows that carry the time at hand and know counters by their names."""

    def __init__(self) -> None:
        super().__init__()
        self.time: Time = (None, None)

    def metric(self, line: int, name: str, value: float, unit: str | None = None, **more: Any) -> dict[str, Any]:
        """Keeps one number; returns the row, which may still be completed."""
        row = {"line": line, "ts": self.time[0], "ts_clock": self.time[1], "name": name, "value": value, "unit": unit, **more}
        row.setdefault("mode", "counter" if COUNTERS.search(name) else "gauge")
        self.metrics.append(row)
        return row

    def told(self, line: int, kind: str, severity: int, message: str, fields: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Keeps one event of this time; returns the row."""
        return self.event(line, kind, severity, message, fields, ts=self.time[0], ts_clock=self.time[1], **more)
