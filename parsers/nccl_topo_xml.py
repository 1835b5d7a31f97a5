"""Reads NCCL's topology and graph dumps: an element a line, read forwards so that a file that is cut gives what it has."""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import polars as pl

from ncclscope.sources import Source

TAG = re.compile(r"<(/?)([a-z]+)\b([^<>]*?)(/?)>")
ATTRIBUTE = re.compile(r'([\w.]+)="([^"<>]*)"')
MOST_BYTES = 64 << 20
EVENTS: dict[str, Any] = {
    "line": pl.UInt64,
    "gpu": pl.Int32,
    "kind": pl.String,
    "severity": pl.Int8,
    "message": pl.String,
    "fields": pl.List(pl.Struct({"key": pl.String, "value": pl.String})),
}
Element = tuple[str, dict[str, str]]


def read(stream: BinaryIO, source: Source) -> Iterator[tuple[str, pl.DataFrame]]:
    """Rows of `events`; lines without an element go to the line parsers."""
    rows: list[tuple[Any, ...]] = []
    unread: list[int] = []
    around: list[Element] = []
    gpu: dict[str, Any] | None = None
    for number, raw in enumerate(stream.read(MOST_BYTES).split(b"\n"), 1):
        text = raw.decode("utf-8", "replace")
        tags = list(TAG.finditer(text))
        if not tags:
            if text.strip() and not text.lstrip().startswith("<"):
                unread.append(number)
            continue
        for tag in tags:
            closing, name, inside, alone = tag[1], tag[2], dict(ATTRIBUTE.findall(tag[3])), tag[4]
            if closing:
                if name == "gpu" and gpu is not None:
                    rows.append(gpu_row(gpu))
                    gpu = None
                while around and around.pop()[0] != name:
                    pass
                continue
            if name == "gpu" and "sm" in inside:
                gpu = {"line": number, "inside": inside, "around": list(around), "nvlinks": 0}
                if alone:
                    rows.append(gpu_row(gpu))
                    gpu = None
            elif name == "nvlink" and gpu is not None and inside.get("count", "").isdigit():
                gpu["nvlinks"] += int(inside["count"])
            elif name == "net" and "name" in inside:
                rows.append(net_row(number, inside, around))
            elif name == "graph":
                rows.append(graph_row(number, inside))
            if not alone:
                around.append((name, inside))
    if gpu is not None:
        rows.append(gpu_row(gpu))
    if rows:
        yield "events", pl.DataFrame(rows, schema=EVENTS, orient="row")
    if unread:
        yield "unread", pl.DataFrame({"line": unread}, schema={"line": pl.UInt64})


def gpu_row(gpu: dict[str, Any]) -> tuple[Any, ...]:
    """The event of a GPU, with the PCI device it is and what stands around it."""
    inside, pci = gpu["inside"], place(gpu["around"])
    dev = inside.get("dev")
    said = {"dev": dev, "comm_rank": inside.get("rank"), "sm": inside.get("sm"), "gdr": inside.get("gdr"), "nvlinks": gpu["nvlinks"], **pci}
    return (
        gpu["line"],
        int(dev) if dev and dev.isdigit() and len(dev) < 6 else None,
        "nccl.xml.gpu",
        1,
        f"GPU {dev} at {pci.get('bdf')}, {gpu['nvlinks']} NVLinks, x{pci.get('link_width')}",
        pairs(said),
    )


def net_row(line: int, inside: dict[str, str], around: list[Element]) -> tuple[Any, ...]:
    """The event of a network adapter."""
    pci = place(around)
    pci.pop("narrowest", None)
    said = {
        "device": inside.get("name"),
        "dev": inside.get("dev"),
        "mbps": inside.get("speed"),
        "port": inside.get("port"),
        "gdr": inside.get("gdr"),
        **pci,
    }
    return line, None, "nccl.xml.net", 1, f"{inside.get('name')} at {inside.get('speed')} Mb/s", pairs(said)


def graph_row(line: int, inside: dict[str, str]) -> tuple[Any, ...]:
    """The event of a graph: a ring, a tree ..."""
    names = {
        "id": "id", "pattern": "pattern", "channels": "nchannels", "speed_intra": "speedintra", "speed_inter": "speedinter",
        "type_intra": "typeintra", "type_inter": "typeinter",
    }  # fmt: skip
    return (
        line,
        None,
        "nccl.xml.graph",
        1,
        f"graph {inside.get('id')}, {inside.get('nchannels')} channels",
        pairs({k: inside.get(v) for k, v in names.items()}),
    )


def place(around: list[Element]) -> dict[str, Any]:
    """PCI device and NUMA node, from the elements around, and the narrowest link up to the CPU."""
    devices = [inside for name, inside in around if name == "pci"]
    own: dict[str, str] = devices[-1] if devices else {}
    widths = [int(one["link_width"]) for one in devices if one.get("link_width", "").isdigit() and one["link_width"] != "0"]
    numa = next((inside.get("numaid") for name, inside in reversed(around) if name == "cpu"), None)
    return {
        "bdf": own.get("busid"),
        "link_speed": own.get("link_speed"),
        "link_width": own.get("link_width"),
        "narrowest": min(widths, default=None),
        "numa": numa,
    }


def pairs(said: dict[str, Any]) -> list[dict[str, str]]:
    """Fields as a list of keys and values."""
    return [{"key": key, "value": str(value)} for key, value in said.items() if value not in (None, "")]
