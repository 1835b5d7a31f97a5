"""Lines that say what comes next: command, device, host, time, before or after the job."""

import re

from .devices import BUS_WORD, NETDEV, NETDEV_WORD, RDMA, RDMA_WORD
from .labels import HOST_WORD, LABEL, TIME, host_of, label, when
from .ledger import Ledger

LEAD = re.compile(r"^(?:[#=*+<>~%$|-]+|\[\S+@\S+ [^\]]*\][#$]|\S+@[\w.-]+:\S*[#$]|\++)\s*")
TOOL = re.compile(r"\b(ethtool|perfquery|ibqueryerrors|rdma|ibstatus|ibstat|ibv_devinfo|ibdev2netdev|mlxlink|sysfs|hw_counters|counters)\b")
COMMAND = re.compile(r"\bethtool\s+(?:-\w+|--\w+)\s+(\S+)|\bethtool\s+([A-Za-z]\S+)")
HEADER = re.compile(r"^==> (\S+) <==$")


class Banners:
    """What a banner says goes to the place of the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def line(self, text: str) -> bool:
        """A line that says what comes next: command, device, host, time, before or after."""
        if found := HEADER.match(text):
            self.ledger.place.pending = found[1]
            return True
        lead = LEAD.match(text)
        body = text[lead.end() :].strip(" #=*-<>:") if lead else text.strip()
        stamp = TIME.search(body)
        device, netdev, bus = RDMA_WORD.search(body), NETDEV_WORD.search(body), BUS_WORD.search(body)
        command = COMMAND.search(body)
        tool = TOOL.search(body)
        bare = re.fullmatch(rf"[\[(]?(?:{RDMA}|{NETDEV})[\])]?:?", body) or (
            stamp and HOST_WORD.match(body.replace(stamp[0], "").strip() or "n0")
        )
        if not body:
            return True
        if len(body) > 160 or not (lead or bare or (tool and (device or netdev or command) and text[0] != "/")):
            return False
        said = LABEL.search(body.replace(stamp[0], " ") if stamp else body)
        host = host_of(text, body, stamp)
        if not (device or netdev or stamp or said or host or tool) or len(body.split()) > 16:
            return False  # a line of something else that only begins like a banner
        self.ledger.leave()
        place = self.ledger.place
        if stamp or said or (host and host != place.host):
            self.ledger.epochs += 1
            place.epoch = self.ledger.epochs
            if stamp:
                place.time = when(stamp[0])
            elif said:
                place.time = (None, place.time[1])
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
        place = self.ledger.place
        asked = (command[1] or command[2]) if command else None
        if device or netdev or asked:
            place.device = device[1] if device else None
            place.port = (device[2] or device[3]) if device else None
            place.netdev = asked if asked and asked != place.device else (netdev[1] if netdev else None)
            self.ledger.identity(device=place.device, netdev=place.netdev, bdf=bus[1].lower() if bus else None)
