"""Counters of the ports of a switch in the table of SONiC's `show interfaces counters`."""

import re

from .ledger import Ledger

HEADING = re.compile(r"^\s*IFACE\s+STATE\s+(?=.*\bRX_OK\b)")
RULE = re.compile(r"^\s*-+(?: +-+)+\s*$")
PORT = re.compile(r"^(?:Ethernet|PortChannel)\d+(?:\.\d+)?$")
# What arrives and is not wanted there (RX_DRP) is dropped all the time; what should leave and is dropped is not.
COLUMNS = {
    "RX_OK": "rx_packets", "TX_OK": "tx_packets", "RX_ERR": "netdev.rx_errors", "TX_ERR": "netdev.tx_errors",
    "TX_DRP": "tx_discards_phy", "RX_OVR": "rx_overruns",
}  # fmt: skip


class SwitchTables:
    """The names of the columns of the table at hand."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.names: list[str] = []

    def line(self, text: str) -> bool:
        """Takes a line of the table."""
        if HEADING.match(text):
            self.names = text.split()
            self.ledger.enter("switch", device=None, netdev=None, port=None)
            return True
        return bool(self.names) and (bool(RULE.match(text)) or self._row(text))

    def _row(self, text: str) -> bool:
        cells = re.split(r" {2,}", text.strip())  # a rate has one blank before its unit
        if not PORT.match(cells[0]) or len(cells) != len(self.names):
            self.names = []
            return False
        self.ledger.place.netdev = cells[0]
        for name, cell in zip(self.names, cells, strict=True):
            number = cell.replace(",", "")
            if name in COLUMNS and number.isdigit():
                self.ledger.keep("switch", COLUMNS[name], float(number))
        return True
