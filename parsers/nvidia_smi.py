"""Reads the CSV of `nvidia-smi --query-gpu`: any columns in any order, with or without header, units and timestamps."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import BinaryIO

import polars as pl

from ncclscope import clock
from ncclscope.sources import Source

Found = Iterator[tuple[str, pl.DataFrame]]

CHUNK_BYTES = 16 << 20
FIRST_BYTES = 64 << 10  # holds the header, which needs the slower way through `_mixed`
LONGEST_LINE_BYTES = 32 << 20
SAMPLE_ROWS = 2000
MOST_GPUS = 64  # on one host; a longer repetition is chance

# Older and shorter names of fields. nvidia-smi prints the left ones only from old drivers or in other people's headers.
ALIASES = {
    "gpu_name": "name",
    "gpu_serial": "serial",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "clocks.gr": "clocks.current.graphics",
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "clocks.video": "clocks.current.video",
    "pcie.link.gen.gpucurrent": "pcie.link.gen.current",
    "retired_pages.sbe": "retired_pages.single_bit_ecc.count",
    "retired_pages.dbe": "retired_pages.double_bit.count",
    "time": "timestamp",
    "date": "timestamp",
    "gpu": "index",
    "host": "hostname",
    "node": "hostname",
}
# The first word of every field name; a header consists of such names.
STEM = re.compile(
    r"^(?:timestamp|driver_version|count|name|serial|uuid|pci|index|vbios_version|inforom|hostname|platform|pcie|display_mode"
    r"|display_attached|display_active|persistence_mode|addressing_mode|accounting|driver_model|gpu_recovery_action|gom"
    r"|compute_mode|compute_cap|mig|gsp|c2c|dramEncryption|ecc|fan|pstate|clocks_event_reasons(?:_counters)?|memory"
    r"|protected_memory|utilization|encoder|retired_pages|remapped_rows|temperature|power|enforced|module|power_smoothing"
    r"|edpp_multiplier|clocks|fabric|pid|process_name|used_gpu_memory|used_memory|gpu_util|mem_util|max_memory_usage"
    r"|vgpu_driver_capability|vgpu_device_capability)(?:\.|$)"
)
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
GOOD_STATES = frozenset({"none", "default", "completed", "success", "healthy", "not supported", "hmm", "ats"})
COUNTERS = re.compile(
    r"ecc\.errors\.|retired_pages\.\w+(?:\.\w+)*\.count|remapped_rows\.(?:un)?correctable$|clocks_event_reasons_counters\.|pcie\.replay"
)
UNITS = {"temperature.gpu": "C", "temperature.gpu.tlimit": "C", "temperature.memory": "C"}

MISSING = frozenset(
    {
        *("", "-", "n/a", "[n/a]", "not supported", "[not supported]", "not available", "[not available]", "unknown"),
        *("[function not found]", "[insufficient permissions]", "[not found]", "[unknown]"),
        "[requested functionality has been deprecated]",
    }
)
FAULT = re.compile(r"(?i)^(?:\[?(?:unknown error|gpu is lost|gpu requires reset|gpu access blocked)[^\]]*\]?|\[?err!\]?)$")
WORDS = {"active": 1.0, "not active": 0.0, "yes": 1.0, "no": 0.0, "enabled": 1.0, "disabled": 0.0}
MEASURE = re.compile(r"^([-+]?[0-9]+(?:\.[0-9]+)?)( ?(?:%|[A-Za-z]{1,5}))$")
NUMBER = re.compile(r"^([-+]?[0-9]+(?:\.[0-9]+)?)(?: ?(?:%|[A-Za-z]{1,5}))?$")
HEX = re.compile(r"^0x[0-9A-Fa-f]{1,16}$")
PSTATE = re.compile(r"^P([0-9]{1,2})$")

HEADER_CELL = re.compile(r"^([A-Za-z]\w*(?:\.\w+)*)(?: \[([^\]]{1,12})\])?$")
HEADER_LINE = r"^(?:[\w.-]+: )?[A-Za-z]\w*(?:\.\w+)*(?: \[[^\]]{1,12}\])? ?(?:,|$)"
PREFIX = r"^([0-9A-Za-z][\w.-]*): (.*)$"
COMMAND = re.compile(r"--query-[a-z-]+[= ]\"?([\w.,]+)")
# What a row of ours looks like even when torn: its beginning, or a cell that only nvidia-smi prints.
ROW_START = (
    r"^(?:20[0-9]{2}/[0-9]{2}/[0-9]{2}(?: [0-9:.]*)?|[0-9]{1,3}|GPU-[0-9a-f-]*|[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f.]*)"
    r"(?:,|$)"
)
ROW_CELL = (
    r"(?:^|, ?)(?:[0-9]+(?:\.[0-9]+)? (?:W|MHz|MiB|%)|0x[0-9a-f]{16}|[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-9]"
    r"|GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+)(?:,|$)"
)
STAMP = re.compile(r"^20[0-9]{2}[/-][0-9]{2}[/-][0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?$")


def read(stream: BinaryIO, source: Source) -> Found:
    """Metrics of every numeric column, and events for identities, faults and states; see the TOML beside."""
    reader = Reader()
    for first, count, data in blocks(stream):
        if data is None:
            yield "damaged", pl.DataFrame({"line": [first]}, schema={"line": pl.UInt64})
        else:
            yield from reader.chunk(first, count, data)


def blocks(stream: BinaryIO) -> Iterator[tuple[int, int, bytes | None]]:
    """(number of the first line, lines, their bytes) in order; None stands for a line too long to hold."""
    first, held, size, skipping = 1, [], 0, False
    want = FIRST_BYTES
    while data := fill(stream, want):
        want = CHUNK_BYTES
        if skipping:
            start = data.find(b"\n") + 1
            if not start:
                continue
            yield first, 1, None
            data, first, skipping = data[start:], first + 1, False
        cut = data.rfind(b"\n") + 1
        if cut:
            whole = b"".join([*held, memoryview(data)[:cut]])
            held, size = [data[cut:]], len(data) - cut
            count = whole.count(b"\n")
            yield first, count, whole
            first += count
        else:
            held.append(data)
            size += len(data)
            if size > LONGEST_LINE_BYTES:
                held, size, skipping = [], 0, True
    rest = b"".join(held)
    if rest or skipping:
        yield first, 1, None if skipping else rest


def fill(stream: BinaryIO, size: int) -> bytes:
    """The next `size` bytes, or fewer at the end: a stream may give less than it is asked for."""
    data = stream.read(size)
    if not data or len(data) >= size // 2:
        return data
    parts, have = [data], len(data)
    while have < size and (more := stream.read(size - have)):
        parts.append(more)
        have += len(more)
    return b"".join(parts)


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
    known = [STEM.match(name) is not None for name in names]
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


class Reader:
    """What must be remembered from one chunk of a file to the next."""

    def __init__(self) -> None:
        self.table: Table | None = None
        self.headers: dict[str, Table | None] = {}
        self.by_host: dict[str, Table] = {}
        self.guessed: dict[int, Table | None] = {}
        self.seen: set[tuple[object, ...]] = set()
        self.order: dict[str, int] = {}
        self.index_of: dict[str, int] = {}
        self.state: dict[tuple[object, ...], str] = {}
        self.positions = Positions()
        self.told: set[str] = set()

    def chunk(self, first: int, count: int, data: bytes) -> Found:
        """Rows of `count` whole lines; `first` is the number of the first."""
        if first == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")
        if self.table is not None and not self.by_host:
            frame = self._plain(self.table, data, count)
            if frame is not None:
                numbers = pl.arange(first, first + count, eager=True, dtype=pl.UInt64)
                cells = Cells.of(self.table, frame)
                if cells.bad is None:
                    yield from self._rows(self.table, cells, numbers, None)
                    return
        yield from self._mixed(first, data)

    def _plain(self, table: Table, data: bytes, count: int) -> pl.DataFrame | None:
        """The chunk as one table, or None if a line of it is something else than a row."""
        typed = list(table.typed)
        frame = load(table, data)
        if table.typed != typed and table.first and f"\n{table.first}".encode() in data:
            # It was a repeated header that is no number, not a cell.
            table.typed = typed
            return None
        if frame is None or frame.height != count or not whole(table, frame).all():
            return None
        start = frame["0"]
        strange = start.dtype == pl.String and table.names[0] != "hostname" and start.str.contains("^[a-z]").any()
        return None if strange else frame

    def _mixed(self, first: int, data: bytes) -> Found:
        """Rows of a chunk in which headers, other formats or torn lines stand between."""
        texts = lines_of(data)
        frame = pl.DataFrame({"no": pl.arange(first, first + len(texts), eager=True, dtype=pl.UInt64), "text": texts})
        frame = frame.filter(pl.col("text").str.strip_chars() != "")
        maybe = frame["text"].str.contains(HEADER_LINE) | frame["text"].str.contains("--query-", literal=True)
        tables, marks = [self.table] if self.table else [], {}
        for text in frame["text"].filter(maybe).unique(maintain_order=True).to_list():
            table, host = self._header(text)
            if table is not None:
                marks[text] = (len(tables), host)
                tables.append(table)
        if any(host for _, host in marks.values()) or self.by_host:
            yield from self._prefixed(frame, marks, tables)
            return
        which = pl.lit(None, pl.Int32)
        if marks:
            ids = {text: at for text, (at, _) in marks.items()}
            which = pl.col("text").replace_strict(ids, default=None, return_dtype=pl.Int32)
        frame = frame.with_columns(mark=which)
        begin = pl.lit(0 if self.table else None, pl.Int32)
        frame = frame.with_columns(table=pl.col("mark").forward_fill().fill_null(begin))
        # A command is no header: it stays for the line parsers.
        command = pl.col("text").str.contains("--query-", literal=True)
        rows = frame.filter(pl.col("mark").is_null() | command)
        for (at,), group in rows.group_by("table", maintain_order=True):
            if at is None:
                yield from self._headless(group)
            else:
                yield from self._group(tables[at], group)
        if marks:
            self.table = tables[frame["table"][-1]]

    def _header(self, text: str) -> tuple[Table | None, str]:
        """The table a line announces and the host that pdsh or srun put before it; the same object for the same header."""
        if text in self.headers:
            return self.headers[text], ""
        table = command_of(text) if "--query-" in text else header_of(text)
        host = ""
        if table is None and (found := re.match(PREFIX, text)):
            host, table = found[1], header_of(found[2])
        if table is not None:
            same = [old for old in self.headers.values() if old and (old.names, old.units) == (table.names, table.units)]
            table = same[0] if same else table
        if not host or table is None:
            self.headers[text] = table
            return table, ""
        return table, host

    def _prefixed(self, frame: pl.DataFrame, marks: dict[str, tuple[int, str]], tables: Sequence[Table]) -> Found:
        """Rows behind `host: `, as pdsh, clush and srun --label print them."""
        said = frame["text"].str.extract_groups(PREFIX).struct.unnest()
        frame = frame.with_columns(said["1"].alias("host"), said["2"].alias("row"))
        yield from unread(frame.filter(pl.col("host").is_null())["no"])
        for (host,), group in frame.filter(pl.col("host").is_not_null()).group_by("host", maintain_order=True):
            heads = [text for text, (_, owner) in marks.items() if owner == host]
            if heads:
                self.by_host[str(host)] = tables[marks[heads[-1]][0]]
            table = self.by_host.get(str(host))
            rows = group.filter(~pl.col("text").is_in(heads)).drop("text").rename({"row": "text"})
            if table is None:
                yield from unread(rows["no"])
            else:
                yield from self._group(table, rows, str(host))

    def _group(self, table: Table, group: pl.DataFrame, host: str | None = None) -> Found:
        """Rows under one header, in order."""
        commas = group["text"].str.count_matches(",", literal=True)
        fits = commas == len(table.names) - 1
        yield from judge(group.filter(~fits))
        rows = group.filter(fits)
        if rows.is_empty():
            return
        frame = load(table, "\n".join(rows["text"].to_list()).encode("utf-8", "replace"))
        if frame is None or frame.height != rows.height:
            yield from judge(rows)
            return
        cells = Cells.of(table, frame)
        if cells.bad is not None:
            yield from judge(rows.filter(cells.bad))
            good = ~cells.bad
            rows, cells = rows.filter(good), cells.filter(good)
        if rows.height:
            yield from self._rows(table, cells, rows["no"], host)

    def _headless(self, group: pl.DataFrame) -> Found:
        """Rows before any header: their columns are guessed from the shapes of the cells."""
        likely = group["text"].str.contains(ROW_CELL) | group["text"].str.contains(r"^20[0-9]{2}/[0-9]{2}/[0-9]{2} [0-9:.]{8,12}, ")
        yield from unread(group.filter(~likely)["no"])
        group = group.filter(likely).with_columns(commas=pl.col("text").str.count_matches(",", literal=True))
        for (commas,), rows in group.group_by("commas", maintain_order=True):
            if commas not in self.guessed:
                self.guessed[commas] = guess(rows["text"].head(SAMPLE_ROWS).to_list())
            table = self.guessed[commas]
            if table is None:
                yield from unread(rows["no"])
                continue
            if "columns" not in self.told:
                self.told.add("columns")
                text = f"no header: columns read as {', '.join(table.names)}"
                yield "events", event(rows["no"][0], "gpu.columns_guessed", 1, text, {"columns": ", ".join(table.names)})
            self.table = self.table or table
            yield from self._group(table, rows.drop("commas"))

    def _rows(self, table: Table, cells: "Cells", numbers: pl.Series, host: str | None) -> Found:
        """Everything that good rows say."""
        base = self._base(table, cells, numbers, host)
        guessed = cells.index is None and self.positions.how and base["gpu"].null_count() < base.height
        if guessed and "index_inferred" not in self.told:
            self.told.add("index_inferred")
            many = base["gpu"].n_unique()
            text = f"no index column: the position in each poll of {many} rows is taken as the GPU's index"
            yield "events", event(numbers[0], "gpu.index_inferred", 1, text, {"gpus": str(many), "how": self.positions.how})
        yield from self._identities(cells, base)
        yield from self._metrics(table, cells, base)
        if cells.faults:
            yield from faults(table, cells, base)
        yield from self._states(table, cells, base)

    def _base(self, table: Table, cells: "Cells", numbers: pl.Series, host: str | None) -> pl.DataFrame:
        """Columns that all rows of these lines share."""
        device = cells.uuid if cells.uuid is not None else cells.bdf
        gpu = cells.index
        if gpu is None and device is not None:
            gpu = self._ordered(device, cells.pid is None)
        elif gpu is None and cells.pid is None:
            gpu = self.positions.of(cells, numbers)
        nothing = pl.repeat(None, len(numbers), dtype=pl.String, eager=True)
        columns = {
            "line": numbers,
            "gpu": gpu if gpu is not None else nothing.cast(pl.Int32),
            "device": device if device is not None else nothing,
        }
        if cells.ts is not None:
            columns |= {"ts": cells.ts, "ts_clock": cells.ts_clock}
        if cells.pid is not None:
            columns["pid"] = cells.pid
        frame = pl.DataFrame(columns)
        if host is not None:
            return frame.with_columns(host=pl.lit(host))
        at = table.at("hostname")
        return frame if at is None else frame.with_columns(host=cells.texts[at])

    def _ordered(self, device: pl.Series, listed: bool) -> pl.Series | None:
        """Indices from what other columns of this file said, else, where GPUs are listed, from their order."""
        distinct = device.unique(maintain_order=True).drop_nulls().to_list()
        known = self.index_of
        if not listed or (known and all(key in known for key in distinct)):
            return device.replace_strict(known, default=None, return_dtype=pl.Int32) if known else None
        for key in distinct:
            self.order.setdefault(key, len(self.order))
        # A single GPU may have been asked for by number.
        self.positions.how = "order"
        return device.replace_strict(self.order, default=None, return_dtype=pl.Int32) if len(self.order) > 1 else None

    def _identities(self, cells: "Cells", base: pl.DataFrame) -> Found:
        """One `gpu.identity` for each GPU, one `gpu.process` for each process on it."""
        if cells.pid is not None:
            yield from self._processes(cells, base)
            return
        if cells.index is None and cells.uuid is None and cells.bdf is None:
            return
        names = {"uuid": cells.uuid, "bdf": cells.bdf, "name": cells.named("name"), "serial": cells.named("serial")}
        names["driver"] = cells.named("driver_version")
        names = {key: values for key, values in names.items() if values is not None}
        keys = [key for key in ("host", "uuid", "bdf", "gpu") if key in names or (key in base.columns and key != "uuid")]
        frame = base.with_columns(values.alias(key) for key, values in names.items() if key in ("uuid", "bdf"))
        fresh = frame.select(keys).with_row_index("row").unique(keys, keep="first", maintain_order=True)
        fresh = fresh.filter(pl.any_horizontal(pl.col(key).is_not_null() for key in keys if key != "host"))
        rows = [row["row"] for row in fresh.iter_rows(named=True) if self._new(tuple(row[key] for key in keys))]
        if not rows:
            return
        lines = base[rows].with_columns(values.gather(rows).alias(key) for key, values in names.items())
        said = pl.concat_str(
            pl.lit("GPU "),
            pl.col("gpu").cast(pl.String).fill_null("?"),
            *(pl.lit(" ") + pl.col(key) for key in ("name", "bdf", "uuid") if key in names),
            ignore_nulls=True,
        )
        if cells.index is not None:
            for key in ("uuid", "bdf"):
                if key in names and "host" not in lines.columns:
                    pairs = lines.select(key, "gpu").drop_nulls().iter_rows()
                    self.index_of |= dict(pairs)
        how = pl.lit("column" if cells.index is not None else "position")
        fields = [*(pl.col(key) for key in names), pl.when(pl.col("gpu").is_not_null()).then(how).alias("index_from")]
        yield "events", finish(lines, "gpu.identity", 1, said, fields)

    def _new(self, key: tuple[object, ...]) -> bool:
        fresh = key not in self.seen
        self.seen.add(key)
        return fresh

    def _processes(self, cells: "Cells", base: pl.DataFrame) -> Found:
        name = cells.named("process_name")
        columns = {"name": name} if name is not None else {}
        frame = base.with_columns(values.alias(key) for key, values in columns.items())
        keys = [key for key in ("host", "pid", "device", "name") if key in frame.columns]
        fresh = frame.with_row_index("row").unique(keys, keep="first", maintain_order=True)
        rows = [row["row"] for row in fresh.iter_rows(named=True) if self._new(tuple(row[key] for key in keys))]
        if rows:
            said = pl.concat_str(pl.lit("process "), pl.col("pid").cast(pl.String), *(pl.lit(" ") + pl.col(key) for key in columns))
            fields = [pl.col("device").alias("uuid"), *(pl.col(key) for key in columns)]
            yield "events", finish(frame[rows], "gpu.process", 1, said, fields)

    def _metrics(self, table: Table, cells: "Cells", base: pl.DataFrame) -> Found:
        for at, values in cells.values.items():
            name = table.names[at]
            unit = table.suffix[at].strip() or UNITS.get(name, "")
            mode = "counter" if COUNTERS.match(name) else "gauge"
            frame = base.with_columns(
                values.alias("value"),
                name=pl.lit(name),
                unit=pl.lit(unit or None, pl.String),
                mode=pl.lit(mode),
            )
            if values.null_count():
                frame = frame.filter(pl.col("value").is_not_null())
            if frame.height:
                yield "metrics", frame

    def _states(self, table: Table, cells: "Cells", base: pl.DataFrame) -> Found:
        """The first word of each state field for each GPU, and every change."""
        for at in sorted(table.states):
            name = table.names[at]
            keys = [key for key in ("host", "gpu", "device") if key in base.columns]
            frame = base.with_columns(value=cells.texts[at]).with_row_index("row").filter(pl.col("value").is_not_null())
            before = pl.col("value").shift(1).over(keys)
            frame = frame.with_columns(before=before).filter(pl.col("before").is_null() | (pl.col("before") != pl.col("value")))
            rows = []
            for row in frame.iter_rows(named=True):
                key = (name, *(row[k] for k in keys))
                if self.state.get(key) != row["value"]:
                    self.state[key] = row["value"]
                    rows.append(row["row"])
            if rows:
                lines = base[rows].with_columns(value=cells.texts[at].gather(rows))
                good = pl.col("value").str.to_lowercase().is_in(list(GOOD_STATES))
                said = pl.concat_str(pl.lit(f"{name}: "), pl.col("value"))
                fields = [pl.lit(name).alias("field"), pl.col("value"), pl.col("device")]
                yield "events", finish(lines, "gpu.state", pl.when(good).then(1).otherwise(2).cast(pl.Int8), said, fields)


@dataclass(slots=True)
class Cells:
    """The cells of rows under one header, read: `bad` marks rows that are none."""

    table: Table
    texts: dict[int, pl.Series]
    values: dict[int, pl.Series]
    faults: dict[int, pl.Series]
    index: pl.Series | None
    uuid: pl.Series | None
    bdf: pl.Series | None
    pid: pl.Series | None
    ts: pl.Series | None
    ts_clock: pl.Series | None
    bad: pl.Series | None

    @classmethod
    def of(cls, table: Table, frame: pl.DataFrame) -> "Cells":
        """Reads every column once."""
        texts, values, faulty = {}, {}, {}
        bad: list[pl.Series] = []
        for at, name in enumerate(table.names):
            column = frame[str(at)]
            if at in table.states:  # a damaged file may hold numbers alone where words belong
                column = column.cast(pl.String)
            if is_identity(name) or at in table.states:
                # Times differ from row to row: looking for words among them would cost more than reading them.
                texts[at], fault = (column.str.strip_chars(), None) if name == "timestamp" else words(column)
                if fault is not None:
                    faulty[at] = fault
                continue
            values[at], fault, strange = numbers_of(table, at, column)
            if fault is not None:
                faulty[at] = fault
                texts[at] = column.str.strip_chars()
            if strange is not None:
                bad.append(strange)
        self = cls(table, texts, values, faulty, None, None, None, None, None, None, None)
        bad += self._known()
        if bad:
            marks = bad[0]
            for more in bad[1:]:
                marks = marks | more
            self.bad = marks if marks.any() else None
        return self

    def _known(self) -> list[pl.Series]:
        """Fills the columns that every row shares; returns marks of rows where they make no sense."""
        bad = []
        stamps = self.named("timestamp")
        if stamps is not None:
            self.ts, self.ts_clock = times(stamps)
            bad.append(self.ts.is_null())
        index = self.named("index")
        if index is not None:
            plain = index.str.strip_prefix("GPU") if index.dtype == pl.String else index
            self.index = plain.cast(pl.Int32, strict=False)
            bad.append(self.index.is_null() & index.is_not_null())
        pid = self.named("pid")
        if pid is not None:
            self.pid = pid.cast(pl.Int32, strict=False)
            bad.append(self.pid.is_null() & pid.is_not_null())
        self.uuid = self.named("uuid")
        bus = self.named("pci.bus_id")
        if bus is not None:
            # As the kernel writes it: 0000:9a:00.0.
            long = bus.str.len_bytes().min() == 16 and bus.str.starts_with("0000").all()
            self.bdf = (bus.str.slice(4) if long else bus).str.to_lowercase()
        if stamps is None and index is None and self.uuid is None and bus is None and pid is None:
            # Without a column of known shape prose with as many commas would pass: some cell must be a number.
            anything = [values.is_not_null() for values in self.values.values()] + list(self.faults.values())
            some = anything[0] if anything else None
            for more in anything[1:]:
                some = some | more
            if some is not None:
                bad.append(~some)
        return bad

    def named(self, name: str) -> pl.Series | None:
        """The texts of a field, or None."""
        at = self.table.at(name)
        return None if at is None else self.texts[at]

    def filter(self, keep: pl.Series) -> "Cells":
        """The same for some of the rows."""
        cut = {name: getattr(self, name) for name in ("index", "uuid", "bdf", "pid", "ts", "ts_clock")}
        cut = {name: None if column is None else column.filter(keep) for name, column in cut.items()}
        maps = [{at: column.filter(keep) for at, column in part.items()} for part in (self.texts, self.values, self.faults)]
        return Cells(self.table, *maps, **cut, bad=None)


def load(table: Table, data: bytes) -> pl.DataFrame | None:
    """Cells as columns "0", "1" ..., and "over" for what a row has too many; None if the bytes are no text."""
    plain = not packed(data)
    while True:
        schema: dict[str, pl.DataType | type[pl.DataType]] = {
            str(i): pl.Float64 if typed else pl.String for i, typed in enumerate(table.typed)
        }
        try:
            frame = pl.read_csv(
                data if plain else b"\n" + data,
                has_header=False,
                schema={**schema, "over": pl.String},
                quote_char=None,
                missing_columns="insert",
                extra_columns="ignore",
            )
            return frame if plain else frame.slice(1)
        except (pl.exceptions.PolarsError, OSError) as error:
            found = re.search(r"at column '([0-9]+)'", str(error))
            if found and table.typed[int(found[1])]:
                table.typed[int(found[1])] = False
            elif any(table.typed):
                table.typed = [False] * len(table.typed)
            else:
                return None


def whole(table: Table, frame: pl.DataFrame) -> pl.Series:
    """Which rows have as many cells as the header."""
    return frame[str(len(table.names) - 1)].is_not_null() & frame["over"].is_null()


def words(column: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    """Texts with what means "no value" made null, and marks of cells that report a fault."""
    if column.dtype != pl.String:
        return column, None
    text = column.str.strip_chars()
    distinct = text.unique().drop_nulls().to_list()
    if len(distinct) > SAMPLE_ROWS * 5 or all(len(t) > 50 for t in distinct):
        return text, None
    missing = [t for t in distinct if t.lower() in MISSING]
    fault = [t for t in distinct if FAULT.match(t)]
    marks = text.is_in(fault) if fault else None
    if missing or fault:
        text = pl.select(pl.when(text.is_in(missing + fault)).then(None).otherwise(text)).to_series()
    return text, marks


def numbers_of(table: Table, at: int, column: pl.Series) -> tuple[pl.Series, pl.Series | None, pl.Series | None]:
    """Values of a numeric column, marks of cells that report a fault, and marks of cells that are neither."""
    if column.dtype == pl.Float64:
        return finite(column), None, None
    text = column.str.strip_chars()
    if steady(text):
        # Clocks, limits, states and masks mostly stay the same for millions of rows.
        one = numbers_of(table, at, text.head(1))
        return one[0].gather(same := pl.repeat(0, len(text), dtype=pl.UInt32, eager=True)), *(
            None if mark is None else mark.gather(same) for mark in one[1:]
        )
    if table.wordy[at]:
        return other_cells(text, pl.repeat(None, len(text), dtype=pl.Float64, eager=True))
    values = text.str.strip_suffix(table.suffix[at]).cast(pl.Float64, strict=False)
    for _ in range(3):
        left = text.filter(values.is_null() & text.is_not_null())
        found = next((m for t in left.head(200).to_list() if (m := MEASURE.match(t))), None)
        if found is None:
            break
        # A unit that the header does not name, as behind other people's headers or none.
        table.suffix[at] = table.suffix[at] or found[2]
        values = values.fill_null(text.str.strip_suffix(found[2]).cast(pl.Float64, strict=False))
    if values.null_count() == text.null_count():
        return finite(values), None, None
    table.wordy[at] = values.null_count() == len(values) > 1
    return other_cells(text, values)


def other_cells(text: pl.Series, values: pl.Series) -> tuple[pl.Series, pl.Series | None, pl.Series | None]:
    """The same for a column with words among its cells."""
    known, fault, strange = {}, [], []
    for cell in text.filter(values.is_null() & text.is_not_null()).unique().to_list():
        low = cell.lower()
        if found := NUMBER.match(cell):
            known[cell] = float(found[1])
        elif low in WORDS:
            known[cell] = WORDS[low]
        elif HEX.match(cell):
            known[cell] = float(int(cell, 16))
        elif found := PSTATE.match(cell):
            known[cell] = float(found[1])
        elif FAULT.match(cell):
            fault.append(cell)
        elif low not in MISSING:
            strange.append(cell)
    if known:
        values = values.fill_null(text.replace_strict(known, default=None, return_dtype=pl.Float64))
    return (
        finite(values),
        text.is_in(fault) if fault else None,
        text.is_in(strange) if strange else None,
    )


def steady(text: pl.Series) -> bool:
    """Is every cell the same text?"""
    first = text[0] if len(text) > 1 else None
    return first is not None and bool((text.head(100) == first).all()) and bool((text == first).all())


def finite(values: pl.Series) -> pl.Series:
    """The values without NaN and infinity, which no gauge shows."""
    # A sum is finite only if all its terms are, and far cheaper than looking at each.
    if math.isfinite(values.sum()):
        return values
    return pl.select(pl.when(values.is_finite()).then(values)).to_series()


def times(stamps: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Times and clocks. The GPUs of a poll share the second, so only whole seconds are read as dates."""
    sample = stamps.drop_nulls()
    if len(sample) and all(STAMP.match(text) for text in (sample[0], sample[-1])):
        day = sample[0][4]
        seconds = stamps.str.slice(0, 19).str.to_datetime(f"%Y{day}%m{day}%d{sample[0][10]}%H:%M:%S", strict=False, time_unit="us")
        if seconds.null_count() == 0 and (stamps.str.len_bytes() == 23).all():
            ms = stamps.str.slice(20).cast(pl.Int64, strict=False)
            if ms.null_count() == 0:
                local = pl.repeat(clock.LOCAL, len(stamps), dtype=pl.Int8, eager=True)
                return pl.select(seconds + pl.duration(milliseconds=ms)).to_series(), local
    read_ = clock.read_times(stamps)
    return read_["ts"], read_["clock"]


