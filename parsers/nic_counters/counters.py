"""Lines that hold counters: of ethtool, sysfs, rdma, perfquery and ibqueryerrors."""

import json
import re

from .devices import BUS
from .ledger import Ledger
from .names import PERFQUERY

NUMBER = re.compile(r"^-?[0-9]{1,20}$")
PATH = re.compile(
    r"^(?P<path>(?:\S*/)?)(?P<device>[A-Za-z][\w.-]*)/(?:ports/(?P<port>\d+)(?:/(?P<group>hw_counters|counters))?|(?P<whole>hw_counters))"
    r"/(?P<name>[A-Za-z][^:=/]*?)\s*[:=]\s*(?P<value>.*)$"
)
PATH_BUS = re.compile(rf"/({BUS})/infiniband/$")
NET_PATH = re.compile(r"^\S*/net/(?P<netdev>[^/]+)/(?:statistics/)?(?P<name>\w+)\s*[:=]\s*(?P<value>\S+)$")
STAT = re.compile(r"^(\s+)(\S.*?): (-?[0-9]{1,20})$")
RDMA_LINK = re.compile(r"^(?:\d+: )?link (\S+?)/(\d+)(?: (.*))?$")
RDMA_ROW = re.compile(r"^\s{2,8}([A-Za-z]\w*) (\d{1,20})$")
PERF_ROW = re.compile(r"^([A-Z]\w+):\.*\s*(0x[0-9a-fA-F]+|-?\d{1,20})$")
ERRORS_ROW = re.compile(r"^\s*GUID 0x[0-9a-f]+ port (\d+|ALL): *(\[.*)$")
ERRORS_CELL = re.compile(r"\[(\w+) == (\d+)")
# `name value` without a path, as loops over sysfs print it: only names that are surely counters.
LOOSE = re.compile(r"^\s*([A-Za-z]\w+)\s*[:= ]\s*(\d{1,20})$")
LOOSE_NAME = re.compile(
    r"^(?:symbol_error|link_(?:error_recovery|downed|down_events\w*)|local_link_integrity_errors|excessive_buffer_overrun_errors|VL15_dropped"
    r"|port_(?:rcv|xmit)_\w+|(?:uni|multi)cast_(?:rcv|xmit)_packets|duplicate_request|implied_nak_seq_err|local_ack_timeout_err"
    r"|np_\w+|rp_cnp_\w+|out_of_(?:buffer|sequence)|packet_seq_err|re[qs]p?_\w+_err\w*|req_\w+_exceeded|rnr_nak_retry_err|roce_\w+|rx_\w+|tx_\w+"
    r"|retrans_\w+|(?:unresponsive|impaired)_remote\w*|outbound_pci_\w+|module_\w+)$"
)


