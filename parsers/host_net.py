"""Reads what a host's own tools say of its network: sar -n DEV and EDEV, ss -ti, netstat -s and nstat."""

import re
from typing import Any, BinaryIO

from ncclscope.reading import Found, Taker, Time, taken, when
from ncclscope.sources import Source

LONGEST_LINE = 8192
SAR_HEAD = re.compile(r"^Linux \S+ \(([\w.-]+)\)\s+(\d{2,4}[/-]\d\d[/-]\d{2,4})\s")
SAR_COLUMNS = re.compile(r"^(?:\d\d:\d\d:\d\d(?: [AP]M)?|Average:)\s+IFACE\s+(\S.*)$")
SAR_ROW = re.compile(r"^(\d\d:\d\d:\d\d)(?: ([AP])M)?\s+([A-Za-z][\w.-]*)((?:\s+\d+\.\d+)+)$")
# rates a second
SAR_NAMES = {
    "rxerr/s": "rx_errors", "txerr/s": "tx_errors", "rxdrop/s": "rx_dropped", "txdrop/s": "tx_dropped", "txcarr/s": "tx_carrier_errors",
    "rxfram/s": "rx_frame_errors", "rxfifo/s": "rx_fifo_errors", "rxpck/s": "rx_packets", "txpck/s": "tx_packets",
}  # fmt: skip
SOCKET = re.compile(r"^(?:tcp\s+)?ESTAB\s+(\d+)\s+(\d+)\s+(\S+):(\d+)\s+(\S+):(\d+)(?:\s+users:\(\(\"([^\"]*)\",pid=(\d+))?")
SOCKET_MORE = re.compile(r"^\s+.*\b(?:rto|rtt|cwnd):")
NETSTAT = re.compile(r"^\s+(\d+) (segments received|segments? sent out|segments? retransmitt?ed)$")
NSTAT = re.compile(r"^(TcpOutSegs|TcpRetransSegs|TcpExtTCPTimeouts|TcpExtListenDrops)\s+(\d+)\s+[\d.]+$")
NODE = re.compile(r"^node_netstat_Tcp_(OutSegs|RetransSegs)(?:\{[^}]*\})? ([\d.eE+]+)$")


def read(stream: BinaryIO, source: Source) -> Found:
    """Rates of interfaces, counters of TCP, and sockets whose peer does not answer."""
    return taken(stream, Reader(), LONGEST_LINE)


class Reader(Taker):
    """The heading and the socket at hand."""

    def __init__(self) -> None:
        super().__init__()
        self.host: str | None = None
        self.day = ""
        self.hour = -1
        self.columns: list[str] = []
        self.socket: dict[str, Any] = {}

    def line(self, number: int, text: str) -> bool:
        """Takes a line; False if it is something else."""
        if found := SAR_HEAD.match(text):
            self.host, self.day, self.hour = found[1].split(".")[0], found[2], -1
            return True
        if found := SAR_COLUMNS.match(text):
            self.columns = found[1].split()
            return True
        if self.columns and (found := SAR_ROW.match(text)):
            return self._rates(number, found)
        if found := SOCKET.match(text):
            self.close()
            self.socket = {"line": number, "send_queue": found[2], "local": found[3], "remote": found[5], "peer_port": found[6]}
            self.socket |= {"process": found[7], "pid": int(found[8]) if found[8] else None}
            return True
        if self.socket and SOCKET_MORE.match(text):
            self._timers(text)
            return True
        if (found := NETSTAT.match(text)) and (name := tcp_name(found[2])):
            self.rows.metric(number, name, float(found[1]), None, "counter", host=self.host)
            return True
        if found := NSTAT.match(text):
            name = {"TcpOutSegs": "tcp.out_segs", "TcpRetransSegs": "tcp.retrans_segs"}.get(found[1], f"tcp.{found[1].lower()}")
            self.rows.metric(number, name, float(found[2]), None, "counter", host=self.host)
            return True
        if found := NODE.match(text):
            name = "tcp.out_segs" if found[1] == "OutSegs" else "tcp.retrans_segs"
            self.rows.metric(number, name, float(found[2]), None, "counter", host=self.host)
            return True
        return text.startswith(("State ", "Netid ", "Average:"))

    def _rates(self, number: int, found: re.Match[str]) -> bool:
        values = found[4].split()
        if len(values) != len(self.columns):
            return False
        clock = found[1]
        if found[2]:
            clock = f"{int(clock[:2]) % 12 + 12 * (found[2] == 'P'):02}{clock[2:]}"
        for name, value in zip(self.columns, values, strict=True):
            if name in SAR_NAMES:
                self.rows.metric(
                    number, f"rate.{SAR_NAMES[name]}", float(value), "1/s", time=self._time(clock), host=self.host, device=found[3]
                )
        return True

    def _time(self, clock: str) -> Time:
        """Of a time of day; after midnight the day of the heading no longer holds."""
        hour = int(clock[:2])
        if hour < self.hour:
            self.day = ""
        self.hour = hour
        parts = re.split(r"[/-]", self.day)
        if len(parts) != 3:
            return (None, None)
        if len(parts[0]) == 4:
            year, month, day = parts
        else:
            month, day, year = parts
            year = year if len(year) == 4 else f"20{year}"
        return when(f"{year}-{month}-{day} {clock}")

    def _timers(self, text: str) -> None:
        for name, pattern in (
            ("backoff", r"\bbackoff:(\d+)"),
            ("retrans", r"\bretrans:(\d+)/\d+"),
            ("unacked", r"\bunacked:(\d+)"),
            ("lastack", r"\blastack:(\d+)"),
        ):
            if found := re.search(pattern, text):
                self.socket[name] = found[1]

    def close(self) -> None:
        """Tells of the socket above, if its peer does not acknowledge."""
        said = self.socket
        if said and int(said.get("backoff", 0)) > 0 and int(said["send_queue"]) > 0:
            fields = {
                key: said.get(key) for key in ("local", "remote", "peer_port", "send_queue", "backoff", "unacked", "lastack", "process")
            }
            message = f"{said['remote']} has not acknowledged through {said['backoff']} resends"
            self.rows.event(said["line"], "socket.unacknowledged", 2, message, fields, host=self.host, pid=said["pid"])
        self.socket = {}


def tcp_name(words: str) -> str | None:
    """Name of a counter of netstat -s."""
    if words.startswith("segment"):
        return "tcp.retrans_segs" if "retrans" in words else "tcp.out_segs" if "sent" in words else None
    return None
