"""What the columns of a query are called, and the headers and commands that name them."""

import re
from dataclasses import dataclass, field

from .names import ALIASES, STEMS, UNITS

# What names a GPU, a process or its software: no numbers to plot.
IDENTITY = re.compile(
    r"^(?:timestamp|index|uuid|name|serial|driver_version|hostname|pid|process_name|count|vbios_version|compute_cap"
    r"|pci\..*|fabric\.clusterUuid|inforom\..*|platform\..*|vgpu_.*)$"
)
# Fields whose values are words; each change becomes an event.
STATE = re.compile(
    r"^(?:compute_mode|gpu_recovery_action|fabric\.(?:state|status|health\..*)|addressing_mode|driver_model\..*|gom\..*"
    r"|retired_pages\.cause|c2c\.mode)$"
)

HEADER_CELL = re.compile(r"^([A-Za-z]\w*(?:\.\w+)*)(?: \[([^\]]{1,12})\])?$")
HEADER_LINE = r"^(?:[\w.-]+: )?[A-Za-z]\w*(?:\.\w+)*(?: \[[^\]]{1,12}\])? ?(?:,|$)"
PREFIX = r"^([0-9A-Za-z][\w.-]*): (.*)$"
COMMAND = re.compile(r"--query-[a-z-]+[= ]\"?([\w.,]+)")


@dataclass(slots=True)
class Table:
    """The columns of one header: names as nvidia-smi prints them now, units, and what reading taught us of each."""

    names: list[str]
    units: list[str]
    first: str = ""  # the header's first cell as written
    typed: list[bool] = field(default_factory=list)  # read as numbers straight from the bytes
    suffix: list[str] = field(default_factory=list)
    wordy: list[bool] = field(default_factory=list)  # not one number was seen in it
    states: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        last = len(self.names) - 1
        # The last column stays text: it tells a short row from an empty cell.
        self.typed = [i < last and (n == "index" or not is_identity(n)) for i, n in enumerate(self.names)]
        self.suffix = [f" {unit}" if unit else "" for unit in self.units]
        self.wordy = [False] * len(self.names)
        self.states = {i for i, name in enumerate(self.names) if STATE.match(name)}

    def at(self, name: str) -> int | None:
        """Where a field stands, or None."""
        return self.names.index(name) if name in self.names else None

    @property
    def metrics(self) -> list[int]:
        """Columns that hold numbers."""
        return [i for i, n in enumerate(self.names) if i not in self.states and not is_identity(n)]


def is_identity(name: str) -> bool:
    """Does the field name a thing instead of measuring it?"""
    return IDENTITY.match(name) is not None


def canonical(name: str) -> str:
    """The present name of a field."""
    name = name.replace("clocks_throttle_reasons", "clocks_event_reasons")
    return ALIASES.get(name, name)


def header_of(text: str) -> Table | None:
    """The table that a header line begins, or None for any other line."""
    cells = [HEADER_CELL.match(cell.strip()) for cell in text.split(",")]
    if not all(cells):
        return None
    pairs = [(cell[1], cell[2] or "") for cell in cells if cell]
    names = [canonical(name) for name, _ in pairs]
    known = [name.split(".")[0] in STEMS for name in names]
    telling = any("." in name or "_" in name or unit for name, unit in pairs) or {"uuid", "pid", "pstate"} & set(names)
    if sum(known) * 2 < len(known) or not telling or (len(names) == 1 and not ("." in names[0] and known[0])):
        return None
    return Table(names, [unit or UNITS.get(name, "") for name, (_, unit) in zip(names, pairs, strict=True)], pairs[0][0])


def command_of(text: str) -> Table | None:
    """The table that a logged command `nvidia-smi --query-gpu=a,b --format=csv,noheader` announces."""
    found = COMMAND.search(text)
    if not found or "noheader" not in text:
        return None
    names = [canonical(name) for name in found[1].split(",")]
    return Table(names, [UNITS.get(name, "") for name in names])
