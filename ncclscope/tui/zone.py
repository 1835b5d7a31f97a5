"""The zone that times are shown in: one for the whole app, since one person looks at it. What is kept and copied stays UTC."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ncclscope.timeline import Axis


@dataclass(frozen=True, slots=True)
class Zone:
    """A fixed distance from UTC, and its name."""

    offset_us: int = 0
    name: str = "UTC"


class _Shown:
    zone = Zone()


def show(zone: Zone) -> None:
    """From now on times are shown in this zone."""
    _Shown.zone = zone


def shown() -> Zone:
    """The zone that times are shown in."""
    return _Shown.zone


def shift(value: datetime) -> datetime:
    """A UTC time as it is shown."""
    return value + timedelta(microseconds=_Shown.zone.offset_us)


def shifted(axis: Axis) -> Axis:
    """An axis whose clock is the shown one."""
    return Axis(axis.began_us + _Shown.zone.offset_us, axis.width_us, axis.columns)


def choices(logs_us: int, at: datetime | None) -> list[Zone]:
    """UTC, the zone that the logs are written in, and this terminal's; equal ones once."""
    moment = (at or datetime(1970, 1, 1)).replace(tzinfo=UTC).astimezone()
    here = moment.utcoffset() or timedelta()
    own = Zone(int(here.total_seconds()) * 1_000_000, moment.tzname() or "local")
    found = [Zone()]
    for zone in (Zone(logs_us, name(logs_us)), own):
        if zone.offset_us not in [known.offset_us for known in found]:
            found.append(zone)
    return found


def name(offset_us: int) -> str:
    """`+02:00`."""
    minutes = abs(offset_us) // 60_000_000
    return f"{'-' if offset_us < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