class Counters:
    """Counters go to the place of the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def line(self, text: str) -> bool:
        """Takes a line; False if it is something else."""
        place = self.ledger.place
        if place.pending:
            path, place.pending = place.pending, ""
            if NUMBER.match(text.strip()):
                return self.line(f"{path}:{text.strip()}")
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
        if self._loose(text):
            return True
        if NUMBER.match(text) and (named := PATH.match(f"{self.ledger.path}:{text}")) and (named["group"] or named["whole"]):
            # One file for each counter, named after it.
            return self._path(f"{self.ledger.path}:{text}")
        return False

    def _indented(self, text: str) -> bool:
        place = self.ledger.place
        if place.tool == "rdma" and (found := RDMA_ROW.match(text)):
            self.ledger.keep("rdma", found[1], float(found[2]))
            return True
        if (found := ERRORS_ROW.match(text)) and place.tool == "ibqueryerrors":
            self._errors(found[1], found[2])
            return True
        if place.tool in ("ibstat", "ibv_devinfo", "mlxlink", "settings"):
            return False
        if (found := STAT.match(text)) and (place.tool == "ethtool" or LOOSE_NAME.match(found[2])):
            self.ledger.keep("ethtool", found[2], float(found[3]))
            return True
        return self._loose(text)

    def _loose(self, text: str) -> bool:
        place = self.ledger.place
        if not (place.device or place.netdev) or not (found := LOOSE.match(text)) or not LOOSE_NAME.match(found[1]):
            return False
        self.ledger.keep(place.tool or "sysfs", found[1], float(found[2]))
        return True

    def _path(self, text: str) -> bool:
        found = PATH.match(text)
        if not found:
            return False
        place = self.ledger.place
        if (place.tool, place.device, place.port) != ("sysfs", found["device"], found["port"]):
            self.ledger.enter("sysfs", device=found["device"], port=found["port"], netdev=None)
        if bus := PATH_BUS.search(found["path"]):
            self.ledger.identity(device=found["device"], bdf=bus[1].lower())
        if found["group"] or found["whole"]:
            if not NUMBER.match(found["value"]):
                return False
            self.ledger.keep("sysfs", found["name"], float(found["value"]))
            return True
        if found["name"] not in ("state", "phys_state", "rate", "link_layer", "lid", "sm_lid"):
            return found["path"].startswith("/sys/")
        place.state_line = place.state_line or self.ledger.number
        place.state[found["name"].replace("phys_", "physical_")] = found["value"].strip()
        return True

    def _net_path(self, text: str) -> bool:
        found = NET_PATH.match(text)
        if not found:
            return False
        place = self.ledger.place
        place.netdev, place.device, place.port = found["netdev"], None, None
        if NUMBER.match(found["value"]):
            self.ledger.keep("netdev", f"netdev.{found['name']}", float(found["value"]))
        elif found["name"] == "operstate":
            self.ledger.port_state({"state": found["value"]}, self.ledger.number)
        return True

    def _link(self, text: str) -> bool:
        found = RDMA_LINK.match(text)
        if not found:
            return False
        place = self.ledger.enter("rdma", device=found[1], port=found[2], netdev=None)
        words = (found[3] or "").split()
        if words[:1] in (["state"], ["subnet_prefix"]):
            said = dict(zip(words[::2], words[1::2], strict=False))
            if said.get("netdev"):
                place.netdev = said["netdev"]
                self.ledger.identity(device=found[1], netdev=said["netdev"])
            self.ledger.port_state({"state": said.get("state", ""), "physical_state": said.get("physical_state", "")}, self.ledger.number)
            return True
        for name, value in zip(words[::2], words[1::2], strict=False):
            if NUMBER.match(value):
                self.ledger.keep("rdma", name, float(value))
        return True

    def _json(self, text: str) -> bool:
        try:
            ports = json.loads(text)
        except (ValueError, RecursionError):
            return False
        for port in ports if isinstance(ports, list) else ():
            if isinstance(port, dict) and isinstance(port.get("ifname"), str):
                self.ledger.enter("rdma", device=port["ifname"], port=str(port.get("port", "")) or None, netdev=None)
                for name, value in port.items():
                    if name not in ("ifname", "port", "ifindex") and isinstance(value, int) and not isinstance(value, bool):
                        self.ledger.keep("rdma", name, float(value))
        return True

    def _perf(self, name: str, value: int) -> None:
        ours, full = PERFQUERY.get(name, ("", 0))
        if not ours:
            if name in ("PortSelect", "CounterSelect", "CounterSelect2"):
                return
            ours = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        if self.ledger.place.saturates and full and value == full:
            fields = {"device": self.ledger.name(), "port": self.ledger.place.port, "name": ours, "value": str(value)}
            said = f"{self.ledger.name()} {ours} stopped counting at {value}"
            self.ledger.event(self.ledger.number, "counters.saturated", 2, said, fields)
        self.ledger.keep("perfquery", ours, float(value))

    def _errors(self, port: str, cells: str) -> None:
        self.ledger.place.port = port
        for name, value in ERRORS_CELL.findall(cells):
            self.ledger.keep("ibqueryerrors", PERFQUERY.get(name, (name, 0))[0], float(value))
