"""Lines that say how ports are: ibstat, ibstatus, ibv_devinfo, ibdev2netdev, ethtool, mlxlink, and where their counters begin."""

import re

from .devices import BUS
from .ledger import Ledger
from .names import ADAPTER, MLXLINK_COUNTERS, MLXLINK_STATE, PORT

PERF_HEAD = re.compile(r"^# Port (extended )?counters: Lid (\d+) port (\d+)")
ERRORS_FOR = re.compile(r'^Errors for (?:0x[0-9a-f]+ )?"([^"]+)"')
SECTION = re.compile(
    r"^(?:Operational|Supported|Troubleshooting|Tool|Module|Physical Counters and BER|EYE Opening|FEC Errors?)"
    r" Info(?:rmation)?(?: \(.*\))?$"
)
IBSTAT = re.compile(r"^CA '([^']+)'$")
IBSTATUS = re.compile(r"^Infiniband device '([^']+)' port (\d+) status:$")
HCA_ID = re.compile(r"^hca_id:\s*(\S+)$")
DEV2NET = re.compile(
    rf"^(?:(?P<bdf>{BUS}) )?(?P<device>\S+)(?: \(.*\).*)? port (?P<port>\d+) (?:\((?P<state>\w+)\s*\) )?"
    r"==> (?P<netdev>\S+) \((?P<up>\w+)\)$"
)
INFO = re.compile(r"^(driver|version|firmware-version|bus-info|expansion-rom-version|supports-[a-z-]+):(?: (.*))?$")
SETTINGS = re.compile(r"^Settings for (\S+):$")
SLAVE = re.compile(r"^Slave Interface: (\S+)$")  # /proc/net/bonding: below it stand state, speed and how often the link failed
FAILURES = re.compile(r"^Link Failure Count: (\d+)$")
KEY = re.compile(r"^\s*([A-Za-z][\w ()\[\]/-]*?)\s*:\s*(.*)$")
# Flags and ranges of a transceiver: `ethtool -m` says On, mlxlink prints the range behind the value.
MODULE_FLAG = re.compile(
    r"^\s*((?:Module|Laser|Rcvr|Receiver|Transmit)[\w ]*?) (high|low) (alarm|warning)\s*(?:\(Chan(?:nel)? (\d+)\))?\s*: On$"
    r"|^\s*(Rx loss of signal|Tx loss of signal|Rx loss of lock|Tx fault)\s*: (?:Yes|\[[^\]]*\bYes\b.*)$"
)
MODULE_RANGE = re.compile(r"^(Temperature|Voltage|Bias Current|[RT]x Power Current) \[(\w+)\]\s*: ([-\d.,]+) \[(-?[\d.]+)\.\.(-?[\d.]+)\]")


class Ports:
    """States go to the place of the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def line(self, text: str) -> bool:
        """Takes a line; False if it is something else."""
        place = self.ledger.place
        if text.startswith("NIC statistics:") or text.strip() == "NIC statistics:":
            self.ledger.enter("ethtool")
            return True
        if found := PERF_HEAD.match(text):
            self.ledger.enter("perfquery", port=found[3]).saturates = not found[1]
            if place.device is None or place.device.startswith("lid"):
                # Nothing else names the port than its address in the fabric.
                place.device = None if self.ledger.path_device else f"lid{found[2]}"
            return True
        if found := ERRORS_FOR.match(text):
            host, _, device = found[1].rpartition(" ")
            self.ledger.enter("ibqueryerrors", device=device, netdev=None, host=host or None)
            return True
        if found := DEV2NET.match(text):
            return self._dev2net(found)
        if found := IBSTAT.match(text) or HCA_ID.match(text):
            tool = "ibstat" if text.startswith("CA") else "ibv_devinfo"
            self.ledger.enter(tool, device=found[1], netdev=None, port=None).above = {}
            return True
        if found := IBSTATUS.match(text):
            self.ledger.enter("ibstat", device=found[1], port=found[2], netdev=None).state_line = self.ledger.number
            return True
        if found := SETTINGS.match(text):
            self.ledger.enter("settings", netdev=found[1], device=None).state_line = self.ledger.number
            return True
        if found := SLAVE.match(text):
            self.ledger.enter("bonding", netdev=found[1], device=None, port=None).state_line = self.ledger.number
            return True
        if place.tool == "bonding" and (found := FAILURES.match(text)):
            place.state["failures"] = found[1]
            return True
        if SECTION.match(text):
            if text.startswith("Operational"):
                self.ledger.leave()
            place.tool = "mlxlink"
            return True
        if self._module(text):
            return True
        if found := INFO.match(text):
            return self._driver(found[1], (found[2] or "").strip())
        return place.tool in ("ibstat", "ibv_devinfo", "settings", "mlxlink", "bonding") and self._key(text)

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
        fields = {"device": self.ledger.name(), "what": what, "level": level, "lane": lane}
        self.ledger.event(self.ledger.number, "nic.module_alarm", 2, f"{self.ledger.name() or 'a module'}: {what}", fields)
        return True

    def _dev2net(self, found: re.Match[str]) -> bool:
        self.ledger.leave()
        place = self.ledger.place
        place.device, place.netdev, place.port = found["device"], found["netdev"], found["port"]
        self.ledger.identity(device=found["device"], netdev=found["netdev"], bdf=(found["bdf"] or "").lower())
        self.ledger.port_state({"state": found["up"], "physical_state": found["state"] or ""}, self.ledger.number)
        place.device = place.netdev = place.port = None
        return True

    def _driver(self, key: str, value: str) -> bool:
        """ethtool -i; the bus address comes last of what matters."""
        place = self.ledger.place
        place.above[key] = value
        if key == "bus-info" and place.netdev and re.fullmatch(BUS, value):
            more = {"driver": place.above.get("driver"), "firmware": place.above.get("firmware-version")}
            self.ledger.identity(device=place.device, netdev=place.netdev, bdf=value.lower(), **more)
            place.above = {}
        return True

    def _key(self, text: str) -> bool:
        """`Key: value` of ibstat, ibv_devinfo, ethtool's settings and mlxlink."""
        found = KEY.match(text)
        place = self.ledger.place
        if not found or (text[0] not in " \t" and place.tool not in ("mlxlink", "bonding")):
            return False
        key, value = found[1].lower().strip(), found[2].strip()
        if place.tool == "mlxlink":
            return self._mlxlink(key, value)
        if (number := re.match(r"^port (\d+)$", key)) or (key == "port" and (number := re.match(r"^(\d+)$", value))):
            self.ledger.leave()
            place.port, place.state_line = number[1], self.ledger.number
            return True
        if above := ADAPTER.get(key):
            place.above[above] = value
        elif (name := PORT.get(key)) and (place.state_line or place.tool != "ibstat"):
            place.state_line = place.state_line or self.ledger.number
            place.state[name] = value
        return True

    def _mlxlink(self, key: str, value: str) -> bool:
        place = self.ledger.place
        if counter := MLXLINK_COUNTERS.get(key):
            if found := re.match(r"^[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?(?=$|\s)", value):
                self.ledger.keep("mlxlink", counter, float(found[0]))
        elif name := MLXLINK_STATE.get(key):
            place.state_line = place.state_line or self.ledger.number
            place.state[name] = value
        return True
