"""Reads matrices of bandwidth between GPUs, and between host and GPUs: p2pBandwidthLatencyTest and nvbandwidth."""

import re
from typing import BinaryIO

from ncclscope.reading import Found, Rows, lines_of
from ncclscope.sources import Source

LONGEST_LINE = 8192
P2P = re.compile(r"^(Uni|Bi)directional P2P=(Enabled|Disabled) Bandwidth(?: \([\w ]+\))? Matrix \(GB/s\)")
MEMCPY = re.compile(r"^memcpy (?:CE|SM|\w+) ([CG]PU)\(row\) (<-|->|<->) ([CG]PU)\(column\) bandwidth \(GB/s\)")
OTHER = re.compile(r"^(?:P2P=\w+ .*Latency|Running |SUM |Device: \d+, |P2P Connectivity Matrix)")
HEADING = re.compile(r"^\s*(?:D\\D\s+)?\d{1,2}(?:\s+\d{1,2})+\s*$")
ROW = re.compile(r"^\s*(\d{1,2})((?:\s+(?:\d+(?:\.\d+)?|N/A))+)\s*$")


def read(stream: BinaryIO, source: Source) -> Found:
    """An event for each cell: which test, from where to where, and how much."""
    rows = Rows()
    test, across, title = "", False, 0
    columns: list[int] = []
    for number, text in lines_of(stream, LONGEST_LINE):
        if found := P2P.match(text):
            test = f"p2p {found[1].lower()}directional" + ("" if found[2] == "Enabled" else " disabled")
            across, columns, title = True, [], number
        elif found := MEMCPY.match(text):
            test = f"{found[1].lower()} {found[2]} {found[3].lower()}"
            across, columns, title = found[1] == found[3] == "GPU", [], number
        elif OTHER.match(text):
            test, columns = "", []
        elif test and not columns and HEADING.match(text):
            columns = [int(word) for word in text.replace("D\\D", "").split()]
        elif columns and (found := ROW.match(text)) and len(cells := found[2].split()) == len(columns):
            for column, cell in zip(columns, cells, strict=True):
                if cell != "N/A" and not (across and column == int(found[1])):
                    fields = {"test": test, "from": int(found[1]) if across else None, "to": column, "gbps": float(cell), "matrix": title}
                    rows.event(number, "gpu.pair_bandwidth", 1, f"{test}: {cell} GB/s", fields, gpu=column)
        elif text and not text.isspace():
            rows.unread.append(number)
        if rows.full:
            yield from rows.take()
    yield from rows.take()
