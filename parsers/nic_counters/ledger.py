"""What was read so far: the place that the lines at hand speak of, the snapshots of its devices, and rows of both."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

import polars as pl

from ncclscope.reading import Found, Rows, Time

from .devices import device_of_path
from .labels import label_of_path

MOST_ROWS = 300_000  # held until it is known which names belong to one device
GAUGES = re.compile(
    r"^(?:lifespan|outbound_pci_stalled_(?:rd|wr)|conntrack_allowance_available|ena_srd_mode|ena_srd_resource_utilization|active_\w+|carrier|speed|mtu)$"
)
STATE_WORDS = ("active", "port_active", "up", "linkup", "link_up", "yes", "4: active")


@dataclass(slots=True)
class Place:
    """What the lines above said: which host, device, tool and time the next counters belong to."""

    host: str | None = None
    device: str | None = None
    netdev: str | None = None
    port: str | None = None
    tool: str = ""
    time: Time = (None, None)
    label: str | None = None
    order: str | None = None
    epoch: int = 0
    saturates: bool = False
    state: dict[str, str] = field(default_factory=dict)
    state_line: int = 0
    above: dict[str, str] = field(default_factory=dict)
    pending: str = ""


@dataclass(slots=True)
class Snapshot:
    """The counters of one device that were read together."""

    line: int
    epoch: int
    time: Time
    label: str
    order: str | None
    seq: int
    last: int = 0
    netdev: str | None = None
    port: str | None = None
    tools: list[str] = field(default_factory=list)
    names: set[tuple[str, str]] = field(default_factory=set)


class Ledger:
    """All places of a file; the one at hand is that of the line being read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.label, self.order = label_of_path(path)
        self.path_device = device_of_path(path)
        self.places: dict[str, Place] = {}
        self.place = self.at("")
        self.rows = Rows(MOST_ROWS)
        self.snapshots: dict[tuple[str | None, str], Snapshot] = {}
        self.rdma_of: dict[tuple[str | None, str], str] = {}
        self.identities: set[tuple[object, ...]] = set()
        self.number = 0
        self.epochs = 0

    def at(self, prefix: str) -> Place:
        """The place of lines behind `prefix: `, where pdsh and its kin put the host."""
        if prefix not in self.places:
            self.places[prefix] = Place(host=prefix.split(".", 1)[0] or None, label=self.label, order=self.order)
        return self.places[prefix]

    def enter(self, tool: str, **where: str | None) -> Place:
        """Goes on to what `tool` prints of a device or port; what is not said stays as it was."""
        self.leave()
        self.place.tool = tool
        for name, value in where.items():
            setattr(self.place, name, value)
        return self.place

    def leave(self) -> None:
        """Tells the state of the port above, if the lines named one."""
        place = self.place
        if place.state:
            self.port_state({**place.above, **place.state}, place.state_line)
        place.state, place.state_line = {}, 0
        if place.tool not in ("ibstat", "ibv_devinfo"):
            place.above = {}

    def port_state(self, said: dict[str, str], line: int) -> None:
        """Tells how a port is."""
        place = self.place
        said = {key: re.sub(r"^\d+: ", "", value) for key, value in said.items() if value}
        if rate := re.match(r"^([0-9.]+)(?: ?(Gb/s(?:ec)?|Mb/s|Mbps))?(?: .*)?$", said.get("rate", "")):
            # The bare number of ibstat and what others print, all in Gb/s.
            said["rate"] = f"{float(rate[1]) / (1000 if (rate[2] or '').startswith('Mb') else 1):g}" if rate[1].strip(".") else rate[1]
        state = said.get("state", "")
        if place.tool == "settings":
            state = said["state"] = {"yes": "up", "no": "down"}.get(state, state)
        good = re.sub(r" \(\d+\)$", "", state).lower() in STATE_WORDS
        fields = {"device": place.device, "netdev": place.netdev, "port": place.port, **said}
        where = f"{place.device or place.netdev or '?'}" + (f" port {place.port}" if place.port else "")
        self.event(line, "nic.port_state", 1 if good else 2, f"{where}: {state or said.get('physical_state', 'no state')}", fields)

    def identity(self, **known: str | None) -> None:
        """Tells names that belong to one device, once."""
        fields = {key: value for key, value in known.items() if value}
        if fields.get("device") and fields.get("netdev"):
            self.rdma_of[self.place.host, str(fields["netdev"])] = str(fields["device"])
        key = (self.place.host, *sorted(fields.items()))
        if len(fields) > 1 and key not in self.identities:
            self.identities.add(key)
            self.event(self.number, "nic.identity", 1, " ".join(str(value) for value in fields.values()), fields)

    def name(self) -> str | None:
        """The device as it is called in the rows: ports other than 1 are named with it. Where no line names one, the path may."""
        place = self.place
        device = place.device or self._rdma(place.host, place.netdev) or place.netdev or self.path_device
        return f"{device}:{place.port}" if device and place.port not in (None, "1") else device

    def _rdma(self, host: str | None, netdev: str | None) -> str | None:
        """The RDMA device of a netdev; said without a host it holds for all."""
        if netdev is None:
            return None
        return self.rdma_of.get((host, netdev)) or self.rdma_of.get((None, netdev))

    def keep(self, tool: str, name: str, value: float) -> None:
        """Keeps one counter of this place."""
        place = self.place
        device = self.name()
        key = (place.host, device or "")
        snapshot = self.snapshots.get(key)
        if snapshot is None or snapshot.epoch != place.epoch or (tool, name) in snapshot.names:
            if snapshot is not None:
                self._tell(key, snapshot)
            seq = snapshot.seq + 1 if snapshot else 0
            snapshot = Snapshot(self.number, place.epoch, place.time, place.label or "", place.order, seq)
            self.snapshots[key] = snapshot
        snapshot.names.add((tool, name))
        if tool not in snapshot.tools:
            snapshot.tools.append(tool)
        snapshot.last = self.number
        snapshot.netdev = place.netdev or snapshot.netdev
        snapshot.port = place.port or snapshot.port
        unit, mode = nature(name)
        self.rows.metric(self.number, name, value, unit, mode, time=place.time, host=place.host, device=device)

    def _tell(self, key: tuple[str | None, str], snapshot: Snapshot) -> None:
        host, device = key
        fields = {
            "device": device or None,
            "netdev": snapshot.netdev,
            "port": snapshot.port,
            "snapshot": snapshot.label,
            "order": snapshot.order,
            "seq": str(snapshot.seq),
            "tools": ",".join(snapshot.tools),
            "counters": str(len(snapshot.names)),
            "last_line": str(snapshot.last),
        }
        said = f"{len(snapshot.names)} counters of {device or 'an unnamed device'}" + (f" {snapshot.label}" if snapshot.label else "")
        self.rows.event(snapshot.line, "counters.snapshot", 1, said, fields, time=snapshot.time, host=host)

    def event(self, line: int, kind: str, severity: int, message: str, fields: dict[str, str | None]) -> None:
        """Keeps one event of this place."""
        place = self.place
        fields = {key: value or None for key, value in fields.items()}
        self.rows.event(line, kind, severity, message, fields, time=place.time, host=place.host)

    def end(self) -> None:
        """Tells what is still open."""
        for place in self.places.values():
            self.place = place
            self.leave()
        for key, snapshot in self.snapshots.items():
            self._tell(key, snapshot)
        self.snapshots = {}

    def take(self) -> Found:
        """Everything kept, once; counters of a netdev move to its RDMA device if a later line told which it is."""
        for table, frame in self.rows.take():
            yield table, self._renamed(frame) if table == "metrics" else frame

    def _renamed(self, frame: pl.DataFrame) -> pl.DataFrame:
        for (host, netdev), device in self.rdma_of.items():
            same = pl.col("device") == netdev
            if host is not None:
                same = same & (pl.col("host") == host)
            frame = frame.with_columns(device=pl.when(same).then(pl.lit(device)).otherwise("device"))
        return frame


@lru_cache(maxsize=16384)
def nature(name: str) -> tuple[str | None, str]:
    """Unit and mode of a counter, as far as its name tells."""
    if GAUGES.match(name) or name.endswith("_ber"):
        return "%" if name.startswith("outbound_pci_") else None, "gauge"
    if name in ("port_xmit_data", "port_rcv_data"):
        return "4B", "counter"
    if name.endswith("_duration"):
        return "us", "counter"
    return "B" if name.endswith(("_bytes", "_bytes_phy")) else None, "counter"
