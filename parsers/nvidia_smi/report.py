"""What good rows say: metrics of every number, and events for identities, processes, faults and states that changed."""

from collections.abc import Mapping, Sequence

import polars as pl

from ncclscope.reading import Found

from .cells import Cells
from .fields import UNITS, Table
from .positions import Positions
from .words import GOOD_STATES, mode_of


class Report:
    """Knows which GPUs, processes and states were told already."""

    def __init__(self) -> None:
        self.seen: set[tuple[object, ...]] = set()
        self.order: dict[str, int] = {}
        self.index_of: dict[str, int] = {}
        self.state: dict[tuple[object, ...], str] = {}
        self.positions = Positions()
        self.told: set[str] = set()

    def guessed(self, line: int, names: Sequence[str]) -> Found:
        """Says once that the columns had no header."""
        told = ", ".join(names)
        yield from self._once(line, "gpu.columns_guessed", f"no header: columns read as {told}", {"columns": told})

    def _once(self, line: int, kind: str, message: str, fields: Mapping[str, str]) -> Found:
        if kind not in self.told:
            self.told.add(kind)
            frame = pl.DataFrame({"line": [line]}, schema={"line": pl.UInt64})
            yield "events", finish(frame, kind, 1, pl.lit(message), [pl.lit(value).alias(name) for name, value in fields.items()])

    def rows(self, table: Table, cells: Cells, numbers: pl.Series, host: str | None) -> Found:
        """Everything that good rows say."""
        base = self._base(table, cells, numbers, host)
        if cells.index is None and self.positions.how and base["gpu"].null_count() < base.height:
            many = base["gpu"].n_unique()
            text = f"no index column: the position in each poll of {many} rows is taken as the GPU's index"
            yield from self._once(numbers[0], "gpu.index_inferred", text, {"gpus": str(many), "how": self.positions.how})
        yield from self._identities(cells, base)
        yield from self._metrics(table, cells, base)
        if cells.faults:
            yield from faults(table, cells, base)
        yield from self._states(table, cells, base)

    def _base(self, table: Table, cells: Cells, numbers: pl.Series, host: str | None) -> pl.DataFrame:
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

    def _identities(self, cells: Cells, base: pl.DataFrame) -> Found:
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
        frame = base.with_columns(values.alias(key) for key, values in names.items() if key in ("uuid", "bdf")).with_row_index("row")
        rows = self._fresh(frame.filter(pl.any_horizontal(pl.col(key).is_not_null() for key in keys if key != "host")), keys)
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

    def _fresh(self, frame: pl.DataFrame, keys: list[str]) -> list[int]:
        """Numbers of the rows whose keys no row before had."""
        rows = []
        for row, *key in frame.select("row", *keys).unique(keys, keep="first", maintain_order=True).iter_rows():
            if tuple(key) not in self.seen:
                self.seen.add(tuple(key))
                rows.append(row)
        return rows

    def _processes(self, cells: Cells, base: pl.DataFrame) -> Found:
        name = cells.named("process_name")
        columns = {"name": name} if name is not None else {}
        frame = base.with_columns(values.alias(key) for key, values in columns.items()).with_row_index("row")
        rows = self._fresh(frame, [key for key in ("host", "pid", "device", "name") if key in frame.columns])
        if rows:
            said = pl.concat_str(pl.lit("process "), pl.col("pid").cast(pl.String), *(pl.lit(" ") + pl.col(key) for key in columns))
            fields = [pl.col("device").alias("uuid"), *(pl.col(key) for key in columns)]
            yield "events", finish(frame[rows], "gpu.process", 1, said, fields)

    def _metrics(self, table: Table, cells: Cells, base: pl.DataFrame) -> Found:
        for at, values in cells.values.items():
            name = table.names[at]
            unit = table.suffix[at].strip() or UNITS.get(name, "")
            frame = base.with_columns(
                values.alias("value"),
                name=pl.lit(name),
                unit=pl.lit(unit or None, pl.String),
                mode=pl.lit(mode_of(name)),
            )
            if values.null_count():
                frame = frame.filter(pl.col("value").is_not_null())
            if frame.height:
                yield "metrics", frame

    def _states(self, table: Table, cells: Cells, base: pl.DataFrame) -> Found:
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
