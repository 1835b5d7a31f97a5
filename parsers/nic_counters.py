"""Reads dumps of NIC counters and port states: ethtool, sysfs, rdma, perfquery, ibstat and their kin, in one file or many."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, BinaryIO

import polars as pl

from ncclscope import clock
from ncclscope.sources import Source

Found = Iterator[tuple[str, pl.DataFrame]]

CHUNK_BYTES = 4 << 20
LONGEST_LINE = 65536  # `rdma statistic` prints all counters of a port on one line
MOST_ROWS = 300_000  # held until it is known which names belong to one device

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
NUMBER = re.compile(r"^-?[0-9]{1,20}$")

# --- Names of devices. Kernel and rdma-core name RDMA devices after driver or PCI place, netdevs after firmware or place.
RDMA = (
    r"(?:mlx[45]_(?:bond_)?\w+|bnxt_re\w+|irdma\d+|i40iw\d+|rocep\w+|rdmap\w+|efa_\d+|erdma_\d+|hns_\d+|qedr\d+|hfi1_\d+"
    r"|mana_\d+|ionic_\d+|siw\w+|rxe\w+)"
)
NETDEV = r"(?:en[opsxP]\w+|eth\d+(?:\.\d+)?|ib(?:\d+|s\d\w*|p\d+s\w+)|bond\d+|rdma\d+|p\d+p\d+|gpu\d+rail\w*|rail\d+\w*|hsn\d+|slot\d+\w*)"
BUS = r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]"
RDMA_WORD = re.compile(rf"(?:^|[^\w.-])({RDMA})(?:/(\d+)|:(\d+))?(?=$|[^\w.-])")
NETDEV_WORD = re.compile(rf"(?:^|[^\w.-])({NETDEV})(?=$|[^\w.-])")
BUS_WORD = re.compile(rf"(?:^|\s|\(|\[)({BUS})(?=$|\s|\)|\]|,)")

# --- Banners
LEAD = re.compile(r"^(?:[#=*+<>~%$|-]+|\[\S+@\S+ [^\]]*\][#$]|\S+@[\w.-]+:\S*[#$]|\++)\s*")
PROMPT = re.compile(r"^\[?\w[\w-]*@([A-Za-z0-9][\w-]*)")
TOOL = re.compile(r"\b(ethtool|perfquery|ibqueryerrors|rdma|ibstatus|ibstat|ibv_devinfo|ibdev2netdev|mlxlink|sysfs|hw_counters|counters)\b")
COMMAND = re.compile(r"\bethtool\s+(?:-\w+|--\w+)\s+(\S+)|\bethtool\s+([A-Za-z]\S+)")
TIME = re.compile(
    r"(?:[A-Z][a-z]{2} )?(?:[A-Z][a-z]{2} [ 0-9]?[0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}(?: [AP]M)?(?: [A-Z]{3,4}| [+-]\d{2,4})? 20[0-9]{2})"
    r"|20[0-9]{2}[-/][0-9]{2}[-/][0-9]{2}[T _][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?"
    r"|20[0-9]{6}[T_-][0-9]{6}|\b1[4-9][0-9]{8}(?:\.[0-9]+)?\b"
)
LABEL = re.compile(
    r"(?i)(?:^|[^a-z0-9])(before|pre|start|begin|after|post|end|final|t(\d{1,3})|snap(?:shot)?[ _#-]?(\d{1,4}))(?=$|[^a-z0-9])"
)
FIRST = ("before", "pre", "start", "begin")
HOST = re.compile(
    r"(?i)\b(?:host(?:name)?|node|server)\s*[=:]\s*([A-Za-z0-9][\w-]*)|\b(?:before|after|pre|post)[ -]job ([A-Za-z][\w-]*)"
)
HOST_WORD = re.compile(r"^[A-Za-z][A-Za-z-]*[A-Za-z0-9-]*\d[\w-]*$")
NOT_HOSTS = re.compile(rf"(?i)^(?:{RDMA}|{NETDEV}|(?:port|lid|step|run|job|gpu|mt|x)\d*|ipv[46]|ib_\w+|ibdev2netdev)$")
HEADER = re.compile(r"^==> (\S+) <==$")
SECTION = re.compile(r"^(?:Operational|Supported|Troubleshooting|Tool|Module|Physical Counters and BER|EYE Opening|FEC Errors?) Info(?:rmation)?(?: \(.*\))?$")

# --- Lines of the tools
PATH = re.compile(
    r"^(?P<path>(?:\S*/)?)(?P<device>[A-Za-z][\w.-]*)/(?:ports/(?P<port>\d+)(?:/(?P<group>hw_counters|counters))?|(?P<whole>hw_counters))"
    r"/(?P<name>[A-Za-z][^:=/]*?)\s*[:=]\s*(?P<value>.*)$"
)
PATH_BUS = re.compile(rf"/({BUS})/infiniband/$")
NET_PATH = re.compile(r"^\S*/net/(?P<netdev>[^/]+)/(?:statistics/)?(?P<name>\w+)\s*[:=]\s*(?P<value>\S+)$")
STAT = re.compile(r"^(\s+)(\S.*?): (-?[0-9]{1,20})$")
RDMA_LINK = re.compile(r"^(?:\d+: )?link (\S+?)/(\d+)(?: (.*))?$")
RDMA_ROW = re.compile(r"^\s{2,8}([A-Za-z]\w*) (\d{1,20})$")
PERF_HEAD = re.compile(r"^# Port (extended )?counters: Lid (\d+) port (\d+)")
PERF_ROW = re.compile(r"^([A-Z]\w+):\.*\s*(0x[0-9a-fA-F]+|-?\d{1,20})$")
IBSTAT = re.compile(r"^CA '([^']+)'$")
IBSTATUS = re.compile(r"^Infiniband device '([^']+)' port (\d+) status:$")
HCA_ID = re.compile(r"^hca_id:\s*(\S+)$")
DEV2NET = re.compile(
    rf"^(?:(?P<bdf>{BUS}) )?(?P<device>\S+)(?: \(.*\).*)? port (?P<port>\d+) (?:\((?P<state>\w+)\s*\) )?"
    r"==> (?P<netdev>\S+) \((?P<up>\w+)\)$"
)
INFO = re.compile(r"^(driver|version|firmware-version|bus-info|expansion-rom-version|supports-[a-z-]+):(?: (.*))?$")
SETTINGS = re.compile(r"^Settings for (\S+):$")
KEY = re.compile(r"^\s*([A-Za-z][\w ()\[\]/-]*?)\s*:\s*(.*)$")
ERRORS_FOR = re.compile(r'^Errors for (?:0x[0-9a-f]+ )?"([^"]+)"')
ERRORS_ROW = re.compile(r"^\s*GUID 0x[0-9a-f]+ port (\d+|ALL): *(\[.*)$")
ERRORS_CELL = re.compile(r"\[(\w+) == (\d+)")
PREFIXED = re.compile(
    r"^([A-Za-z0-9][\w.-]*): (?=\s*(?:/sys/|link \w|NIC statistics|# Port |CA '|hca_id|\S+ port \d+ ==>|#{3,}|={3,})|\s{4,}\S+: \d)(.*)$"
)

# Flags and ranges of a transceiver: `ethtool -m` says On, mlxlink prints the range behind the value.
MODULE_FLAG = re.compile(
    r"^\s*((?:Module|Laser|Rcvr|Receiver|Transmit)[\w ]*?) (high|low) (alarm|warning)\s*(?:\(Chan(?:nel)? (\d+)\))?\s*: On$"
    r"|^\s*(Rx loss of signal|Tx loss of signal|Rx loss of lock|Tx fault)\s*: (?:Yes|\[[^\]]*\bYes\b.*)$"
)
MODULE_RANGE = re.compile(r"^(Temperature|Voltage|Bias Current|[RT]x Power Current) \[(\w+)\]\s*: ([-\d.,]+) \[(-?[\d.]+)\.\.(-?[\d.]+)\]")

# perfquery's names as sysfs has them, and the value at which a field of the classic query stops counting.
PERFQUERY = {
    "SymbolErrorCounter": ("symbol_error", 65535),
    "LinkErrorRecoveryCounter": ("link_error_recovery", 255),
    "LinkDownedCounter": ("link_downed", 255),
    "PortRcvErrors": ("port_rcv_errors", 65535),
    "PortRcvRemotePhysicalErrors": ("port_rcv_remote_physical_errors", 65535),
    "PortRcvSwitchRelayErrors": ("port_rcv_switch_relay_errors", 65535),
    "PortXmitDiscards": ("port_xmit_discards", 65535),
    "PortXmitConstraintErrors": ("port_xmit_constraint_errors", 255),
    "PortRcvConstraintErrors": ("port_rcv_constraint_errors", 255),
    "LocalLinkIntegrityErrors": ("local_link_integrity_errors", 15),
    "ExcessiveBufferOverrunErrors": ("excessive_buffer_overrun_errors", 15),
    "VL15Dropped": ("VL15_dropped", 65535),
    "QP1Dropped": ("QP1Dropped", 65535),
    "PortXmitData": ("port_xmit_data", 4294967295),
    "PortRcvData": ("port_rcv_data", 4294967295),
    "PortXmitPkts": ("port_xmit_packets", 4294967295),
    "PortRcvPkts": ("port_rcv_packets", 4294967295),
    "PortXmitWait": ("port_xmit_wait", 4294967295),
    "PortUnicastXmitPkts": ("unicast_xmit_packets", 0),
    "PortUnicastRcvPkts": ("unicast_rcv_packets", 0),
    "PortMulticastXmitPkts": ("multicast_xmit_packets", 0),
    "PortMulticastRcvPkts": ("multicast_rcv_packets", 0),
}
# `name value` without a path, as loops over sysfs print it: only names that are surely counters.
LOOSE = re.compile(r"^\s*([A-Za-z]\w+)\s*[:= ]\s*(\d{1,20})$")
LOOSE_NAME = re.compile(
    r"^(?:symbol_error|link_(?:error_recovery|downed|down_events\w*)|local_link_integrity_errors|excessive_buffer_overrun_errors|VL15_dropped"
    r"|port_(?:rcv|xmit)_\w+|(?:uni|multi)cast_(?:rcv|xmit)_packets|duplicate_request|implied_nak_seq_err|local_ack_timeout_err"
    r"|np_\w+|rp_cnp_\w+|out_of_(?:buffer|sequence)|packet_seq_err|re[qs]p?_\w+_err\w*|req_\w+_exceeded|rnr_nak_retry_err|roce_\w+|rx_\w+|tx_\w+"
    r"|retrans_\w+|(?:unresponsive|impaired)_remote\w*|outbound_pci_\w+|module_\w+)$"
)
GAUGES = re.compile(
    r"^(?:lifespan|outbound_pci_stalled_(?:rd|wr)|conntrack_allowance_available|ena_srd_mode|ena_srd_resource_utilization|active_\w+|carrier|speed|mtu)$"
)
STATE_WORDS = ("active", "port_active", "up", "linkup", "link_up", "yes", "4: active")


def read(stream: BinaryIO, source: Source) -> Found:
    """Metrics of every counter, and events for snapshots, identities and port states; see the TOML beside."""
    reader = Reader(getattr(source, "member", None) or getattr(source, "path", None) or "")
    for number, text in lines_of(stream):
        reader.line(number, text)
        if len(reader.rows) + len(reader.unread) > MOST_ROWS:
            yield from reader.take()
    reader.end()
    yield from reader.take()


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
    text = line[:LONGEST_LINE].decode("utf-8", "replace").rstrip()
    return ANSI.sub("", text) if "\x1b" in text else text


@dataclass(slots=True)
class Place:
    """What the lines above said: which host, device, tool and time the next counters belong to."""

    host: str | None = None
    device: str | None = None
    netdev: str | None = None
    port: str | None = None
    tool: str = ""
    ts: datetime | None = None
    clock: int | None = None
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
    ts: datetime | None
    clock: int | None
    label: str
    order: str | None
    seq: int
    last: int = 0
    netdev: str | None = None
    port: str | None = None
    tools: list[str] = field(default_factory=list)
    names: set[tuple[str, str]] = field(default_factory=set)


class Reader:
    """What must be remembered from line to line."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.file_label, self.file_order = label_of_path(path)
        self.path_device = device_of_path(path)
        self.places: dict[str, Place] = {"": Place(label=self.file_label, order=self.file_order)}
        self.place = self.places[""]
        self.rows: list[tuple[Any, ...]] = []
        self.events: list[tuple[Any, ...]] = []
        self.unread: list[int] = []
        self.snapshots: dict[tuple[str | None, str], Snapshot] = {}
        self.rdma_of: dict[tuple[str | None, str], str] = {}
        self.identities: set[tuple[Any, ...]] = set()
        self.number = 0
        self.epochs = 0

    # --- lines

    def line(self, number: int, text: str) -> None:
        """Takes one line."""
        self.number = number
        if not text or text.isspace():
            return
        place = self.places[""]
        if place.tool == "ethtool" and text.startswith("     ") and (found := STAT.match(text)):
            self.place = place
            self._keep("ethtool", found[2], float(found[3]))
            return
        if (found := PREFIXED.match(text)) and not text.startswith("link "):
            text = found[2]
            place = self.places.setdefault(found[1], Place(host=found[1].split(".")[0], label=self.file_label, order=self.file_order))
        self.place = place
        if not (self._counter(text) or self._state(text) or self._banner(text)):
            self.unread.append(number)

    def _counter(self, text: str) -> bool:
        place = self.place
        if place.pending:
            path, place.pending = place.pending, ""
            if NUMBER.match(text.strip()):
                return self._counter(f"{path}:{text.strip()}")
        if text[0] in " \t":
            return self._indented(text)
        if text.startswith("link ") or RDMA_LINK.match(text):
            return self._link(text)
        if "/" in text and (self._path(text) or self._net_path(text)):
            return True
        if place.tool == "perfquery" and (found := PERF_ROW.match(text)):
            if NUMBER.match(found[2]):
                self._perf(found[1], int(found[2]))
            return True
        if text.startswith("[{") and '"ifname"' in text:
            return self._json(text)
        if (place.device or place.netdev) and (found := LOOSE.match(text)) and LOOSE_NAME.match(found[1]):
            self._keep(place.tool or "sysfs", found[1], float(found[2]))
            return True
        if NUMBER.match(text) and (named := PATH.match(f"{self.path}:{text}")) and (named["group"] or named["whole"]):
            # One file for each counter, named after it.
            return self._path(f"{self.path}:{text}")
        return False

    def _indented(self, text: str) -> bool:
        place = self.place
        if place.tool == "rdma" and (found := RDMA_ROW.match(text)):
            self._keep("rdma", found[1], float(found[2]))
            return True
        if (found := ERRORS_ROW.match(text)) and place.tool == "ibqueryerrors":
            self._errors(found[1], found[2])
            return True
        if place.tool in ("ibstat", "ibv_devinfo", "mlxlink", "settings"):
            return False
        if (found := STAT.match(text)) and (place.tool == "ethtool" or LOOSE_NAME.match(found[2])):
            self._keep("ethtool", found[2], float(found[3]))
            return True
        if (place.device or place.netdev) and (found := LOOSE.match(text)) and LOOSE_NAME.match(found[1]):
            self._keep(place.tool or "sysfs", found[1], float(found[2]))
            return True
        return False

    def _path(self, text: str) -> bool:
        found = PATH.match(text)
        if not found:
            return False
        place = self.place
        if (place.tool, place.device, place.port) != ("sysfs", found["device"], found["port"]):
            self._leave()
            place.tool, place.device, place.port, place.netdev = "sysfs", found["device"], found["port"], None
        if bus := PATH_BUS.search(found["path"]):
            self._identity(device=found["device"], bdf=bus[1].lower())
        if found["group"] or found["whole"]:
            if not NUMBER.match(found["value"]):
                return False
            self._keep("sysfs", found["name"], float(found["value"]))
            return True
        if found["name"] not in ("state", "phys_state", "rate", "link_layer", "lid", "sm_lid"):
            return found["path"].startswith("/sys/")
        place.state_line = place.state_line or self.number
        place.state[found["name"].replace("phys_", "physical_")] = found["value"].strip()
        return True

    def _net_path(self, text: str) -> bool:
        found = NET_PATH.match(text)
        if not found:
            return False
        place = self.place
        place.netdev, place.device, place.port = found["netdev"], None, None
        if NUMBER.match(found["value"]):
            self._keep("netdev", f"netdev.{found['name']}", float(found["value"]))
        elif found["name"] == "operstate":
            self._port_state({"state": found["value"]}, self.number)
        return True

    def _link(self, text: str) -> bool:
        found = RDMA_LINK.match(text)
        if not found:
            return False
        place = self.place
        self._leave()
        place.device, place.port, place.tool, place.netdev = found[1], found[2], "rdma", None
        words = (found[3] or "").split()
        if words[:1] in (["state"], ["subnet_prefix"]):
            said = dict(zip(words[::2], words[1::2], strict=False))
            if said.get("netdev"):
                place.netdev = said["netdev"]
                self._identity(device=found[1], netdev=said["netdev"])
            self._port_state({"state": said.get("state", ""), "physical_state": said.get("physical_state", "")}, self.number)
            return True
        for name, value in zip(words[::2], words[1::2], strict=False):
            if NUMBER.match(value):
                self._keep("rdma", name, float(value))
        return True

    def _json(self, text: str) -> bool:
        try:
            ports = json.loads(text)
        except (ValueError, RecursionError):
            return False
        for port in ports if isinstance(ports, list) else ():
            if isinstance(port, dict) and isinstance(port.get("ifname"), str):
                self.place.device, self.place.port, self.place.netdev = port["ifname"], str(port.get("port", "")) or None, None
                for name, value in port.items():
                    if name not in ("ifname", "port", "ifindex") and isinstance(value, int) and not isinstance(value, bool):
                        self._keep("rdma", name, float(value))
        return True

    def _perf(self, name: str, value: int) -> None:
        ours, full = PERFQUERY.get(name, ("", 0))
        if not ours:
            if name in ("PortSelect", "CounterSelect", "CounterSelect2"):
                return
            ours = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        if self.place.saturates and full and value == full:
            fields = {"device": self._name(), "port": self.place.port, "name": ours, "value": str(value)}
            self._event(self.number, "counters.saturated", 2, f"{self._name()} {ours} stopped counting at {value}", fields)
        self._keep("perfquery", ours, float(value))

    def _errors(self, port: str, cells: str) -> None:
        self.place.port = port
        for name, value in ERRORS_CELL.findall(cells):
            self._keep("ibqueryerrors", PERFQUERY.get(name, (name, 0))[0], float(value))

    # --- states of ports

    def _state(self, text: str) -> bool:
        place = self.place
        if text.startswith("NIC statistics:") or text.strip() == "NIC statistics:":
            self._leave()
            place.tool = "ethtool"
            return True
        if found := PERF_HEAD.match(text):
            self._leave()
            if place.device is None or place.device.startswith("lid"):
                # Nothing else names the port than its address in the fabric.
                place.device = None if self.path_device else f"lid{found[2]}"
            place.tool, place.saturates, place.port = "perfquery", not found[1], found[3]
            return True
        if found := ERRORS_FOR.match(text):
            self._leave()
            host, _, device = found[1].rpartition(" ")
            place.tool, place.device, place.netdev, place.host = "ibqueryerrors", device, None, host or None
            return True
        if found := DEV2NET.match(text):
            return self._dev2net(found)
        if found := IBSTAT.match(text) or HCA_ID.match(text):
            self._leave()
            place.tool = "ibstat" if text.startswith("CA") else "ibv_devinfo"
            place.device, place.netdev, place.port, place.above = found[1], None, None, {}
            return True
        if found := IBSTATUS.match(text):
            self._leave()
            place.tool, place.device, place.port, place.netdev = "ibstat", found[1], found[2], None
            place.state_line = self.number
            return True
        if found := SETTINGS.match(text):
            self._leave()
            place.tool, place.netdev, place.device = "settings", found[1], None
            place.state_line = self.number
            return True
        if SECTION.match(text):
            if text.startswith("Operational"):
                self._leave()
            place.tool = "mlxlink"
            return True
        if self._module(text):
            return True
        if found := INFO.match(text):
            return self._driver(found[1], (found[2] or "").strip())
        return place.tool in ("ibstat", "ibv_devinfo", "settings", "mlxlink") and self._key(text)

    def _module(self, text: str) -> bool:
        """A flag of the transceiver that is up, or a value outside the range printed with it."""
        if found := MODULE_FLAG.match(text):
            what = found[5] or f"{found[1]} {found[2]} {found[3]}"
            lane, level = found[4], found[3] or "alarm"
        elif found := MODULE_RANGE.match(text):
            values = [float(value) for value in found[3].split(",") if re.fullmatch(r"-?\d+(?:\.\d+)?", value)]
            low, high = float(found[4]), float(found[5])
            beyond = [value for value in values if not low <= value <= high]
            if not beyond:
                return True
            what, lane, level = f"{found[1]} {'high' if beyond[0] > high else 'low'} ({beyond[0]:g} {found[2]})", None, "alarm"
        else:
            return False
        fields = {"device": self._name(), "what": what, "level": level, "lane": lane}
        self._event(self.number, "nic.module_alarm", 2, f"{self._name() or 'a module'}: {what}", fields)
        return True

    def _dev2net(self, found: re.Match[str]) -> bool:
        self._leave()
        place = self.place
        place.device, place.netdev, place.port = found["device"], found["netdev"], found["port"]
        self._identity(device=found["device"], netdev=found["netdev"], bdf=(found["bdf"] or "").lower())
        self._port_state({"state": found["up"], "physical_state": found["state"] or ""}, self.number)
        place.device = place.netdev = place.port = None
        return True

    def _driver(self, key: str, value: str) -> bool:
        """ethtool -i; the bus address comes last of what matters."""
        place = self.place
        place.above[key] = value
        if key == "bus-info" and place.netdev and re.fullmatch(BUS, value):
            more = {"driver": place.above.get("driver"), "firmware": place.above.get("firmware-version")}
            self._identity(device=place.device, netdev=place.netdev, bdf=value.lower(), **more)
            place.above = {}
        return True

    def _key(self, text: str) -> bool:
        """`Key: value` of ibstat, ibv_devinfo, ethtool's settings and mlxlink."""
        found = KEY.match(text)
        place = self.place
        if not found or (text[0] not in " \t" and place.tool != "mlxlink"):
            return False
        key, value = found[1].lower().strip(), found[2].strip()
        if place.tool == "mlxlink":
            return self._mlxlink(key, value)
        if (number := re.match(r"^port (\d+)$", key)) or (key == "port" and (number := re.match(r"^(\d+)$", value))):
            self._leave()
            place.port, place.state_line = number[1], self.number
            return True
        names = {
            "state": "state",
            "physical state": "physical_state",
            "phys state": "physical_state",
            "phys_state": "physical_state",
            "rate": "rate",
            "speed": "rate",
            "link detected": "state",
            "link layer": "link_layer",
            "link_layer": "link_layer",
            "base lid": "lid",
            "port_lid": "lid",
            "sm lid": "sm_lid",
            "sm_lid": "sm_lid",
            "active_mtu": "mtu",
            "active_width": "width",
            "active_speed": "rate",
            "port guid": "guid",
        }
        above = {"ca type": "type", "firmware version": "firmware", "fw_ver": "firmware", "node guid": "node_guid"}
        if key in above:
            place.above[above[key]] = value
        elif key in names and (place.state_line or place.tool != "ibstat"):
            place.state_line = place.state_line or self.number
            place.state[names[key]] = value
        return True

    def _mlxlink(self, key: str, value: str) -> bool:
        place = self.place
        names = {
            "effective physical ber": "mlxlink.effective_ber",
            "symbol ber": "mlxlink.symbol_ber",
            "raw physical ber": "mlxlink.raw_ber",
            "effective physical errors": "mlxlink.effective_errors",
            "symbol errors": "mlxlink.symbol_errors",
            "link down counter": "mlxlink.link_down",
            "link error recovery counter": "mlxlink.link_error_recovery",
            "time since last clear [min]": "mlxlink.since_clear_min",
        }
        if key in names:
            if found := re.match(r"^[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?(?=$|\s)", value):
                self._keep("mlxlink", names[key], float(found[0]))
        elif key in ("state", "physical state", "speed", "width", "recommendation"):
            place.state_line = place.state_line or self.number
            place.state[{"physical state": "physical_state", "speed": "rate"}.get(key, key)] = value
        return True

    def _leave(self) -> None:
        """Tells the state of the port above, if the lines named one."""
        place = self.place
        if place.state:
            self._port_state({**place.above, **place.state}, place.state_line)
        place.state, place.state_line = {}, 0
        if place.tool not in ("ibstat", "ibv_devinfo"):
            place.above = {}

    def _port_state(self, said: dict[str, str], line: int) -> None:
        place = self.place
        said = {key: re.sub(r"^\d+: ", "", value) for key, value in said.items() if value}
        if rate := re.match(r"^([0-9.]+)(?: ?(Gb/s(?:ec)?|Mb/s))?(?: .*)?$", said.get("rate", "")):
            # The bare number of ibstat and what others print, all in Gb/s.
            said["rate"] = f"{float(rate[1]) / (1000 if rate[2] == 'Mb/s' else 1):g}" if rate[1].strip(".") else rate[1]
        state = said.get("state", "")
        if place.tool == "settings":
            state = said["state"] = {"yes": "up", "no": "down"}.get(state, state)
        good = re.sub(r" \(\d+\)$", "", state).lower() in STATE_WORDS
        fields = {"device": place.device, "netdev": place.netdev, "port": place.port, **said}
        where = f"{place.device or place.netdev or '?'}" + (f" port {place.port}" if place.port else "")
        self._event(line, "nic.port_state", 1 if good else 2, f"{where}: {state or said.get('physical_state', 'no state')}", fields)

    def _identity(self, **known: str | None) -> None:
        fields = {key: value for key, value in known.items() if value}
        if fields.get("device") and fields.get("netdev"):
            self.rdma_of[self.place.host, str(fields["netdev"])] = str(fields["device"])
        key = (self.place.host, *sorted(fields.items()))
        if len(fields) > 1 and key not in self.identities:
            self.identities.add(key)
            self._event(self.number, "nic.identity", 1, " ".join(str(value) for value in fields.values()), fields)

    # --- banners

    def _banner(self, text: str) -> bool:
        """A line that says what comes next: command, device, host, time, before or after."""
        if found := HEADER.match(text):
            self.place.pending = found[1]
            return True
        lead = LEAD.match(text)
        body = text[lead.end() :].strip(" #=*-<>:") if lead else text.strip()
        stamp = TIME.search(body)
        device, netdev, bus = RDMA_WORD.search(body), NETDEV_WORD.search(body), BUS_WORD.search(body)
        command = COMMAND.search(body)
        tool = TOOL.search(body)
        bare = re.fullmatch(rf"[\[(]?(?:{RDMA}|{NETDEV})[\])]?:?", body) or (stamp and HOST_WORD.match(body.replace(stamp[0], "").strip() or "n0"))
        if not body:
            return True
        if len(body) > 160 or not (lead or bare or (tool and (device or netdev or command) and text[0] != "/")):
            return False
        said = LABEL.search(body.replace(stamp[0], " ") if stamp else body)
        host = self._host(text, body, stamp)
        if not (device or netdev or stamp or said or host or tool) or len(body.split()) > 16:
            return False  # a line of something else that only begins like a banner
        self._leave()
        place = self.place
        if stamp or said or (host and host != place.host):
            self.epochs += 1
            place.epoch = self.epochs
            place.ts, place.clock = when(stamp[0]) if stamp else (place.ts if said is None else None, place.clock)
            if said:
                place.label, place.order = label(said)
            place.host = host or place.host
            place.device = place.netdev = place.port = None
            place.tool = ""
        if tool:
            place.tool = {"hw_counters": "sysfs", "counters": "sysfs", "ibstatus": "ibstat"}.get(tool[1], tool[1])
        self._devices(device, netdev, command, bus)
        return True

    def _devices(
        self, device: re.Match[str] | None, netdev: re.Match[str] | None, command: re.Match[str] | None, bus: re.Match[str] | None
    ) -> None:
        place = self.place
        asked = (command[1] or command[2]) if command else None
        if device or netdev or asked:
            place.device = device[1] if device else None
            place.port = (device[2] or device[3]) if device else None
            place.netdev = asked if asked and asked != place.device else (netdev[1] if netdev else None)
            self._identity(device=place.device, netdev=place.netdev, bdf=bus[1].lower() if bus else None)

    def _host(self, text: str, body: str, stamp: re.Match[str] | None) -> str | None:
        if found := PROMPT.match(text):
            return found[1]
        if found := HOST.search(body):
            return (found[1] or found[2]).split(".")[0]
        if stamp is None and not LABEL.search(body):
            return None
        rest = body.replace(stamp[0], " ") if stamp else body
        words = [word.strip("()[],:@").split(".")[0] for word in rest.split()]
        likely = [word for word in words if HOST_WORD.match(word) and not NOT_HOSTS.match(word) and not LABEL.match(word)]
        return likely[0] if len(likely) == 1 else None

    # --- rows

    def _name(self) -> str | None:
        """The device as it is called in the rows: ports other than 1 are named with it. Where no line names one, the path may."""
        place = self.place
        device = place.device or self._rdma(place.host, place.netdev) or place.netdev or self.path_device
        return f"{device}:{place.port}" if device and place.port not in (None, "1") else device

    def _rdma(self, host: str | None, netdev: str | None) -> str | None:
        """The RDMA device of a netdev; said without a host it holds for all."""
        if netdev is None:
            return None
        return self.rdma_of.get((host, netdev)) or self.rdma_of.get((None, netdev))

    def _keep(self, tool: str, name: str, value: float) -> None:
        place = self.place
        device = self._name()
        key = (place.host, device or "")
        snapshot = self.snapshots.get(key)
        if snapshot is None or snapshot.epoch != place.epoch or (tool, name) in snapshot.names:
            if snapshot is not None:
                self._tell(key, snapshot)
            seq = snapshot.seq + 1 if snapshot else 0
            snapshot = Snapshot(self.number, place.epoch, place.ts, place.clock, place.label or "", place.order, seq)
            self.snapshots[key] = snapshot
        snapshot.names.add((tool, name))
        if tool not in snapshot.tools:
            snapshot.tools.append(tool)
        snapshot.last = self.number
        snapshot.netdev = place.netdev or snapshot.netdev
        snapshot.port = place.port or snapshot.port
        self.rows.append((self.number, place.ts, place.clock, place.host, device, name, value, *nature(name)))

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
        pairs = [{"key": k, "value": v} for k, v in fields.items() if v is not None]
        self.events.append((snapshot.line, snapshot.ts, snapshot.clock, host, "counters.snapshot", 1, said, pairs))

    def _event(self, line: int, kind: str, severity: int, message: str, fields: dict[str, str | None]) -> None:
        place = self.place
        pairs = [{"key": key, "value": value} for key, value in fields.items() if value]
        self.events.append((line, place.ts, place.clock, place.host, kind, severity, message, pairs))

    def end(self) -> None:
        """Tells what is still open."""
        for place in self.places.values():
            self.place = place
            self._leave()
        for key, snapshot in self.snapshots.items():
            self._tell(key, snapshot)
        self.snapshots = {}

    def take(self) -> Found:
        """Everything kept, once; counters of a netdev move to its RDMA device if a later line told which it is."""
        if self.rows:
            frame = pl.DataFrame(list(zip(*self.rows, strict=True)), schema=METRICS, strict=False)
            yield "metrics", self._renamed(frame)
        if self.events:
            yield "events", pl.DataFrame(list(zip(*self.events, strict=True)), schema=EVENTS, strict=False)
        if self.unread:
            yield "unread", pl.DataFrame({"line": self.unread}, schema={"line": pl.UInt64})
        self.rows, self.events, self.unread = [], [], []

    def _renamed(self, frame: pl.DataFrame) -> pl.DataFrame:
        for (host, netdev), device in self.rdma_of.items():
            same = pl.col("device") == netdev
            if host is not None:
                same = same & (pl.col("host") == host)
            frame = frame.with_columns(device=pl.when(same).then(pl.lit(device)).otherwise("device"))
        return frame


