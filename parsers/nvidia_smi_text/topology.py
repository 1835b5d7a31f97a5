"""`nvidia-smi topo -m`: how each pair of GPUs and NICs is connected; `topo -p2p`: which pairs of GPUs may reach each other."""

import re

from .out import Out

HEADING = re.compile(r"^\s*(?:GPU\d+|NIC\d+|mlx\w+)(?:\s+(?:GPU\d+|NIC\d+|mlx\w+))*(?:\s+(?:CPU|NUMA|GPU NUMA)\b.*)?$")
ENDPOINT = re.compile(r"GPU\d+|NIC\d+|mlx\w+")
PEER = ("OK", "CNS", "GNS", "TNS", "NS", "DR", "U")
CELL = rf"(?:X|NV\d+|SYS|NODE|PHB|PXB|PIX|PSB|SOC|C2C|BAR1|N/A|{'|'.join(PEER)})"
ROW = re.compile(rf"^\s*(GPU\d+|NIC\d+|mlx\w+)\s+({CELL}(?:\s+{CELL})*)(?:\s+(.*))?$")
LEGEND = re.compile(r"^\s*(?:(?:NIC )?Legend:|(?:X|SYS|NODE|PHB|PXB|PIX|NV#|PSB|SOC|OK|CNS|GNS|TNS|NS|DR|U)\s+= .*)$")
NIC_NAME = re.compile(r"^\s*(NIC\d+): (\S+)\s*$")


class Topology:
    """The matrix at hand; its NICs may be named below it."""

    def __init__(self, out: Out) -> None:
        self.out = out
        self._reset()

    def _reset(self) -> None:
        self.columns: list[str] = []
        self.rest: list[str] = []
        self.rows: list[tuple[int, str, list[str], list[str]]] = []
        self.nics: dict[str, str] = {}

    def begins(self, text: str) -> bool:
        """Is it the heading of a matrix?"""
        return bool(HEADING.match(text)) and "GPU0" in text and len(ENDPOINT.findall(text)) + text.count("Affinity") > 1

    def line(self, number: int, text: str) -> bool:
        """Takes a line; False if it is something else."""
        if self.begins(text):
            self.close()
            head = re.split(r"\s+(?=CPU Affinity|NUMA Affinity|GPU NUMA)", text.strip())
            self.columns = ENDPOINT.findall(head[0])
            self.rest = [re.split(r"\t|\s{2,}", name)[0].strip() for name in head[1:]]
            return True
        if found := ROW.match(text):
            cells = found[2].split()
            more = cells[len(self.columns) :] + (found[3] or "").split()
            self.rows.append((number, found[1], cells[: len(self.columns)], more))
            return True
        if found := NIC_NAME.match(text):
            self.nics[found[1]] = found[2]
            return True
        return bool(LEGEND.match(text))

    def close(self) -> None:
        """Everything about the matrix is known, the names of its NICs too."""
        for number, label, cells, more in self.rows:
            if not label.startswith("GPU"):
                continue
            gpu = int(label[3:])
            for column, cell in zip(self.columns, cells, strict=False):
                # A pair of GPUs stands twice; NICs stand in every GPU's row.
                if cell == "X" or (column.startswith("GPU") and int(column[3:]) <= gpu):
                    continue
                if cell in PEER:
                    self.out.told(number, "topo.peer", 1, f"{label} {column} {cell}", {"a": label, "b": column, "state": cell}, gpu=gpu)
                    continue
                other = self.nics.get(column, column)
                fields = {"a": label, "b": other, "path": cell, "nic": None if column.startswith("GPU") else other}
                self.out.told(number, "topo.link", 1, f"{label} {other} {cell}", fields, gpu=gpu)
            known = dict(zip(self.rest, more, strict=False))
            if known:
                fields = {"cpus": known.get("CPU Affinity"), "numa": known.get("NUMA Affinity")}
                said = f"{label} " + " ".join(str(value) for value in fields.values() if value)
                self.out.told(number, "topo.affinity", 1, said, fields, gpu=gpu)
        self._reset()
