"""Rows of all formats of nvidia-smi's texts, with the time of the report they stand in."""

from typing import Any

from ncclscope.reading import Rows, Time

from ..nvidia_smi.words import mode_of


class Out(Rows):
    """Rows that carry the time at hand and know counters by their names."""

    def __init__(self) -> None:
        super().__init__()
        self.time: Time = (None, None)

    def number(self, line: int, name: str, value: float, unit: str | None = None, **more: Any) -> list[Any]:
        """Keeps one number of this time."""
        more.setdefault("mode", mode_of(name))
        return self.metric(line, name, value, unit, time=self.time, **more)

    def told(self, line: int, kind: str, severity: int, message: str, fields: dict[str, Any], **more: Any) -> list[Any]:
        """Keeps one event of this time."""
        return self.event(line, kind, severity, message, fields, time=self.time, **more)