METRICS = {
    "line": pl.UInt64,
    "ts": pl.Datetime("us"),
    "ts_clock": pl.Int8,
    "host": pl.String,
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
    "host": pl.String,
    "kind": pl.String,
    "severity": pl.Int8,
    "message": pl.String,
    "fields": pl.List(pl.Struct({"key": pl.String, "value": pl.String})),
}


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


def label(found: re.Match[str]) -> tuple[str, str]:
    """`before` or `after` and a number to sort by."""
    word = found[1].lower()
    number = found[2] or found[3]
    if number is not None:
        return ("before" if int(number) == 0 else "after") if found[2] else "", number
    return ("before", "0") if word in FIRST else ("after", "1")


def label_of_path(path: str) -> tuple[str, str | None]:
    """The same from the name of a file, else from the directories above it; a number or time in the name only sorts."""
    folders, _, name = path.rpartition("/")
    found = LABEL.findall(name)
    if found:
        last = list(LABEL.finditer(name))[-1]
        return label(last)
    for folder in reversed(folders.split("/")):
        if match := re.fullmatch(r"(?i)(before|after|t(\d{1,3})|snap(?:shot)?[ _#-]?(\d{1,4}))", folder):
            return label(match)
    if match := re.search(r"20[0-9]{6}[T_-]?[0-9]{4,6}|1[4-9][0-9]{8}", name):
        return "", re.sub(r"\D", "", match[0])
    match = re.search(r"[._-](\d{1,6})(?:\.[a-z]+)?$", name)
    return "", match[1] if match else None


def device_of_path(path: str) -> str | None:
    """The one device that a path names: ethtool_ens1f0_before.txt, mlx5_0/ports."""
    words = [word for word in re.split(r"[/.-]|_(?!\d)", path) if word]
    found = {word for word in words if re.fullmatch(rf"{RDMA}|{NETDEV}", word)}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=4096)
def when(text: str) -> tuple[datetime | None, int | None]:
    """Time and clock of a time string."""
    # `date` in a locale with a twelve-hour clock, and times as file names have them.
    if found := re.match(r"^(.*) (\d\d)(:\d\d:\d\d) ([AP])M(.*)$", text):
        text = f"{found[1]} {int(found[2]) % 12 + 12 * (found[4] == 'P'):02}{found[3]}{found[5]}"
    text = re.sub(r"^(20\d{6})[T_-](\d\d)(\d\d)(\d\d)$", r"\1 \2:\3:\4", text).replace("_", " ")
    found_times = clock.read_times(pl.Series([text.strip()]))
    return found_times["ts"][0], found_times["clock"][0]
