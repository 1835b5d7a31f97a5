"""Reads dumps of NIC counters and port states: ethtool, sysfs, rdma, perfquery, ibstat and their kin, in one file or many."""

import re
from typing import BinaryIO

from ncclscope.reading import Found, lines_of
from ncclscope.sources import Source

from .banners import Banners
from .counters import STAT, Counters
from .kernel_tables import KernelTables
from .ledger import Ledger
from .ports import Ports
from .switch_tables import SwitchTables

LONGEST_LINE = 65536  # `rdma statistic` prints all counters of a port on one line
PREFIXED = re.compile(
    r"^([A-Za-z0-9][\w.-]*): (?=\s*(?:/sys/|link \w|NIC statistics|# Port |CA '|hca_id|\S+ port \d+ ==>|#{3,}|={3,})|\s{4,}\S+: \d)(.*)$"
)

# A shell's prompt says what comes next, here and to the parser of prompts.
PROMPT = re.compile(r"^(?:\(\S+\) )?(?:\[\S+@\S+ [^\]]*\][#$]|[a-z_][\w.-]*@[\w.-]+:[~/]\S* ?[#$])")


def read(stream: BinaryIO, source: Source) -> Found:
    """Metrics of every counter, and events for snapshots, identities and port states; see the TOML beside."""
    reader = Reader(source.member or source.path or "")
    for number, text in lines_of(stream, LONGEST_LINE):
        reader.line(number, text)
        if reader.ledger.rows.full:
            yield from reader.ledger.take()
    reader.ledger.end()
    yield from reader.ledger.take()


class Reader:
    """Gives each line to whoever knows it."""

    def __init__(self, path: str) -> None:
        self.ledger = Ledger(path)
        self.takers = (
            Counters(self.ledger).line,
            Ports(self.ledger).line,
            KernelTables(self.ledger).line,
            SwitchTables(self.ledger).line,
            Banners(self.ledger).line,
        )

    def line(self, number: int, text: str) -> None:
        """Takes one line."""
        ledger = self.ledger
        ledger.number = number
        if not text or text.isspace():
            return
        ledger.place = ledger.at("")
        if ledger.place.tool == "ethtool" and text.startswith("     ") and (found := STAT.match(text)):
            ledger.keep("ethtool", found[2], float(found[3]))
            return
        if (found := PREFIXED.match(text)) and not text.startswith("link "):
            ledger.place, text = ledger.at(found[1]), found[2]
        if not any(take(text) for take in self.takers) or PROMPT.match(text):
            ledger.rows.unread.append(number)
