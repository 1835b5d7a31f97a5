"""`nvidia-smi nvlink -s`, `-e` and `nvidia-smi -L`: GPUs with their NVLinks below."""

import re
from typing import Any

from .out import Out

GPU_NAMED = re.compile(r"^GPU (\d+): (.+?) \(UUID: ((?:GPU|MIG)-[0-9A-Za-z/-]+)\)")
LINK = re.compile(r"^\s*Link (\d+): (?:(<inactive>)|([0-9.]+) GB/s|(.+?)(?: -)?: ?([0-9][0-9.eE+-]*)(?: .*)?)\s*$")
ALL_INACTIVE = "NVML: Unable to retrieve NVLink information as all links are inactive"


class Links:
    """The links of the GPU named last."""

    def __init__(self, out: Out) -> None:
        self.out = out
        self.seen: set[tuple[Any, ...]] = set()
        self.most = 0
        self.gpu: int | None = None
        self.uuid: str | None = None
        self._reset()

    def _reset(self) -> None:
        self.first = 0
        self.active: list[int] = []
        self.inactive: list[tuple[int, int]] = []

    def begins(self, text: str) -> bool:
        """Does the line name a GPU with its UUID, or a link?"""
        return bool(GPU_NAMED.match(text) or LINK.match(text)) or ALL_INACTIVE in text

    def line(self, number: int, text: str) -> bool:
        """Takes a line; False if it is something else."""
        if found := GPU_NAMED.match(text):
            self._finish(True)
            self.gpu, self.uuid = int(found[1]), found[3]
            if (self.gpu, self.uuid) not in self.seen and self.uuid.startswith("GPU-"):
                self.seen.add((self.gpu, self.uuid))
                fields = {"uuid": self.uuid, "name": found[2], "index_from": "column"}
                self.out.told(number, "gpu.identity", 1, text.strip(), fields, gpu=self.gpu)
            return True
        if ALL_INACTIVE in text:
            fields = {"link": "all", "uuid": self.uuid}
            self.out.told(number, "gpu.nvlink_inactive", 2, text.strip(), fields, gpu=self.gpu)
            return True
        if found := LINK.match(text):
            self._link(number, int(found[1]), found)
            return True
        return False

    def _link(self, number: int, link: int, found: re.Match[str]) -> None:
        self.first = self.first or number
        more: dict[str, Any] = {"device": f"nvlink{link}", "gpu": self.gpu}
        if found[2]:
            self.inactive.append((number, link))
        elif found[3]:
            self.active.append(link)
            speed = number_of(found[3])
            if speed is not None:
                self.out.number(number, "nvlink.speed", speed, "GB/s", **more)
        else:
            name = re.sub(r"[^a-z0-9]+", "_", found[4].lower()).strip("_").replace("crc_flit_errors", "crc_errors")
            value = number_of(found[5])
            if value is not None:
                mode = "gauge" if "ber" in name.split("_") else "counter"
                self.out.number(number, f"nvlink.{name}", value, mode=mode, **more)

    def _finish(self, complete: bool) -> None:
        total = len(self.active) + len(self.inactive)
        self.most = max(self.most, total)
        # The last GPU of an excerpt may have lost its last links to the cut.
        if total and (complete or total == self.most):
            for name, links in (("nvlink.links_active", self.active), ("nvlink.links_inactive", self.inactive)):
                self.out.number(self.first, name, len(links), gpu=self.gpu, device=self.uuid)
        for number, link in self.inactive:
            fields = {"link": link, "uuid": self.uuid, "active": len(self.active), "total": total}
            said = f"GPU {'?' if self.gpu is None else self.gpu}: NVLink {link} is inactive"
            self.out.told(number, "gpu.nvlink_inactive", 2, said, fields, gpu=self.gpu)
        self._reset()

    def close(self) -> None:
        """The list ends here."""
        self._finish(False)
        self.gpu = self.uuid = None


def number_of(text: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 1e300 else None