class Positions:
    """Guesses the index of GPUs from where rows stand in a poll, for files without any column that names a GPU."""

    def __init__(self) -> None:
        self.how = ""
        self.decided = False
        self.gap_us = 0
        self.period = 0
        self.last_ts: int | None = None
        self.last_line = 0
        self.last = -1

    def of(self, cells: Cells, numbers: pl.Series) -> pl.Series | None:
        """Index of each row, or None where nothing repeats."""
        if not self.decided:
            self.decided = True
            if cells.ts is not None:
                self.gap_us = poll_gap(cells.ts.head(SAMPLE_ROWS))
                self.how = "time"
            else:
                self.period = poll_length([v.head(SAMPLE_ROWS) for v in cells.values.values()])
                self.how = "repetition"
        if cells.ts is not None and self.gap_us:
            return self._by_time(cells.ts)
        return self._by_count(numbers) if self.period else None

    def _by_time(self, ts: pl.Series) -> pl.Series:
        us = ts.dt.epoch("us")
        steps = us.diff()
        steps[0] = us[0] - self.last_ts if self.last_ts is not None else self.gap_us + 1
        starts = steps > self.gap_us
        at = self._since(starts)
        self.last_ts, self.last = us[-1], at[-1]
        return at

    def _by_count(self, numbers: pl.Series) -> pl.Series:
        # Another line between two rows is where nvidia-smi was started again or failed: a new poll begins.
        starts = numbers.cast(pl.Int64).diff() != 1
        starts[0] = numbers[0] != self.last_line + 1
        at = self._since(starts) % self.period
        self.last_line, self.last = numbers[-1], at[-1]
        return at

    def _since(self, starts: pl.Series) -> pl.Series:
        """How many rows stand between each row and the last start."""
        rows = pl.arange(0, len(starts), eager=True, dtype=pl.Int32)
        begin = pl.select(pl.when(starts).then(rows)).to_series().forward_fill().fill_null(-1 - self.last)
        return (rows - begin).cast(pl.Int32)


