"""Counters of the kernel's interfaces in the tables of `ip -s link`, /proc/net/dev and node_exporter."""

import re

from .ledger import Ledger

LINK = re.compile(r"^\d+: ([A-Za-z][\w.-]*)(?:@\w+)?: <([A-Z_,-]*)> mtu \d+")
HEADING = re.compile(r"^\s+([RT])X(?: errors)?:\s+([a-z][a-z ]*)$")
NUMBERS = re.compile(r"^\s+\d+(?:\s+\d+)+$")
PROC = re.compile(r"^\s*([A-Za-z][\w.-]*):\s*(\d+(?:\s+\d+){15})$")
# columns of /proc/net/dev, receive then transmit
PROC_COLUMNS = (
    "rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "rx_fifo_errors", "rx_frame_errors", "", "",
    "tx_bytes", "tx_packets", "tx_errors", "tx_dropped", "tx_fifo_errors", "", "tx_carrier_errors", "",
)  # fmt: skip
# columns of `ip -s -s link`, called as in /sys/class/net/*/statistics
IP_COLUMNS = {"dropped": "dropped", "missed": "missed_errors", "carrier": "carrier_errors", "crc": "crc_errors", "frame": "frame_errors",
              "fifo": "fifo_errors", "length": "length_errors", "aborted": "aborted_errors", "overrun": "over_errors"}  # fmt: skip
PROMETHEUS = re.compile(r"^node_(network|infiniband)_(\w+)\{([^}]*)\}\s+([0-9.eE+]+)(?:\s+\d+)?$")
LABELS = re.compile(r'(\w+)="([^"]*)"')
# node_exporter's words for the counters of sysfs
INFINIBAND = {
    "link_downed": "link_downed", "link_error_recovery": "link_error_recovery", "port_errors_received": "port_rcv_errors",
    "port_discards_transmitted": "port_xmit_discards", "port_discards_received": "port_rcv_discards", "symbol_error": "symbol_error",
    "local_link_integrity_errors": "local_link_integrity_errors", "excessive_buffer_overrun_errors": "excessive_buffer_overrun_errors",
    "port_packets_received": "port_rcv_packets", "port_packets_transmitted": "port_xmit_packets", "port_transmit_wait": "port_xmit_wait",
    "port_receive_remote_physical_errors": "port_rcv_remote_physical_errors",
    "port_constraint_errors_received": "port_rcv_constraint_errors",
}  # fmt: skip
NETWORK = {
    "receive_errs": "rx_errors", "receive_drop": "rx_dropped", "receive_packets": "rx_packets", "receive_fifo": "rx_fifo_errors",
    "receive_frame": "rx_frame_errors", "transmit_errs": "tx_errors", "transmit_drop": "tx_dropped", "transmit_packets": "tx_packets",
    "transmit_carrier": "tx_carrier_errors", "carrier_changes": "carrier_changes", "carrier_down_changes": "carrier_down_count",
}  # fmt: skip
VIRTUAL = re.compile(r"^(?:lo|docker|br-|virbr|veth|vnet|cni|flannel|cali|tun|tap|lxc|dummy|vxlan|kube|cilium)")


class KernelTables:
    """The interface and the columns at hand."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.columns: list[str] = []

    def line(self, text: str) -> bool:
        """Takes a line of one of the tables."""
        if found := LINK.match(text):
            self.ledger.enter("ip", device=None, netdev=found[1], port=None)
            return True
        if self.ledger.place.tool == "ip" and text[0] == " ":
            return self._ip(text)
        if found := PROC.match(text):
            self.ledger.enter("proc", device=None, netdev=found[1], port=None)
            for name, value in zip(PROC_COLUMNS, found[2].split(), strict=True):
                if name:
                    self.ledger.keep("proc", f"netdev.{name}", float(value))
            return True
        if text.startswith("node_") and (found := PROMETHEUS.match(text)):
            return self._metric(found[1], found[2], dict(LABELS.findall(found[3])), found[4])
        return text.startswith(("Inter-|", " face |")) or bool(re.match(r"^# (?:HELP|TYPE) node_(?:network|infiniband)_", text))

    def _ip(self, text: str) -> bool:
        if found := HEADING.match(text):
            self.columns = [f"{found[1].lower()}x_{IP_COLUMNS.get(word, word)}" for word in found[2].split()]
            return True
        if self.columns and NUMBERS.match(text):
            for name, value in zip(self.columns, text.split(), strict=False):
                self.ledger.keep("ip", f"netdev.{name}", float(value))
            self.columns = []
            return True
        return bool(re.match(r"^\s+(?:link/|altname |vf \d|inet)", text))

    def _metric(self, group: str, name: str, labels: dict[str, str], value: str) -> bool:
        device = labels.get("device")
        known = (INFINIBAND if group == "infiniband" else NETWORK).get(name.removesuffix("_total"))
        if not device or not known or VIRTUAL.match(device):
            return True
        host = (labels.get("instance") or labels.get("node") or "").rpartition(":")[0] or labels.get("node") or None
        place = self.ledger.place
        if group == "infiniband":
            place.device, place.netdev, place.port = device, None, labels.get("port")
        else:
            place.device, place.netdev, place.port = None, device, None
            known = f"netdev.{known}"
        place.host = host.split(".")[0] if host and not host.replace(".", "").isdigit() else place.host
        self.ledger.keep("node_exporter", known, float(value))
        return True