def poll_gap(ts: pl.Series) -> int:
    """Microseconds that separate polls from the rows inside one, or 0 where polls cannot be told apart."""
    steps = ts.dt.epoch("us").diff().drop_nulls()
    if len(steps) < 3:
        return 0
    low, high = steps.quantile(0.05) or 0, steps.quantile(0.97) or 0
    gap = int((low + high) / 2)
    if high < 1000 or high < 5 * low:
        return 0
    runs = (steps > gap).rle().struct.unnest()
    lengths = runs.filter(~pl.col("value"))["len"].slice(1)
    return gap if len(lengths) == 0 or lengths.head(len(lengths) - 1).n_unique() <= 1 else 0


def poll_length(columns: Sequence[pl.Series]) -> int:
    """Rows of a poll: the shortest lag at which the values resemble themselves much more than at others; 0 if none."""
    columns = [c.drop_nulls() for c in columns if c.null_count() == 0 and c.n_unique() > 1]
    lags = range(1, min(17, len(columns[0]) // 3 + 1)) if columns else range(0)
    if len(lags) < 2:
        return 0
    scores = dict.fromkeys(lags, 0.0)
    for column in columns:
        apart = {lag: ((column - column.shift(lag)) ** 2).mean() or 0.0 for lag in lags}
        usual = sorted(apart.values())[len(apart) // 2] or max(apart.values())
        for lag, value in apart.items():
            scores[lag] += value / usual / len(columns) if usual else 1.0 / len(columns)
    for length in lags[1:]:
        others = [score for lag, score in scores.items() if lag % length]
        if scores[length] < 0.5 * min(others):
            return length
    return 0


def guess(texts: list[str]) -> Table | None:
    """Names for the columns of rows without a header, by the shapes of their cells; None if they show too little."""
    rows = [[cell.strip() for cell in text.split(",")] for text in texts]
    columns = list(zip(*rows, strict=False))
    names = [shape(list(column)) for column in columns]
    if not any(name for name in names):
        return None
    out: list[str] = []
    has_units = any(name.startswith("unit ") for name in names)
    for at, (seen, column) in enumerate(zip(names, columns, strict=True)):
        name = seen
        if seen.startswith("unit "):
            name = measure(seen.removeprefix("unit "), column, out)
        elif seen == "integer" and "index" not in out and counts(column):
            name = "index"
        elif seen == "integer" and has_units and "temperature.gpu" not in out and warm(column):
            name = "temperature.gpu"
        out.append(name if name not in ("", "integer") and name not in out else f"column_{at + 1}")
    return Table(out, [UNITS.get(name, "") for name in out])


SHAPES = (
    ("timestamp", STAMP),
    ("uuid", re.compile(r"^GPU-[0-9a-f-]{30,36}$")),
    ("pci.bus_id", re.compile(r"^[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9]$")),
    ("clocks_event_reasons.active", re.compile(r"^0x[0-9a-fA-F]{16}$")),
    ("pstate", PSTATE),
    ("driver_version", re.compile(r"^[0-9]{3}\.[0-9]{1,3}\.[0-9]{2}$")),
    ("name", re.compile(r"^(?:NVIDIA|Tesla|Quadro|GeForce|GH200|GB200)\b.*$")),
    ("integer", re.compile(r"^[0-9]+$")),
)


def shape(cells: list[str]) -> str:
    """Field, `integer` or `unit W` that nearly all cells look like; else empty."""
    cells = [cell for cell in cells if cell.lower() not in MISSING and not FAULT.match(cell)]
    if not cells:
        return ""
    for name, pattern in SHAPES:
        if sum(bool(pattern.match(cell)) for cell in cells) > 0.9 * len(cells):
            return name
    units = [found[2].strip() for cell in cells if (found := MEASURE.match(cell))]
    return f"unit {units[0]}" if len(units) > 0.9 * len(cells) else ""


def measure(unit: str, column: Sequence[str], taken: list[str]) -> str:
    """The usual field with this unit that no earlier column has."""
    steady = len(set(column)) <= max(1, len(column) // 50)
    usual = {
        "W": ["power.draw", "power.limit"],
        "%": ["utilization.gpu", "utilization.memory"],
        "MiB": ["memory.total", "memory.used"] if steady and len(column) > 8 else ["memory.used", "memory.total"],
        "MHz": ["clocks.current.memory"] if steady and len(column) > 8 else ["clocks.current.sm", "clocks.current.memory"],
        "C": ["temperature.gpu", "temperature.memory"],
    }
    return next((name for name in usual.get(unit, ()) if name not in taken), "")


def counts(column: Sequence[str]) -> bool:
    """Do the cells run 0, 1, 2 ... and begin again?"""
    numbers = [int(cell) if cell.isdecimal() and len(cell) < 4 else -1 for cell in column]
    follows = [b in (0, a + 1) for a, b in pairwise(numbers)]
    return numbers[0] < MOST_GPUS and 0 in numbers and sum(follows) >= 0.9 * len(follows) and max(numbers) < MOST_GPUS


def warm(column: Sequence[str]) -> bool:
    """Could these be temperatures?"""
    numbers = [int(cell) for cell in column if cell.isdecimal() and len(cell) < 4]
    return bool(numbers) and min(numbers) >= 18 and max(numbers) <= 110


def packed(data: bytes) -> bool:
    """Would polars take the bytes for gzip, zlib or zstd, and unpack them?"""
    return data[:1] in (b"\x1f", b"x", b"(")


def lines_of(data: bytes) -> pl.Series:
    """Texts of lines, undecodable bytes replaced."""
    if not data:
        return pl.Series(dtype=pl.String)
    try:
        plain = not packed(data)
        texts = pl.read_lines(data if plain else b"\n" + data)["line"].str.strip_suffix("\r")
        return texts if plain else texts.slice(1)
    except (pl.exceptions.PolarsError, OSError):
        lines = data.decode("utf-8", "replace").split("\n")
        if lines[-1] == "":
            lines.pop()
        return pl.Series(lines, dtype=pl.String).str.strip_suffix("\r")


def judge(group: pl.DataFrame) -> Found:
    """Lines that are no good row: torn ones are damaged, others belong to other parsers."""
    if group.is_empty():
        return
    # Torn in the middle a row keeps its beginning or a cell that nothing else prints.
    ours = group["text"].str.contains(ROW_START) | group["text"].str.contains(ROW_CELL)
    if ours.any():
        yield "damaged", group.filter(ours).select(line=pl.col("no"))
    yield from unread(group.filter(~ours)["no"])


def unread(numbers: pl.Series) -> Found:
    """Hands lines on to the line parsers."""
    if len(numbers):
        yield "unread", pl.DataFrame({"line": numbers.cast(pl.UInt64)})


def faults(table: Table, cells: Cells, base: pl.DataFrame) -> Found:
    """One `gpu.fault` for each row in which nvidia-smi could not read something because the GPU failed."""
    marks = pl.DataFrame({str(at): mask for at, mask in cells.faults.items()}).with_row_index("row")
    names = pl.concat_str((pl.when(pl.col(str(at))).then(pl.lit(table.names[at])) for at in cells.faults), separator=",", ignore_nulls=True)
    number = pl.sum_horizontal(pl.col(str(at)).cast(pl.Int32) for at in cells.faults)
    marks = marks.select("row", names.alias("field"), number.alias("cells")).filter(pl.col("cells") > 0)
    rows = marks["row"]
    text = pl.repeat(None, base.height, dtype=pl.String, eager=True)
    for at, mask in cells.faults.items():
        said = cells.texts[at] if at in cells.values else pl.repeat("[fault]", base.height, eager=True)
        text = pl.select(pl.when(text.is_null() & mask).then(said).otherwise(text)).to_series()
    known = {"uuid": cells.uuid, "bdf": cells.bdf}
    lines = base[rows].with_columns(marks["field"], marks["cells"], text.gather(rows).alias("value"))
    lines = lines.with_columns(column.gather(rows).alias(name) for name, column in known.items() if column is not None)
    who = pl.coalesce(pl.col("gpu").cast(pl.String), pl.col("device"), pl.lit("?"))
    said = pl.concat_str(pl.lit("GPU "), who, pl.lit(": "), pl.col("field"), pl.lit(" reads "), pl.col("value"))
    fields = [pl.col("field"), pl.col("value"), pl.col("cells").cast(pl.String)]
    fields.append(pl.lit(str(len(table.metrics))).alias("columns"))
    fields += [pl.col(name) for name, column in known.items() if column is not None]
    yield "events", finish(lines, "gpu.fault", 3, said, fields)


def finish(lines: pl.DataFrame, kind: str, severity: int | pl.Expr, message: pl.Expr, fields: Sequence[pl.Expr]) -> pl.DataFrame:
    """Rows of events of one kind."""
    level = pl.lit(severity, pl.Int8) if isinstance(severity, int) else severity
    base = [name for name in ("line", "ts", "ts_clock", "host", "pid", "gpu") if name in lines.columns]
    return lines.select(
        *base,
        pl.lit(kind).alias("kind"),
        level.alias("severity"),
        message.alias("message"),
        pl.struct(fields).alias("fields"),
    )


def event(line: int, kind: str, severity: int, message: str, fields: dict[str, str]) -> pl.DataFrame:
    """One row of events."""
    frame = pl.DataFrame({"line": [line]}, schema={"line": pl.UInt64})
    return finish(frame, kind, severity, pl.lit(message), [pl.lit(value).alias(name) for name, value in fields.items()])
